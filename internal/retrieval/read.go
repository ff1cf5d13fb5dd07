package retrieval

import (
	"slices"

	"parley/internal/text/words"
)

// closeness is how a passage reads beside the question. All figures are 0 to 1: shares of the weight of its content words.
type closeness struct {
	allWords      float64 // of the question's words, those of earlier messages with them, that stand in the passage
	bestSentences float64 // in its best two neighbouring sentences
	titleWords    float64 // in its first sentence, the heading where there is one
	focus         float64 // share of the first sentence's content words that the question asks for
	askedQuestion float64 // how far one of the questions that head it is the question: its words in that one, and that one's in it
	phrase        float64 // what the question's codes and quotations that stand in it as such are worth
	kind          float64 // the question's words near something of the kind that it asks for
	inPrevious    float64 // those that only the passage before has
}

// subject is a content word of the question that passages are read for.
type subject struct {
	stem         uint32
	alternatives []alternative
	isIndexed    bool
	weight       float64
}

// spelling is what other words are compared with for their spelling.
type spelling struct {
	subjectIndex, gramCount int
	sketch                  uint64
}

// maxSubjects bounds how many words of a long message are read for: one bit each.
const maxSubjects = 64

// reader reads passages for a question. It remembers what each word it met has to do with it.
type reader struct {
	x             *Index
	subjects      []subject
	totalWeight   float64 // of all weights
	stemBits      uint64  // a bit for each stem of the subjects and of their kin
	wantedKind    words.Kind
	phrases       []subjectPhrase // of the question
	phraseEndBits uint64          // a bit for each word that ends one
	nameWorths    []float64       // what codes and quotations are worth
	*readerScratch
}

// readerScratch are what a reader writes down; they are used again by later searches and clean in between.
type readerScratch struct {
	gramSubjects  []uint64 // by gram: the subjects that have it, one bit each
	wordStates    []uint8  // by word: 0 is new, 1 has nothing to do with the question, others are 2 more than their place in likes
	matches       []wordMatch
	outlines      []spelling
	touched       []uint32 // words seen
	sequence      []uint32 // of the passage being read
	spots         []spot   // in it
	kindPositions []int    // places in it of what the question asks for
}

func (n *readerScratch) reset(q question) {
	for _, a := range q.words {
		for _, g := range a.grams {
			n.gramSubjects[g] = 0
		}
	}
	for _, w := range n.touched {
		n.wordStates[w] = 0
	}
	n.matches, n.outlines, n.touched = n.matches[:0], n.outlines[:0], n.touched[:0]
}

// maxWordMatches is how many different words that have to do with a question are told apart.
const maxWordMatches = 253

// resize returns list at least n elements, the new ones zero.
func resize[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n, n+n/8)
	}
	return list[:n]
}

// wordMatch tells which subject a word stands for, and how surely.
type wordMatch struct {
	subject  uint8
	strength float32
}

func (x *Index) newReader(q question, n *readerScratch) *reader {
	n.gramSubjects, n.wordStates = resize(n.gramSubjects, x.grams.size()), resize(n.wordStates, len(x.vocabulary.words))
	r := &reader{x: x, readerScratch: n, wantedKind: q.wantedKind, nameWorths: q.nameWorths}
	subjects := make([]int, len(q.words))
	for i, a := range q.words {
		if subjects[i] = r.findSubject(a); subjects[i] >= 0 || a.isStop || len(r.subjects) == maxSubjects {
			continue
		}
		subjects[i] = len(r.subjects)
		for _, g := range a.grams {
			r.gramSubjects[g] |= 1 << len(r.subjects)
		}
		if !a.isDense && words.KindOf(a.word)&words.Number == 0 { // two numbers are the same or not
			r.outlines = append(r.outlines, spelling{len(r.subjects), a.gramCount, sketch(a.grams)})
		}
		s := subject{stem: a.stem, alternatives: a.alternatives, isIndexed: a.isIndexed, weight: a.weight * a.rarity}
		if a.isIndexed {
			r.stemBits |= stemBit(a.stem)
		}
		for _, k := range a.alternatives {
			r.stemBits |= stemBit(k.stem)
		}
		r.totalWeight += s.weight
		r.subjects = append(r.subjects, s)
	}
	r.preparePhrases(q.phrases, subjects)
	return r
}

// findSubject finds the subject that the word is already; -1 for none.
func (r *reader) findSubject(a queryWord) int {
	if a.isStop || !a.isIndexed {
		return -1
	}
	return slices.IndexFunc(r.subjects, func(s subject) bool { return s.isIndexed && s.stem == a.stem })
}
