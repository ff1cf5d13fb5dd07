package words

import (
	"slices"
	"sync"

	"parley/internal/text/language"
)

// Synonyms returns the stems of words that people use instead of this one when they ask for help; nil for most words.
// Words that merely belong together are no synonyms.
func (l Language) Synonyms(stem string) []string { return loadSynonyms()[l][stem] }

var loadSynonyms = sync.OnceValue(func() (all [LanguageCount]map[string][]string) {
	for i, l := range language.All() {
		all[i] = synonymsByStem(Language(i), l.Synonyms) //nolint:gosec // there are few
	}
	return all
})

func synonymsByStem(l Language, groups language.Groups) map[string][]string {
	synonyms := map[string][]string{}
	for list := range groups.All() {
		group := slices.Collect(list.All())
		for i := range group {
			group[i] = l.Stem(Fold(group[i]))
		}
		for _, a := range group {
			for _, b := range group {
				if a != b {
					synonyms[a] = append(synonyms[a], b)
				}
			}
		}
	}
	return synonyms
}
