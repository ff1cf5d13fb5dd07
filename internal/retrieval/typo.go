package retrieval

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/words"
)

// A word that no passage has may be a slip of the pen. What is one slip away from it is tried letter by letter; what is
// two slips away is looked for among the long words of the passages.

// Words of fewer letters are not taken for misspelled, since too many are one letter apart; nor are those of more: what
// is one slip away from them grows with the square of their length, and a message may be one word of a megabyte.
const (
	minTypoRunes    = 4
	maxTypoRunes    = 24
	minTwoTypoRunes = 8 // of a word with two slips
)

// meantWord returns the word of the passages that a word which none has was meant to be: the nearest one, of these that
// which most passages have. Numbers, codes, addresses and abbreviations are what they are.
func (r *messageReader) meantWord(t words.Token) (word string, ok bool) {
	if r.isForeign || !isPlainWord(t.Word) || words.KindOf(t.Word) != 0 || r.lang.Synonyms(r.lang.Stem(t.Word)) != nil ||
		r.lang.IsSpokenWord(t.Word) || r.isAbbreviation(t) || r.isInAddress(t) {
		return "", false
	}
	letters := []rune(t.Word)
	switch n := len(letters); {
	case n > maxTypoRunes, n < minTypoRunes-1:
		return "", false
	case n < minTypoRunes:
		return r.meantShortWord(letters)
	}
	word, ok = r.closestWord(letters)
	if !ok && len(letters) >= minTwoTypoRunes && !isArabic(letters) {
		word, ok = r.closestLongWord(letters)
	}
	if !ok {
		word, ok = r.meantQuestionWord(letters)
	}
	return word, ok
}

// minDayRunes is how many letters a word has that stands for the name of a day or asks something, though no passage has
// it.
const minDayRunes = 6

// meantQuestionWord returns the name of a day, "wensday", or the word of a question, "cmbien", that is a slip away; a
// long name of a day may be two away. Passages need not have them: they may name the day by a range. The first letter
// and the last are right: "Montage" is no Monday.
func (r *messageReader) meantQuestionWord(letters []rune) (word string, found bool) {
	if len(letters) < minDayRunes || isArabic(letters) {
		return "", false
	}
	var row editRows
	for name := range r.lang.DayNames() {
		other := []rune(name)
		if haveSameEnds(letters, other) && (isOneSlip(letters, other) ||
			len(other) >= minTwoTypoRunes && row.isWithinTwo(letters, other)) {
			return name, true
		}
	}
	for name := range r.lang.AskingWords() {
		if other := []rune(name); len(other) >= minDayRunes && haveSameEnds(letters, other) && isOneSlip(letters, other) {
			return name, true
		}
	}
	return "", false
}

// haveSameEnds reports whether two words have the same first and the same last letter.
func haveSameEnds(a, b []rune) bool { return a[0] == b[0] && a[len(a)-1] == b[len(b)-1] }

// isOneSlip reports whether one word is the other with a letter too much, missing or wrong, or with two neighbours in
// the wrong order.
func isOneSlip(a, b []rune) bool {
	i, j := 0, 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for j < min(len(a), len(b))-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	x, y := a[i:len(a)-j], b[i:len(b)-j]
	return len(x) <= 1 && len(y) <= 1 || len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]
}

// isArabic reports whether letters are in Arabic script, in which a letter more, less or another one is a prefix, an
// ending or another form rather than a slip.
func isArabic(letters []rune) bool { return unicode.Is(unicode.Arabic, letters[0]) }

