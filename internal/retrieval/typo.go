package retrieval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text/words"
)

// Words of fewer letters are not taken for misspelled, since too many are one letter apart; nor are those of more: what is one slip
// away from them grows with the square of their length, and a message may be one word of a megabyte.
const (
	minTypoRunes = 4
	maxTypoRunes = 24
)

// findTypos lets the words that passages have, and that are one slip of the pen away, stand for one that none has: a letter too
// much, missing, wrong or in another place. Words that are further off are told by the letters they share.
func (m *queryMessage) findTypos() {
	for i, t := range m.tokens {
		if a := &m.words[i]; a.isStop || t.Unspaced || m.isIndexed(i) || len(a.alternatives) > 0 || hasDigit(t.Word) {
			continue
		}
		if word, ok := m.closestWord(t.Word); ok {
			m.addAlternative(word, i, i+1, float32(defaultWeights.typo))
		}
	}
}

// closestWord returns the word that most passages have among those one slip away.
func (m *queryMessage) closestWord(typed string) (best string, found bool) {
	if n := utf8.RuneCountInString(typed); n < minTypoRunes || n > maxTypoRunes {
		return "", false
	}
	letters := []rune(typed)
	most := 0
	eachEdit(letters, func(word string) {
		n := m.docCount(word)
		if n > most || n == most && n > 0 && word < best {
			best, most = word, n
		}
	})
	return best, most > 0
}

// docCount tells how many passages have the word; 0 for one without a meaning of its own.
func (m *queryMessage) docCount(word string) int {
	id, ok := m.vocabulary.ids.find(words.Hash(word) + uint64(m.lang))
	if !ok || m.vocabulary.stems[id] == noStem {
		return 0
	}
	return m.stems.docCount(m.vocabulary.stems[id])
}

// eachEdit returns the words that are one slip away from the letters.
func eachEdit(letters []rune, yield func(word string)) {
	alphabet := alphabetOf(letters)
	edited := make([]rune, 0, len(letters)+1)
	for i := range len(letters) + 1 {
		before, rest := letters[:i], letters[i:]
		for _, r := range alphabet {
			yield(string(append(append(append(edited[:0], before...), r), rest...)))
			if len(rest) > 0 && r != rest[0] {
				yield(string(append(append(append(edited[:0], before...), r), rest[1:]...)))
			}
		}
		if len(rest) > 0 {
			yield(string(append(append(edited[:0], before...), rest[1:]...)))
		}
		eachMove(letters, i, yield)
	}
}

// eachMove returns the words that have letter i in another place.
func eachMove(letters []rune, i int, yield func(word string)) {
	if i == len(letters) {
		return
	}
	others := slices.Delete(slices.Clone(letters), i, i+1)
	for at := range letters {
		if word := slices.Insert(slices.Clone(others), at, letters[i]); !slices.Equal(word, letters) {
			yield(string(word))
		}
	}
}

// alphabets are the folded letters of scripts.
var alphabets = []string{"abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "ابتثجحخدذرزسشصضطظعغفقكلمنهويء", "αβγδεζηθικλμνξοπρστυφχψω"}

// alphabetOf returns the letters that may stand among those of the word.
func alphabetOf(letters []rune) []rune {
	for _, a := range alphabets {
		if strings.ContainsRune(a, letters[0]) {
			return []rune(a)
		}
	}
	own := slices.Clone(letters)
	slices.Sort(own)
	return slices.Compact(own)
}
