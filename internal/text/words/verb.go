package words

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/internal/text/language"
)

// minVerbBytes is how long a word is whose other forms are looked for.
const minVerbBytes = 5

// VerbForms returns the folded participles of a verb, or the infinitives of a participle, where the language puts
// something before its participles: "andern" has "geandert", "ausgeleert" has "ausleeren". Some of them are no words.
func (l Language) VerbForms(word string) (forms []string) {
	v := loadVerbRules()[l]
	if v.prefix == "" || len(word) < minVerbBytes {
		return nil
	}
	forms = v.infinitivesOf("", word, nil)
	forms = v.participlesOf("", word, forms)
	for _, separable := range v.separable {
		if rest, ok := strings.CutPrefix(word, separable); ok && len(rest) >= minVerbBytes-1 {
			forms = v.participlesOf(separable, rest, v.infinitivesOf(separable, rest, forms))
		}
	}
	return forms
}

// verbRules are how a language makes participles.
type verbRules struct {
	prefix    string
	separable []string // what may be before that
}

// The endings of infinitives and of participles where there is something before these.
var (
	infinitiveEndings = []string{"en", "n"}
	participleEndings = []string{"t", "en", "d"}
)

// participlesOf adds the participles of an infinitive.
func (v verbRules) participlesOf(separable, word string, forms []string) []string {
	stem, ok := strings.CutSuffix(word, "n")
	if !ok {
		return forms
	}
	stem = strings.TrimSuffix(stem, "e")
	for _, ending := range participleEndings {
		forms = append(forms, separable+v.prefix+stem+ending)
	}
	return forms
}

// infinitivesOf adds the infinitives of a participle.
func (v verbRules) infinitivesOf(separable, word string, forms []string) []string {
	rest, ok := strings.CutPrefix(word, v.prefix)
	if !ok {
		return forms
	}
	for _, ending := range participleEndings {
		if stem, ok := strings.CutSuffix(rest, ending); ok && len(stem) >= minVerbBytes-2 {
			for _, end := range infinitiveEndings {
				forms = append(forms, separable+stem+end)
			}
		}
	}
	return forms
}

var loadVerbRules = sync.OnceValue(func() (all [LanguageCount]verbRules) {
	for i, l := range language.All() {
		all[i].prefix = string(l.ParticiplePrefix)
		for w := range l.SeparablePrefixes.All() {
			all[i].separable = append(all[i].separable, Fold(w))
		}
		slices.Sort(all[i].separable)
	}
	return all
})

// minRootLetters is how many letters a root has, and what is left of a word where something is cut off.
const minRootLetters = 3

// Root returns the letters that a folded word shares with all of its family, in a language that makes words by other
// letters between these; empty in other languages, and for a word with too few of them.
func (l Language) Root(word string) string {
	if int(l) >= len(language.All()) {
		return ""
	}
	r := &language.All()[l].Roots
	if r.WeakLetters == "" || l.IsStopWord(word) {
		return ""
	}
	word = cutFirst(word, r.JoinedWords, strings.CutPrefix)
	word = cutFirst(word, r.Endings, strings.CutSuffix)
	word = cutFirst(word, r.Prefixes, strings.CutPrefix)
	root := strings.Map(func(c rune) rune {
		if strings.ContainsRune(string(r.WeakLetters), c) {
			return -1
		}
		return c
	}, word)
	if utf8.RuneCountInString(root) < minRootLetters {
		return ""
	}
	return root
}

// cutFirst cuts the first of the parts off a word that it has, and that leaves enough of it.
func cutFirst(word string, parts language.Words, cut func(word, part string) (string, bool)) string {
	for part := range parts.All() {
		if rest, ok := cut(word, part); ok && utf8.RuneCountInString(rest) >= minRootLetters {
			return rest
		}
	}
	return word
}
