package tokenizer

import (
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"
)

// charsmap is SentencePiece's table of what characters are replaced by. It is a trie in one array of units (Darts): the
// low byte of a unit is the byte that leads to it, and its upper bits say where its children are.
type charsmap struct {
	units        []uint32
	replacements string // one after the other, each closed by a zero
}

const (
	maxCharsmapDepth    = 64  // bytes of what is replaced at once
	maxReplacementBytes = 256 // of what replaces it
	leafBit             = 1 << 8
	farBit              = 1 << 9
	labelMask           = 1<<31 | 0xff
)

// parseCharsmap reads a table: the length of the array in bytes, the array, and the replacements.
func parseCharsmap(data []byte) (*charsmap, error) {
	if len(data) < 4 {
		return nil, errors.New("the table of characters is too short")
	}
	size := binary.LittleEndian.Uint32(data)
	if size%4 != 0 || size == 0 || uint64(size) > uint64(len(data)-4) {
		return nil, errors.New("the table of characters does not have the length that it says")
	}
	c := &charsmap{units: make([]uint32, size/4), replacements: string(data[4+size:])}
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(data[4+4*i:])
	}
	return c, nil
}

func offsetOf(unit uint32) uint32 { return unit >> 10 << (unit & farBit >> 6) }

// normalize replaces, at each place, the longest text that the table has.
func (c *charsmap) normalize(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for len(text) > 0 {
		replacement, length := c.find(text)
		if length == 0 {
			_, length = utf8.DecodeRuneInString(text)
			replacement = text[:length]
		}
		out.WriteString(replacement)
		text = text[length:]
	}
	return out.String()
}

// find returns what the longest beginning of the text that the table has is replaced by; its length is 0 if there is
// none. The table may be of any content.
func (c *charsmap) find(text string) (replacement string, length int) {
	node := offsetOf(c.units[0])
	for i := range min(len(text), maxCharsmapDepth) {
		node ^= uint32(text[i])
		if int(node) >= len(c.units) || text[i] == 0 || c.units[node]&labelMask != uint32(text[i]) {
			break
		}
		unit := c.units[node]
		if node ^= offsetOf(unit); unit&leafBit == 0 || int(node) >= len(c.units) {
			continue
		}
		at := int(c.units[node] & (1<<31 - 1))
		if at >= len(c.replacements) || i+1 < len(text) && !utf8.RuneStart(text[i+1]) {
			continue
		}
		end := min(len(c.replacements), at+maxReplacementBytes)
		if r, _, isClosed := strings.Cut(c.replacements[at:end], "\x00"); isClosed {
			replacement, length = r, i+1
		}
	}
	return replacement, length
}
