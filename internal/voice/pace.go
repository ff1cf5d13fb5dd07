package voice

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long it takes to say things, in letters.
const (
	digitUnits       = 4 // "7" is "seven"
	signUnits        = 5 // "%" is "percent"
	clausePauseUnits = 4 // the pause at a comma
	stopPauseUnits   = 8 // the pause at the end of a sentence
	denseUnits       = 3 // a character that is a syllable or a word
)

// unspokenPattern is what of a text is not read out: where links lead to, and the way to and from the host in an address.
var unspokenPattern = regexp.MustCompile(`!?\[|\]\((?:[^()]|\([^()]*\))*\)|https?://(?:www\.)?|</?[a-zA-Z][^<>]*>`)

// urlPathPattern is what follows the host in an address.
var urlPathPattern = regexp.MustCompile(`(https?://[^\s<>"“”/)]+)(/[^\s<>"“”)]*[^\s<>"“”).,;:!?'])`)

// heardBytes is where the last word ends that was heard when a share of the speech of a text had been played: letters take their time,
// and so do digits, signs and pauses; what is not read out takes none.
func heardBytes(text string, share float64) int {
	if share >= 1 {
		return len(text)
	}
	silent := unspokenBytes(text)
	total := 0
	for i, r := range text {
		total += runeUnits(text, i, r, silent)
	}
	end, passed := 0, 0
	for i, r := range text {
		if unicode.IsSpace(r) && !silent[i] && float64(passed) <= share*float64(total) {
			end = i
		}
		passed += runeUnits(text, i, r, silent)
	}
	return end
}

// unspokenBytes marks the bytes of a text that are not read out.
func unspokenBytes(text string) []bool {
	silent := make([]bool, len(text))
	mark := func(span []int) {
		for i := span[0]; i < span[1]; i++ {
			silent[i] = true
		}
	}
	for _, span := range unspokenPattern.FindAllStringIndex(text, -1) {
		mark(span)
	}
	for _, span := range urlPathPattern.FindAllStringSubmatchIndex(text, -1) {
		mark(span[4:6])
	}
	return silent
}

// runeUnits is how long the character at a place takes.
func runeUnits(text string, at int, r rune, silent []bool) int {
	switch {
	case silent[at]:
		return 0
	case '0' <= r && r <= '9':
		return digitUnits
	case r == '\n':
		return clausePauseUnits
	case strings.ContainsRune(",;:–—", r):
		return pauseUnits(text, at, r, clausePauseUnits)
	case strings.ContainsRune(".!?…", r):
		return pauseUnits(text, at, r, stopPauseUnits)
	case strings.ContainsRune("。！？", r):
		return stopPauseUnits
	case r == '%' || unicode.Is(unicode.Sc, r):
		return signUnits
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return denseUnits
	case unicode.IsLetter(r), unicode.IsSpace(r):
		return 1
	}
	return 0
}

// pauseUnits is the pause at a mark; one within a number or a name is none.
func pauseUnits(text string, at int, r rune, pause int) int {
	next, size := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
	if size > 0 && !unicode.IsSpace(next) {
		return 1
	}
	return pause
}
