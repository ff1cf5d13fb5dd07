package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// presentationForms are the ranges of characters that only say how a letter is drawn: joined, ligated, wide, narrow or
// in a style for mathematics. Fonts need them, and files that were made for printing hold them. What means something
// else than the letters it is made of is not among them: 10² is not 102, and ½, ① and ™ stay as they are.
var presentationForms = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0132, 0x0133, 1}, {0x01C4, 0x01CC, 1}, {0x01F1, 0x01F3, 1}, // Latin letters of two
		{0x2E80, 0x2FD5, 1}, // radicals that stand for the character
		{0x3000, 0x3000, 1}, // the wide space
		{0xF900, 0xFAD9, 1}, // ideographs that stand for another
		{0xFB00, 0xFB4F, 1}, // ligatures of Latin and Armenian, Hebrew letters with points
		{0xFB50, 0xFDF9, 1}, // Arabic letters by their place in the word; ﷺ and ﷻ are signs of their own
		{0xFDFC, 0xFDFC, 1},
		{0xFE30, 0xFE6B, 1},                      // signs for vertical lines, small signs
		{0xFE70, 0xFEFC, 1},                      // Arabic letters again
		{0xFF10, 0xFF19, 1},                      // wide digits
		{0xFF21, 0xFF3A, 1}, {0xFF41, 0xFF5A, 1}, // and letters
		{0xFF65, 0xFFDC, 1}, // narrow Katakana and Hangul
		{0xFFE0, 0xFFE2, 1}, {0xFFE4, 0xFFEE, 1},
	},
	R32: []unicode.Range32{{0x1D400, 0x1D7FF, 1}, {0x2F800, 0x2FA1D, 1}},
}

// standardForm returns the letters that r is a drawing of.
func standardForm(r rune) (string, bool) {
	if r < 0x2E80 && (r > 0x1F3 || r < 0x132) {
		return "", false
	}
	if 0x3001 <= r && r < 0xF900 { // most of what is written in the East
		return "", false
	}
	if !unicode.Is(presentationForms, r) {
		return "", false
	}
	drawn := string(r)
	usual := norm.NFKC.String(drawn)
	if r != 0x3000 {
		usual = strings.TrimSpace(usual) // of a vowel sign that stands alone
	}
	return usual, usual != drawn && usual != ""
}

// ToStandardForm writes a text in its usual letters: drawn forms of letters become those letters, and wide signs within
// numbers, codes and addresses become those of ASCII. Wide signs between words stay, for that is how Chinese and
// Japanese are written.
func ToStandardForm(text string) string {
	var b strings.Builder
	end := 0 // written to b
	before := rune(0)
	for i, r := range text {
		if r < utf8.RuneSelf {
			before = r
			continue
		}
		n := utf8.RuneLen(r)
		usual, ok := standardForm(r)
		if !ok {
			usual, ok = narrowSign(before, r, text[min(len(text), i+n):])
		}
		before = r
		if !ok || r == utf8.RuneError {
			continue
		}
		if end == 0 && i == 0 {
			b.Grow(len(text))
		}
		b.WriteString(text[end:i])
		b.WriteString(usual)
		end = i + n
		before, _ = utf8.DecodeLastRuneInString(usual)
	}
	if end == 0 {
		return text
	}
	b.WriteString(text[end:])
	return b.String()
}

// narrowSign returns the sign of ASCII for a wide one inside a number, a code or an address.
func narrowSign(before, r rune, rest string) (string, bool) {
	if r < 0xFF01 || r > 0xFF5E {
		return "", false
	}
	sign := r - 0xFEE0
	after, _ := utf8.DecodeRuneInString(rest)
	if usual, ok := standardForm(after); ok {
		after, _ = utf8.DecodeRuneInString(usual)
	}
	narrow := false
	switch sign {
	case '.', '-', '/', '@', '_', '+', '#', '=', '&', '~':
		narrow = isASCIIAlnum(before) && isASCIIAlnum(after)
	case ',', ':':
		narrow = isASCIIDigit(before) && isASCIIDigit(after)
	case '%':
		narrow = isASCIIDigit(before)
	}
	return string(sign), narrow
}

func isASCIIAlnum(r rune) bool {
	return isASCIIDigit(r) || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

func isASCIIDigit(r rune) bool { return '0' <= r && r <= '9' }
