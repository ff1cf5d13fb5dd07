package pdf

import (
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
func readCMap(data []byte) cmap {
	m := cmap{}
	for at := 0; ; {
		t := tokenAt(data, at)
		at = t.end
		switch {
		case t.kind == tokenEnd:
			return m
		case t.kind == tokenWord && string(t.text) == "beginbfchar":
			at = m.readRows(data, at, 2)
		case t.kind == tokenWord && string(t.text) == "beginbfrange":
			at = m.readRows(data, at, 3)
		}
	}
}

// readRows reads rows of so many values, and returns where they end.
func (c cmap) readRows(data []byte, at, width int) int {
	var row []any
	for {
		t := tokenAt(data, at)
		if t.kind == tokenEnd || t.kind == tokenWord && strings.HasPrefix(string(t.text), "end") {
			return t.end
		}
		var v any
		v, at = valueAt(data, at, 0)
		if row = append(row, v); len(row) == width {
			c.addRow(row)
			row = row[:0]
		}
	}
}

// addRow maps a code, or those from the first to the last, to the text that ends the row. A text for several codes is
// that of the first one, and its last character counts on; a list has a text for each.
func (c cmap) addRow(row []any) {
	first, isFirst := codeOf(row[0])
	last, isLast := codeOf(row[len(row)-2])
	if !isFirst || !isLast {
		return
	}
	to := row[len(row)-1]
	if list, ok := to.([]any); ok {
		for i, one := range list {
			c.set(codeKey{first.length, first.code + uint32(i)}, unicodeText(one))
		}
		return
	}
	text := []rune(unicodeText(to))
	if len(text) == 0 {
		if len(row) == 2 {
			c.set(first, "")
		}
		return
	}
	for code := uint64(first.code); code <= uint64(last.code) && len(c) < maxMappedCodes; code++ {
		c.set(codeKey{first.length, uint32(code)}, string(text))
		text[len(text)-1]++
	}
}

func (c cmap) set(key codeKey, text string) {
	if len(c) < maxMappedCodes {
		c[key] = text
	}
}

func codeOf(v any) (codeKey, bool) {
	raw, _ := v.([]byte)
	key := codeKey{length: len(raw)}
	for _, b := range raw {
		key.code = key.code<<8 | uint32(b)
	}
	return key, 1 <= len(raw) && len(raw) <= 4
}

func unicodeText(v any) string {
	raw, _ := v.([]byte)
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
