package extract

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

// mostMapped bounds the codes of one font.
const mostMapped = 200_000

// readCMap reads the ToUnicode table of a font. What is not understood is left out.
func readCMap(text string) cmap {
	m := cmap{}
	tokens := cmapTokens{text: text}
	for word, ok := tokens.next(); ok; word, ok = tokens.next() {
		switch word {
		case "beginbfchar":
			m.chars(&tokens)
		case "beginbfrange":
			m.ranges(&tokens)
		}
	}
	return m
}

func (m cmap) chars(t *cmapTokens) {
	for {
		from, ok := t.next()
		if !ok || from == "endbfchar" {
			return
		}
		to, ok := t.next()
		if !ok || to == "endbfchar" {
			return
		}
		if key, ok := codeOf(from); ok && len(m) < mostMapped {
			m[key] = unicodeOf(to)
		}
	}
}

func (m cmap) ranges(t *cmapTokens) {
	for {
		low, ok := t.next()
		if !ok || low == "endbfrange" {
			return
		}
		high, _ := t.next()
		to, ok := t.next()
		first, valid := codeOf(low)
		last, valid2 := codeOf(high)
		if !ok {
			return
		}
		if to == "[" {
			m.list(t, first, valid && valid2)
			continue
		}
		text := []rune(unicodeOf(to))
		if !valid || !valid2 || len(text) == 0 || last.code < first.code {
			continue
		}
		for code := first.code; code <= last.code && len(m) < mostMapped; code++ {
			m[codeKey{first.length, code}] = string(text)
			text[len(text)-1]++
			if code == ^uint32(0) {
				break
			}
		}
	}
}

func (m cmap) list(t *cmapTokens, key codeKey, valid bool) {
	for {
		to, ok := t.next()
		if !ok || to == "]" {
			return
		}
		if valid && len(m) < mostMapped {
			m[key] = unicodeOf(to)
			key.code++
		}
	}
}

func codeOf(token string) (codeKey, bool) {
	raw, ok := hexBytes(token)
	if !ok || len(raw) == 0 || len(raw) > 4 {
		return codeKey{}, false
	}
	key := codeKey{length: len(raw)}
	for _, b := range raw {
		key.code = key.code<<8 | uint32(b)
	}
	return key, true
}

func unicodeOf(token string) string {
	raw, ok := hexBytes(token)
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

func hexBytes(token string) ([]byte, bool) {
	if !strings.HasPrefix(token, "<") {
		return nil, false
	}
	digits := strings.Join(strings.Fields(token[1:]), "")
	if len(digits)%2 == 1 {
		digits += "0"
	}
	raw, err := hex.DecodeString(digits)
	return raw, err == nil
}

// cmapTokens cuts words, brackets and "<hex" strings, the latter without their end.
type cmapTokens struct {
	text string
}

func (t *cmapTokens) next() (string, bool) {
	t.text = strings.TrimLeft(t.text, " \t\r\n\f\x00")
	if t.text == "" {
		return "", false
	}
	end := 1
	switch t.text[0] {
	case '[', ']', '(', ')', '{', '}', '>':
	case '<':
		if i := strings.IndexByte(t.text, '>'); i > 0 {
			word := t.text[:i]
			t.text = t.text[i+1:]
			return word, true
		}
	case '%':
		if i := strings.IndexAny(t.text, "\r\n"); i > 0 {
			t.text = t.text[i:]
			return t.next()
		}
		t.text = ""
		return "", false
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
