package words

import (
	"slices"
	"strings"
	"sync"

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
