package words

import (
	"math/bits"
	"slices"
	"unicode"
)

// Language is what a text is most likely written in. It only chooses endings to cut and words to pass over, so a wrong
// guess costs little.
type Language uint8

// The languages whose endings and function words are known.
const (
	English Language = iota
	German
	Spanish
	French
	Italian
	Portuguese
	Dutch
	Swedish
	Danish
	Norwegian
	Finnish
	Turkish
	Russian
	Arabic
	Chinese
	Japanese
	Other // of its own script: no endings are cut
	languageCount
)

// LanguageCount is how many languages there are.
const LanguageCount = int(languageCount)

// GuessLanguage returns the language of the tokens by script and function words; sure is false where it had nothing to
// go by.
func GuessLanguage(tokens []Token) (lang Language, sure bool) {
	if l, ok := guessByScript(tokens); ok {
		return l, true
	}
	var votes [languageCount]int
	for _, t := range tokens {
		for in := functionWordLanguages[t.Word]; in != 0; in &= in - 1 {
			votes[bits.TrailingZeros32(in)]++
		}
	}
	for l := range Russian {
		if votes[l] > votes[lang] {
			lang = l
		}
	}
	return lang, votes[lang] > 0
}

// guessByScript looks at the first letters of the tokens: another script than Latin decides.
func guessByScript(tokens []Token) (Language, bool) {
	var counts [languageCount]int // those of Latin letters count as English
	for _, t := range tokens[:min(len(tokens), 64)] {
		switch r, _ := decodeRune(t.Word, 0); {
		case r < 'a':
		case r < 0x250:
			counts[English]++
		case unicode.Is(unicode.Cyrillic, r):
			counts[Russian]++
		case unicode.Is(unicode.Arabic, r):
			counts[Arabic]++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			counts[Japanese]++
		case unicode.Is(unicode.Han, r):
			counts[Chinese]++
		default:
			counts[Other]++
		}
	}
	if counts[Japanese] > 0 { // they write with Chinese characters too
		counts[Japanese] += counts[Chinese]
		counts[Chinese] = 0
	}
	most := Language(slices.Index(counts[:], slices.Max(counts[:])))
	return most, most != English
}