func isPlainWord(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

// isAbbreviation reports whether a word is in capitals in a message that is not.
func (r *messageReader) isAbbreviation(t words.Token) bool {
	return isUpper(r.text[t.Start:t.End]) && strings.ToUpper(r.text) != r.text
}

// isInAddress reports whether a word is a part of an address or a path.
func (r *messageReader) isInAddress(t words.Token) bool {
	before, _ := utf8.DecodeLastRuneInString(r.text[:t.Start])
	behind, n := utf8.DecodeRuneInString(r.text[t.End:])
	next, _ := utf8.DecodeRuneInString(r.text[t.End+n:])
	return strings.ContainsRune("@/_\\.", before) || strings.ContainsRune("@/_\\", behind) ||
		behind == '.' && unicode.IsLetter(next)
}

// meantShortWord reads three letters: two of a function word in the wrong order ("yuo"), or consonants that lack a
// vowel ("shp").
func (r *messageReader) meantShortWord(letters []rune) (best string, found bool) {
	if word, ok := r.meantFunctionWord(letters); ok {
		return word, true
	}
	if strings.ContainsAny(string(letters), "aeiouyäöü") || letters[0] > 'z' {
		return "", false
	}
	highest := 0
	for i := 1; i < len(letters); i++ {
		for _, vowel := range "aeiou" {
			word := string(slices.Insert(slices.Clone(letters), i, vowel))
			if n := r.docsWithWord(word); n > highest {
				best, highest = word, n
			}
		}
	}
	return best, highest > 0
}

// closestWord returns the word that most passages have among those one slip away. A function word is meant only where
// two neighbours are in the wrong order, since many words that no passage has are a letter away from one: "sale" is no
// misspelt "same".
func (r *messageReader) closestWord(letters []rune) (best string, found bool) {
	edits, highest := eachEdit, 0
	if isArabic(letters) {
		edits = eachInnerEdit
	}
	edits(letters, func(word string) {
		n := r.docsWithWord(word)
		if n > highest || n == highest && n > 0 && word < best {
			best, highest = word, n
		}
	})
	if highest > 0 {
		return best, true
	}
	return r.meantFunctionWord(letters)
}

// meantFunctionWord returns the function word, or another that people ask with, that the letters are with two
// neighbours in the wrong order: "yuo", "tiem".
func (r *messageReader) meantFunctionWord(letters []rune) (word string, found bool) {
	for i := 1; i < len(letters); i++ {
		moved := slices.Clone(letters)
		moved[i-1], moved[i] = moved[i], moved[i-1]
		if word := string(moved); r.lang.IsStopWord(word) || r.lang.IsAskingWord(word) {
			return word, true
		}
	}
	return "", false
}

// docsWithWord returns how many passages in the language of the message have the word; 0 for one without a meaning of
// its own.
func (r *messageReader) docsWithWord(word string) int {
	id, ok := r.vocabulary.ids.find(words.Hash(word) + uint64(r.lang))
	if !ok || r.vocabulary.stems[id] == noStem {
		return 0
	}
	return r.stems.docCount(r.vocabulary.stems[id])
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

// eachInnerEdit returns the words that have one of the letters in another place, or one more between two.
func eachInnerEdit(letters []rune, yield func(word string)) {
	alphabet := alphabetOf(letters)
	for i := range letters {
		eachMove(letters, i, yield)
		for _, r := range alphabet {
			if i > 0 {
				yield(string(slices.Insert(slices.Clone(letters), i, r)))
			}
		}
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
var alphabets = []string{"abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя",
	"ابتثجحخدذرزسشصضطظعغفقكلمنهويء", "αβγδεζηθικλμνξοπρστυφχψω"}

// alphabetOf returns the letters that may be among those of the word.
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

// longWords holds the long words of passages as they are spelled.
type longWords struct {
	text  []byte // one after another
	words []longWord
}

type longWord struct {
	letters  uint32 // a bit for some of them each
	end      uint32 // in text
	language words.Language
}

// minLongRunes is how many letters a word has at least that is two slips away from another.
const minLongRunes = minTwoTypoRunes - 2

// add adds a word if it is one.
func (l *longWords) add(word string, lang words.Language) {
	if len(word) < minLongRunes || len(word) > utf8.UTFMax*maxTypoRunes || !isPlainWord(word) || words.IsUnspaced(word) {
		return
	}
	l.text = append(l.text, word...)
	l.words = append(l.words, longWord{letterBits([]rune(word)), uint32(len(l.text)), lang}) //nolint:gosec // in memory
}

func letterBits(letters []rune) (set uint32) {
	for _, r := range letters {
		set |= 1 << (r % 32)
	}
	return set
}

// bytes returns how much memory they take.
func (l *longWords) bytes() int64 { return int64(cap(l.text)) + 12*int64(cap(l.words)) }

// closestLongWord returns the word that most passages have among those two slips away that begin with the same letter.
func (r *messageReader) closestLongWord(letters []rune) (best string, found bool) {
	l, highest := &r.longWords, 0
	typed, from := letterBits(letters), uint32(0)
	var row editRows
	for _, w := range l.words {
		word := l.text[from:w.end]
		from = w.end
		if w.language != r.lang || bits.OnesCount32(typed^w.letters) > 4 {
			continue
		}
		if first, _ := utf8.DecodeRune(word); first != letters[0] || !row.isWithinTwo(letters, []rune(string(word))) {
			continue
		}
		if n := r.docsWithWord(string(word)); n > highest || n == highest && n > 0 && string(word) < best {
			best, highest = string(word), n
		}
	}
	return best, highest > 0
}

// editRows are the rows of a table of distances.
type editRows [3][maxTypoRunes + 3]int

// isWithinTwo reports whether two words are two slips apart at most: a letter too much, missing or wrong, or two
// neighbours in the wrong order.
func (t *editRows) isWithinTwo(a, b []rune) bool {
	if len(b) > maxTypoRunes || max(len(a), len(b))-min(len(a), len(b)) > 2 {
		return false
	}
	before, last, row := &t[0], &t[1], &t[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j-1]+cost, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)] <= 2
}
