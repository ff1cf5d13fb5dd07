package words

import (
	"slices"
	"strings"
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

	"parley/internal/text/language"
)

// languageTables is what is known of the languages, by their order, in the form in which it is looked up.
type languageTables struct {
	tags               [LanguageCount]string
	stemmers           [LanguageCount]func(*snowballstem.Env) bool // nil if words have no endings
	unspaced           [LanguageCount]bool
	scripts            [LanguageCount][]*unicode.RangeTable
	sameScript         [LanguageCount][]Language // in their order; of another script Other alone
	customerWords      [LanguageCount]map[string]bool
	functionWords      functionWords
	functionCharacters string // of languages without spaces
	kinds              map[string]Kind
	spokenWords        map[string]uint32 // a bit for each language
}

// snowballStemmers are the algorithms that a language's file may name.
var snowballStemmers = map[string]func(*snowballstem.Env) bool{
	"arabic": arabic.Stem, "danish": danish.Stem, "dutch": dutch.Stem, "english": english.Stem, "finnish": finnish.Stem,
	"french": french.Stem, "german": german.Stem, "italian": italian.Stem, "norwegian": norwegian.Stem,
	"portuguese": portuguese.Stem, "russian": russian.Stem, "spanish": spanish.Stem, "swedish": swedish.Stem,
	"turkish": turkish.Stem,
}

var loadTables = sync.OnceValue(func() *languageTables {
	t := &languageTables{functionWords: functionWords{languagesOf: map[string]uint32{}}, kinds: map[string]Kind{},
		spokenWords: map[string]uint32{}}
	for i, l := range language.All() {
		t.tags[i], t.unspaced[i], t.stemmers[i] = l.Tag, l.Unspaced, stemmerOf(l)
		t.scripts[i] = scriptTables(l.Script)
		t.customerWords[i] = foldedSet(l.CustomerWords)
		t.addWordKinds(l)
		for w := range l.EveryWord() {
			t.spokenWords[Fold(w)] |= 1 << i
		}
		if l.Unspaced {
			t.functionCharacters += string(l.FunctionWords)
			continue
		}
		for w := range l.FunctionWords.All() {
			t.functionWords.languagesOf[Fold(w)] |= 1 << i
		}
	}
	t.functionWords.mark()
	t.groupByScript()
	return t
})

func stemmerOf(l *language.Language) func(*snowballstem.Env) bool {
	stem := snowballStemmers[l.Stemmer]
	if stem == nil && l.Stemmer != "" {
		panic("words: there is no stemmer " + l.Stemmer)
	}
	return stem
}

// scriptTables returns the letters of a script by its name in Unicode. Kana is the two that only Japanese has.
func scriptTables(script string) []*unicode.RangeTable {
	switch table := unicode.Scripts[script]; {
	case script == "Kana":
		return []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}
	case table != nil:
		return []*unicode.RangeTable{table}
	}
	panic("words: there is no script " + script)
}

func (t *languageTables) addWordKinds(l *language.Language) {
	for w := range l.Measures.NumberWords.All() {
		t.kinds[Fold(w)] |= Number
	}
	for w := range l.Measures.TimeWords.All() {
		t.kinds[Fold(w)] |= Time
	}
}

func (t *languageTables) groupByScript() {
	all := language.All()
	for i, l := range all {
		for j, other := range all {
			if other.Script == l.Script {
				t.sameScript[i] = append(t.sameScript[i], Language(j)) //nolint:gosec // there are few
			}
		}
	}
	t.sameScript[Other] = []Language{Other}
}

func (t *languageTables) isLatin(l Language) bool { return slices.Contains(t.sameScript[English], l) }

// languageOfLetter returns the first language that is written with the letter and not in Latin script.
func (t *languageTables) languageOfLetter(r rune) Language {
	for i, scripts := range t.scripts {
		if len(scripts) > 0 && scripts[0] != unicode.Latin && unicode.In(r, scripts...) {
			return Language(i) //nolint:gosec // there are few
		}
	}
	return Other
}

// IsStopWord reports whether the folded word carries no meaning of its own in the language.
func (l Language) IsStopWord(word string) bool {
	t := loadTables()
	if t.unspaced[l] {
		return t.isAllFunctionCharacters(word)
	}
	return t.functionWords.languagesOf[word]>>l&1 == 1
}

// IsSpokenWord reports whether the folded word is in a table of the language about how people speak: it is spelled
// right, whatever texts hold.
func (l Language) IsSpokenWord(word string) bool { return loadTables().spokenWords[word]>>l&1 == 1 }

// isAllFunctionCharacters looks at the characters: those of the list, and the Japanese ones that spell endings.
func (t *languageTables) isAllFunctionCharacters(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool {
		return (r < 0x3040 || r > 0x309F) && !strings.ContainsRune(t.functionCharacters, r)
	})
}

// functionWords are the folded words that carry no meaning of their own.
type functionWords struct {
	languagesOf map[string]uint32 // one bit each
	marks       [1 << 12]bool     // of all of them: most other words need not be looked up
}

func (f *functionWords) mark() {
	for word := range f.languagesOf {
		f.marks[functionWordMark(word)] = true
	}
}

func (f *functionWords) mayHold(word string) bool { return f.marks[functionWordMark(word)] }

// functionWordMark tells words apart by their length, and by their first letter and their last one.
func functionWordMark(word string) int {
	if word == "" {
		return 0
	}
	return (len(word)&15)<<8 ^ int(word[0]&31)<<3 ^ int(word[len(word)-1]&31)
}
