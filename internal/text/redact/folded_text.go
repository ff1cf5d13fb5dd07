package redact

import (
	"slices"
	"strings"
	"unicode"
)

// foldedText is a text folded for the search: lower case, digits and signs of all scripts as those of ASCII, spaces as
// spaces, what a link writes with percent signs as what it stands for, invisible characters left out. Indexes below
// count its characters.
type foldedText struct {
	text    string
	chars   []rune
	offsets []int // where each begins in the text, and where the text ends

	cachedCue      numberCue // the cue that was read last
	cachedCueIndex int       // and for which index; -1 for none
}

// maskChar stands for what is masked. No kind of data goes across it.
const maskChar = -1

func newFoldedText(text string) *foldedText {
	r := &foldedText{text: text, chars: make([]rune, 0, len(text)), offsets: make([]int, 0, len(text)+1),
		cachedCueIndex: -1}
	for i := 0; i < len(text); {
		c, size := decodeChar(text[i:])
		if c = foldChar(c); c != 0 {
			r.chars, r.offsets = append(r.chars, c), append(r.offsets, i)
		}
		i += size
	}
	r.offsets = append(r.offsets, len(text))
	r.maskOutEarlierMasks()
	return r
}

func (f *foldedText) maskOut(s span) {
	for i := s.Start; i < s.End; i++ {
		f.chars[i] = maskChar
	}
	f.cachedCueIndex = -1
}

// maskOutEarlierMasks finds the masks of an earlier redaction.
func (f *foldedText) maskOutEarlierMasks() {
	for i, c := range f.chars {
		for _, mask := range maskTexts {
			if c == '[' && i+len(mask) <= len(f.chars) && slices.Equal(f.chars[i:i+len(mask)], mask) {
				f.maskOut(span{i, i + len(mask)})
			}
		}
	}
}

var maskTexts = [][]rune{[]rune("[email]"), []rune("[phone]"), []rune("[card]"), []rune("[id]")}

// foldChar returns 0 for what is invisible.
func foldChar(c rune) rune {
	switch {
	case c < 0x80:
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		if c == '\t' {
			return ' '
		}
		return max(c, 1)
	case c == 0xAD, 0x200B <= c && c <= 0x200F, c == 0x2060, c == 0xFEFF, 0x202A <= c && c <= 0x202E, 0x2066 <= c &&
		c <= 0x2069, 0xFE00 <= c && c <= 0xFE0F,
		0x300 <= c && c <= 0x36F: // and accents of their own
		return 0
	case c == 0x2028, c == 0x2029, c == 0x85:
		return '\n'
	case 0xFF01 <= c && c <= 0xFF5E:
		return foldChar(c - 0xFEE0)
	case unicode.IsSpace(c):
		return ' '
	case 0x2010 <= c && c <= 0x2015, c == 0x2212, c == 0xFE63:
		return '-'
	case c == '﹫':
		return '@'
	case c == '．' || c == '․':
		return '.'
	}
	if d, ok := decimalValue(c); ok {
		return '0' + d
	}
	c = unicode.ToLower(c)
	if i := strings.IndexRune(accentedLetters, c); i >= 0 {
		return rune(unaccentedLetters[len([]rune(accentedLetters[:i]))])
	}
	return c
}

// The accents of the languages that the cues below are written in.
const (
	accentedLetters   = "áàâäãåçéèêëíìîïñóòôöõúùûü"
	unaccentedLetters = "aaaaaaceeeeiiiinooooouuuu"
)

func isDecimal(c rune) bool {
	_, ok := decimalValue(c)
	return ok
}

// decimalValue returns the value of a digit of any script: each has its ten in a row.
func decimalValue(c rune) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case c < 0x660 || !unicode.IsDigit(c):
		return 0, false
	}
	for _, b := range unicode.Nd.R16 {
		if rune(b.Lo) <= c && c <= rune(b.Hi) {
			return (c - rune(b.Lo)) % 10, true
		}
	}
	for _, b := range unicode.Nd.R32 {
		if rune(b.Lo) <= c && c <= rune(b.Hi) {
			return (c - rune(b.Lo)) % 10, true
		}
	}
	return 0, false
}

func isASCIIDigit(c rune) bool  { return '0' <= c && c <= '9' }
func isLatinLetter(c rune) bool { return 'a' <= c && c <= 'z' }

// isWordLetter reports whether a letter makes a number beside it part of a word. Scripts without spaces between words
// do not.
func isWordLetter(c rune) bool {
	switch {
	case isLatinLetter(c) || c == '_':
		return true
	case c < 0x80:
		return false
	}
	return unicode.IsLetter(c) && !unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// charAt returns 0 outside the text.
func (f *foldedText) charAt(i int) rune {
	if i < 0 || i >= len(f.chars) {
		return 0
	}
	return f.chars[i]
}
