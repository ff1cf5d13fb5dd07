// Package words cuts text into words and makes words comparable: case, accents and the forms of a letter are folded,
// endings are cut off, and words that carry no meaning of their own are known. It is shared by those who search
// passages and those who quote them, so that both mean the same by a word.
package words

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldedRunes holds letters that are folded into another: the accents of Latin, Greek and Cyrillic letters, and the
// forms of Arabic letters that writers use for each other.
var foldedRunes = newFoldTable()

func newFoldTable() map[rune]rune {
	table := map[rune]rune{'ð': 'd', 'đ': 'd', 'ħ': 'h', 'ı': 'i', 'ł': 'l', 'ø': 'o', 'ŧ': 't', '\u0387': '·', 'ς': 'σ',
		'ة': 'ه', 'ى': 'ي', 'ٱ': 'ا', 'ک': 'ك'}
	for _, letters := range [][2]rune{{'À', 'ɏ'}, {'Ά', 'ϒ'}, {'Ѐ', 'џ'}, {'آ', 'ئ'}, {'Ḁ', 'ỿ'}} {
		for r := letters[0]; r <= letters[1]; r++ {
			if parts := []rune(norm.NFD.String(string(r))); len(parts) > 1 && r != 'й' {
				table[r] = parts[0]
			}
		}
	}
	return table
}

var foldedPairs = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th"}

// appendFolded appends r in lower case and without accents; marks that only accent a letter vanish.
func appendFolded(b []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(b, byte(r))
	case isAccent(r), isIgnored(r):
		return b
	case r >= 0xFF01 && r <= 0xFF5E: // full-width ASCII
		return appendFolded(b, r-0xFEE0)
	case r >= 0x660 && r <= 0x669: // Arabic digits
		return append(b, byte('0'+r-0x660))
	case r >= 0x6F0 && r <= 0x6F9: // and those of Persian and Urdu
		return append(b, byte('0'+r-0x6F0))
	}
	if usual, ok := standardForm(r); ok {
		for _, r := range usual {
			b = appendFolded(b, r)
		}
		return b
	}
	r = unicode.ToLower(r)
	if plain, ok := foldedRunes[r]; ok {
		r = plain
	} else if two, ok := foldedPairs[r]; ok {
		return append(b, two...)
	}
	return utf8.AppendRune(b, r)
}

// isAccent reports whether a character is a mark that readers leave out: combining accents, Hebrew points, Arabic
// vowels and the stretching line.
func isAccent(r rune) bool {
	return r >= 0x300 && r <= 0x36F || r >= 0x591 && r <= 0x5C7 || r >= 0x64B && r <= 0x65F || r == 0x640 || r == 0x670
}

// Fold returns s in lower case and without accents.
func Fold(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := decodeRune(s, i)
		b = appendFolded(b, r)
		i += n
	}
	return string(b)
}
