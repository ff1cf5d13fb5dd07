package words

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"parley/internal/text/language"
)

// NeedsContext reports whether a message cannot be understood alone: it points at what was said before ("does it cost
// more?"), goes on with it ("and on Sundays?") or names next to nothing ("why?").
func NeedsContext(message string) bool {
	q := padFolded(message)
	goesOn := slices.ContainsFunc(contextStarts(), func(start string) bool { return strings.HasPrefix(q, start) })
	if goesOn || containsAny(q, pointingPhrasesUnspaced()) {
		return true
	}
	tokens := AppendTokens(nil, message)
	lang, _ := GuessLanguage(tokens)
	names := 0
	for _, t := range tokens {
		if isPointingWord()[t.Word] {
			return true
		}
		if !lang.IsStopWord(t.Word) {
			names++
		}
	}
	return names < 2 || names < 3 && IsUnspaced(tokens[0].Word)
}

var (
	contextStarts = sync.OnceValue(func() (starts []string) {
		for _, l := range language.All() {
			for start := range l.Questions.FollowUpStarts.All() {
				if start = Fold(start); l.Unspaced {
					starts = append(starts, " "+start)
				} else {
					starts = append(starts, padPhrase(start, false))
				}
			}
		}
		return starts
	})
	pointingPhrasesUnspaced = UnspacedList(pointingWords)
	isPointingWord          = SpacedSet(pointingWords)
)

func pointingWords(l *language.Language) language.Words { return l.Questions.PointingWords }

// AsksHow reports whether the question is how to do something.
func AsksHow(question string) bool { return ContainsPhrase(question, howPhrases()) }

var (
	howPhrases    = Phrases(func(l *language.Language) language.Phrases { return l.Questions.How })
	numberPhrases = Phrases(func(l *language.Language) language.Phrases { return l.Questions.Number })
	timePhrases   = Phrases(func(l *language.Language) language.Phrases { return l.Questions.Time })
)

// ContainsPhrase reports whether one of the phrases, folded and with a space at either end where a word ends, is in
// the question.
func ContainsPhrase(question string, phrases []string) bool {
	return containsAny(padFolded(question), phrases)
}

func containsAny(text string, phrases []string) bool {
	var bytes, afterSpace byteSet // most phrases begin with none of them
	for i := range len(text) {
		bytes.add(text[i])
		if i > 0 && text[i-1] == ' ' {
			afterSpace.add(text[i])
		}
	}
	return slices.ContainsFunc(phrases, func(p string) bool {
		if len(p) > 1 && p[0] == ' ' {
			return afterSpace.contains(p[1]) && strings.Contains(text, p)
		}
		return (p == "" || bytes.contains(p[0])) && strings.Contains(text, p)
	})
}

type byteSet [4]uint64

func (s *byteSet) add(b byte) { s[b>>6] |= 1 << (b & 63) }

func (s *byteSet) contains(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

// IsPhrase reports whether the question is one of the phrases and nothing else.
func IsPhrase(question string, phrases []string) bool {
	text := strings.TrimSpace(padFolded(question))
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.TrimSpace(p) == text })
}

// padFolded folds the question and adds a space before its first word and after its last.
func padFolded(question string) string {
	return " " + strings.TrimRight(strings.TrimLeft(Fold(question), " ¿¡"), " ?!.…？！。") + " "
}

// Kind is a set of the sorts of things that a word may name, or that a question may ask for.
type Kind uint8

// The sorts that can be told by looking at a word.
const (
	Number Kind = 1 << iota // 12, 3.5, seven
	Time                    // 1999, March, Monday
)

// KindOf returns what sort of thing the folded word names; 0 if it does not show.
func KindOf(word string) Kind {
	if word == "" {
		return 0
	}
	if !isDigit(word[0]) {
		return loadTables().kinds[word]
	}
	if isYear(word) {
		return Number | Time
	}
	return Number
}

func isYear(word string) bool {
	return len(word) == 4 && word[0] <= '2' && word[0] != '0' && strings.Trim(word, "0123456789") == ""
}

// AsksFor returns what sort of thing the question asks for; 0 if it does not show.
func AsksFor(question string) (k Kind) {
	q := padFolded(question)
	if containsAny(q, numberPhrases()) {
		k |= Number
	}
	if containsAny(q, timePhrases()) {
		k |= Time
	}
	return k
}

// AskingWords yields the words of the phrases by which questions of the language ask for a number, a time, a place, a
// person or a price, folded.
func (l Language) AskingWords() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, w := range loadAskingWords()[l] {
			if !yield(w) {
				return
			}
		}
	}
}

// IsAskingWord reports whether a folded word is one of them.
func (l Language) IsAskingWord(word string) bool { return slices.Contains(loadAskingWords()[l], word) }

var loadAskingWords = sync.OnceValue(func() (all [LanguageCount][]string) {
	for i, l := range language.All() {
		q := &l.Questions
		for _, table := range []language.Phrases{q.Number, q.Time, q.When, q.HowMuch, q.Place, q.Person, q.Cost, q.Prices} {
			for phrase := range table.All() {
				for w := range strings.FieldsSeq(Fold(phrase)) {
					if !strings.Contains(w, "*") && !slices.Contains(all[i], w) {
						all[i] = append(all[i], w)
					}
				}
			}
		}
	}
	return all
})
