package pdf

import (
	"encoding/hex"
	"strings"
	"unicode/utf16"
)

// cmap says which text a code of a font stands for: codes are keyed by their length and value.
type cmap map[codeKey]string

type codeKey struct {
	length int
	code   uint32
}

// maxMappedCodes bounds the codes of one font.
const maxMappedCodes = 200_000

// readCMap reads the ToUnicode table of a font. What is not understood is left out.
func readCMap(text string) cmap {
	m := cmap{}
	tokens := cmapTokens{text: text}
	for word, ok := tokens.next(); ok; word, ok = tokens.next() {
		switch word {
		case "beginbfchar":
			m.readChars(&tokens)
		case "beginbfrange":
			m.readRanges(&tokens)
		}
	}
	return m
}

func (m cmap) readChars(t *cmapTokens) {
	for {
		from, ok := t.next()
		if !ok || from == "endbfchar" {
			return
		}
		to, ok := t.next()
		if !ok || to == "endbfchar" {
			return
		}
		if key, ok := parseCode(from); ok && len(m) < maxMappedCodes {
			m[key] = parseUnicode(to)
		}
	}
}

func (m cmap) readRanges(t *cmapTokens) {
	for {
		low, ok := t.next()
		if !ok || low == "endbfrange" {
			return
		}
		high, _ := t.next()
		to, ok := t.next()
		first, valid := parseCode(low)
		last, valid2 := parseCode(high)
		if !ok {
			return
		}
		if to == "[" {
			m.readList(t, first, valid && valid2)
			continue
		}
		text := []rune(parseUnicode(to))
		if !valid || !valid2 || len(text) == 0 || last.code < first.code {
			continue
		}
		for code := first.code; code <= last.code && len(m) < maxMappedCodes; code++ {
			m[codeKey{first.length, code}] = string(text)
			text[len(text)-1]++
			if code == ^uint32(0) {
				break
			}
		}
	}
}

func (m cmap) readList(t *cmapTokens, key codeKey, valid bool) {
	for {
		to, ok := t.next()
		if !ok || to == "]" {
			return
		}
		if valid && len(m) < maxMappedCodes {
			m[key] = parseUnicode(to)
			key.code++
		}
	}
}

func parseCode(text string) (codeKey, bool) {
	raw, ok := hexBytes(text)
	if !ok || len(raw) == 0 || len(raw) > 4 {
		return codeKey{}, false
	}
	key := codeKey{length: len(raw)}
	for _, b := range raw {
		key.code = key.code<<8 | uint32(b)
	}
	return key, true
}

func parseUnicode(text string) string {
	raw, ok := hexBytes(text)
	if !ok {
		return ""
	}
	if len(raw) == 1 {
		return string(rune(raw[0]))
	}
	return utf16BE(raw)
}

func utf16BE(raw []byte) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return string(utf16.Decode(units))
}

func hexBytes(text string) ([]byte, bool) {
	if !strings.HasPrefix(text, "<") {
		return nil, false
	}
	digits := strings.Join(strings.Fields(text[1:]), "")
	if len(digits)%2 == 1 {
		digits += "0"
	}
	raw, err := hex.DecodeString(digits)
	return raw, err == nil
}

// cmapTokens cuts words, brackets and "<hex" strings, the latter without their end.
type cmapTokens struct {
	text     string
	unclosed bool // no ">" follows any more
}

func (t *cmapTokens) next() (string, bool) {
	t.skipBlanks()
	if t.text == "" {
		return "", false
	}
	end := 1
	switch t.text[0] {
	case '[', ']', '(', ')', '{', '}', '>':
	case '<':
		if word, ok := t.hexString(); ok {
			return word, true
		}
	default:
		if i := strings.IndexAny(t.text[1:], " \t\r\n\f\x00[]<>(){}%"); i >= 0 {
			end = i + 1
		} else {
			end = len(t.text)
		}
	}
	word := t.text[:end]
	t.text = t.text[end:]
	return word, true
}

// skipBlanks moves to the next token, past blanks and comments.
func (t *cmapTokens) skipBlanks() {
	for {
		t.text = strings.TrimLeft(t.text, " \t\r\n\f\x00")
		if !strings.HasPrefix(t.text, "%") {
			return
		}
		i := strings.IndexAny(t.text, "\r\n")
		if i < 0 {
			i = len(t.text)
		}
		t.text = t.text[i:]
	}
}

// hexString reads up to the next ">". That there is none is looked for once only, however many strings are not closed.
func (t *cmapTokens) hexString() (string, bool) {
	if t.unclosed {
		return "", false
	}
	i := strings.IndexByte(t.text, '>')
	if i < 0 {
		t.unclosed = true
		return "", false
	}
	word := t.text[:i]
	t.text = t.text[i+1:]
	return word, true
}
