package words

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"

	"parley/internal/text/language"
)

// Language is what a text is most likely written in, by the order of the languages' files. It only chooses endings to
// cut and words to pass over, so a wrong guess costs little.
type Language uint8

// The languages that rules speak of. A language without a rule of its own needs no name here.
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
	Other Language = LanguageCount - 1 // of another script: no endings are cut
)

// LanguageCount is how many languages there may be: a set of them is 32 bits.
const LanguageCount = 32

// GuessLanguage returns the language of the tokens by script and function words; sure is false if it had nothing to
// go by.
func GuessLanguage(tokens []Token) (lang Language, isSure bool) {
	ofScript, isForeign := guessByScript(tokens)
	if len(ofScript) == 1 {
		return ofScript[0], true
	}
	var votes languageCounts
	functionWords := loadTables().functionWords
	for _, t := range tokens {
		if functionWords.mayHold(t.Word) {
			votes.countVotes(functionWords.languagesOf[t.Word])
		}
	}
	lang, isSure = votes.mostVotes(ofScript)
	return lang, isSure || isForeign
}

// languageCounts counts something for each language.
type languageCounts [LanguageCount]int

// countVotes adds a vote for each of the languages, one bit each.
func (c *languageCounts) countVotes(languages uint32) {
	for ; languages != 0; languages &= languages - 1 {
		c[bits.TrailingZeros32(languages)]++
	}
}

// mostVotes returns the one of the languages that most function words are of.
func (c *languageCounts) mostVotes(candidates []Language) (lang Language, isSure bool) {
	lang = candidates[0]
	for _, l := range candidates {
		if c[l] > c[lang] {
			lang = l
		}
	}
	return lang, c[lang] > 0
}

// scriptTokens is how many tokens of a text show its script.
const scriptTokens = 64

// guessByScript looks at the first letters of the tokens. It returns the languages of the script that most of them are
// of, and whether that is another than Latin.
func guessByScript(tokens []Token) (candidates []Language, isForeign bool) {
	var counts languageCounts
	for _, t := range tokens[:min(len(tokens), scriptTokens)] {
		r, _ := decodeRune(t.Word, 0)
		counts.countScript(r)
	}
	return counts.languagesOfScript()
}

// countScript counts a word by its first letter, for the first language of its script; those of Latin letters count as
// English.
func (c *languageCounts) countScript(first rune) {
	switch {
	case first < 'a':
	case first < 0x250:
		c[English]++
	default:
		c[loadTables().languageOfLetter(first)]++
	}
}

// languagesOfScript returns the languages by the words counted, and whether they are of another script than Latin.
func (c *languageCounts) languagesOfScript() (candidates []Language, isForeign bool) {
	if c[Japanese] > 0 { // they write with Chinese characters too
		c[Japanese] += c[Chinese]
		c[Chinese] = 0
	}
	mostFrequent := Language(slices.Index(c[:], slices.Max(c[:])))
	return loadTables().sameScript[mostFrequent], mostFrequent != English
}

// HasCapitalNouns reports whether all nouns of the language are written with a capital: then it is no sign of a name.
func (l Language) HasCapitalNouns() bool {
	return int(l) < len(language.All()) && language.All()[l].CapitalNouns
}

// Tag returns the language as a tag such as en; empty for Other.
func (l Language) Tag() string { return loadTables().tags[l] }

// maxStemBytes is how many bytes a word has at most whose endings are cut off: no language has longer ones, and for
// some letters the stemmers take time with the square of the length.
const maxStemBytes = 128

// Stem cuts the endings off a folded word.
func (l Language) Stem(word string) string {
	stem := loadTables().stemmers[l]
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

// EmailPattern finds e-mail addresses.
var EmailPattern = regexp.MustCompile(`[\p{L}\p{N}._%+'-]*[\p{L}\p{N}_%+-]@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}`)

// BlankEmails replaces e-mail addresses by spaces: their words and digits say nothing about the text.
func BlankEmails(text string) string {
	return EmailPattern.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}

// LikelyLanguages returns the languages that the text shows equally well, none where it shows none. Stop words decide
// first; where they are common to several languages, or missing, words that customers use do.
func LikelyLanguages(text string) []Language {
	tokens := AppendTokens(nil, BlankEmails(text))
	guessed, isSure := GuessLanguage(tokens)
	t := loadTables()
	if !t.isLatin(guessed) {
		return []Language{guessed}
	}
	latin := t.sameScript[English]
	likely := latin
	if isSure {
		likely = mostMatching(tokens, latin, Language.IsStopWord)
	}
	isHint := func(l Language, word string) bool { return t.customerWords[l][word] }
	if byHint := mostMatching(tokens, likely, isHint); byHint != nil || !isSure {
		return byHint
	}
	return likely
}

// mostMatching returns those of the languages to which the most of the tokens belong, nil if none belongs to any.
func mostMatching(tokens []Token, candidates []Language,
	belongs func(l Language, word string) bool) (matching []Language) {
	highest := 1
	for _, l := range candidates {
		n := 0
		for _, t := range tokens {
			if belongs(l, t.Word) {
				n++
			}
		}
		if n > highest {
			matching, highest = nil, n
		}
		if n == highest {
			matching = append(matching, l)
		}
	}
	return matching
}

// LikeliestLanguage returns the likeliest language of the text, English where it shows none.
func LikeliestLanguage(text string) Language {
	return append(LikelyLanguages(text), English)[0]
}

// NewSet returns the words of a text as a set.
func NewSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// InvertLists returns for each word of the lists, which are separated by spaces, the key of its list.
func InvertLists[K comparable](lists map[K]string) map[string]K {
	keys := map[string]K{}
	for key, list := range lists {
		for w := range strings.FieldsSeq(list) {
			keys[w] = key
		}
	}
	return keys
}
