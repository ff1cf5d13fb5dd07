package words

import (
	"strings"
	"sync"

	"parley/internal/text/language"
)

// Lists of the languages' files, put together from all languages and folded. What is returned reads them when it is
// first called.

// Set returns the words of a table.
func Set(table func(*language.Language) language.Words) func() map[string]bool {
	return collectWords(table, func(*language.Language) bool { return true })
}

// SetOf returns the words of a table in the language that a tag names; those of all languages where that one has none.
func SetOf(table func(*language.Language) language.Words) func(tag string) map[string]bool {
	all := Set(table)
	load := sync.OnceValue(func() map[string]map[string]bool {
		sets := map[string]map[string]bool{}
		for _, l := range language.All() {
			sets[l.Tag] = foldedSet(table(l))
		}
		return sets
	})
	return func(tag string) map[string]bool {
		if set := load()[tag]; len(set) > 0 {
			return set
		}
		return all()
	}
}

// SpacedSet returns the words of a table in languages with spaces between words.
func SpacedSet(table func(*language.Language) language.Words) func() map[string]bool {
	return collectWords(table, func(l *language.Language) bool { return !l.Unspaced })
}

func collectWords(table func(*language.Language) language.Words,
	isWanted func(*language.Language) bool) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, l := range language.All() {
			if !isWanted(l) {
				continue
			}
			for w := range table(l).All() {
				set[Fold(w)] = true
			}
		}
		return set
	})
}

// UnspacedList returns the words of a table in languages without spaces, as they are written: they are looked for
// wherever they may be.
func UnspacedList(table func(*language.Language) language.Words) func() []string {
	return sync.OnceValue(func() (list []string) {
		for _, l := range language.All() {
			for w := range table(l).All() {
				if l.Unspaced {
					list = append(list, w)
				}
			}
		}
		return list
	})
}

// SpacedPhrases and UnspacedPhrases are the phrases of a table in languages with spaces between words and without.
func SpacedPhrases(table func(*language.Language) language.Phrases) func() []string {
	return collectPhrases(table, false)
}

// UnspacedPhrases are those without.
func UnspacedPhrases(table func(*language.Language) language.Phrases) func() []string {
	return collectPhrases(table, true)
}

func collectPhrases(table func(*language.Language) language.Phrases, isUnspaced bool) func() []string {
	return sync.OnceValue(func() (list []string) {
		for _, l := range language.All() {
			for p := range table(l).All() {
				if l.Unspaced == isUnspaced {
					list = append(list, Fold(p))
				}
			}
		}
		return list
	})
}

// Phrases returns the phrases of a table as ContainsPhrase looks for them.
func Phrases(table func(*language.Language) language.Phrases) func() []string {
	return sync.OnceValue(func() (list []string) {
		for _, l := range language.All() {
			for p := range table(l).All() {
				list = append(list, padPhrase(Fold(p), l.Unspaced))
			}
		}
		return list
	})
}

// padPhrase puts a space at either end where a word ends; an asterisk is where it goes on.
func padPhrase(phrase string, isUnspaced bool) string {
	if isUnspaced {
		return phrase
	}
	text, isOpenBefore := strings.CutPrefix(phrase, "*")
	text, isOpenBehind := strings.CutSuffix(text, "*")
	if !isOpenBefore {
		text = " " + text
	}
	if !isOpenBehind {
		text += " "
	}
	return text
}

func foldedSet(list language.Words) map[string]bool {
	set := map[string]bool{}
	for w := range list.All() {
		set[Fold(w)] = true
	}
	return set
}
