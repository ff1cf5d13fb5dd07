package words

import (
	"math/bits"
	"slices"
	"sync"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
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

var stemmers = [languageCount]func(*snowballstem.Env) bool{
	English: english.Stem, German: german.Stem, Spanish: spanish.Stem, French: french.Stem, Italian: italian.Stem,
	Portuguese: portuguese.Stem, Dutch: dutch.Stem, Swedish: swedish.Stem, Danish: danish.Stem, Norwegian: norwegian.Stem,
	Finnish: finnish.Stem, Turkish: turkish.Stem, Russian: russian.Stem, Arabic: arabic.Stem,
}

// maxStemBytes is how many bytes a word has at most whose endings are cut off: no language has longer ones, and for
// some letters the stemmers take time with the square of the length.
const maxStemBytes = 128

// Stem cuts the endings off a folded word.
func (l Language) Stem(word string) string {
	stem := stemmers[l]
	if stem == nil || len(word) < 3 || len(word) > maxStemBytes || word[0] <= '9' {
		return word
	}
	env := stemmerPool.Get().(*snowballstem.Env)
	defer stemmerPool.Put(env)
	env.SetCurrent(word)
	stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return word
}

var stemmerPool = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}
