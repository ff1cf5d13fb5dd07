package retrieval

import (
	"slices"

	"parley/internal/words"
)

// closeness is how a passage reads beside the question. All figures are 0 to 1: shares of the weight of its content words.
type closeness struct {
	all     float64 // of the question's words, those of earlier messages with them, that stand in the passage
	stretch float64 // in its best two neighbouring sentences
	first   float64 // in its first sentence, the heading where there is one
	focus   float64 // share of the first sentence's content words that the question asks for
	asked   float64 // how far one of the questions that head it is the question: its words in that one, and that one's in it
	phrase  float64 // what the question's codes and quotations that stand in it as such are worth
	kind    float64 // the question's words near something of the kind that it asks for
	around  float64 // those that only the passage before has
}

// subject is a content word of the question that passages are read for.
type subject struct {
	stem   uint32
	kin    []kin
	known  bool
	weight float64
}

// outline is what other words are compared with for their spelling.
type outline struct {
	subject, spelt int
	sketch         uint64
}

// mostSubjects bounds how many words of a long message are read for: one bit each.
const mostSubjects = 64

// reader reads passages for a question. It remembers what each word it met has to do with it.
type reader struct {
	x        *Index
	subjects []subject
	whole    float64 // of all weights
	stems    uint64  // a bit for each stem of the subjects and of their kin
	wants    words.Kind
	phrases  []sought  // of the question
	ends     uint64    // a bit for each word that ends one
	names    []float64 // what codes and quotations are worth
	*notes
}

// notes are what a reader writes down; they are used again by later searches and clean in between.
type notes struct {
	marks    []uint64 // by gram: the subjects that have it, one bit each
	seen     []uint8  // by word: 0 is new, 1 has nothing to do with the question, others are 2 more than their place in likes
	likes    []likeness
	outlines []outline
	touched  []uint32 // words seen
	sequence []uint32 // of the passage being read
	spots    []spot   // in it
	kinds    []int    // places in it of what the question asks for
}

func (n *notes) clean(q question) {
	for _, a := range q.words {
		for _, g := range a.grams {
			n.marks[g] = 0
		}
	}
	for _, w := range n.touched {
		n.seen[w] = 0
	}
	n.likes, n.outlines, n.touched = n.likes[:0], n.outlines[:0], n.touched[:0]
}

// mostLikes is how many different words that have to do with a question are told apart.
const mostLikes = 253

// fit gives list at least n elements, the new ones zero.
func fit[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n, n+n/8)
	}
	return list[:n]
}

// likeness tells which subject a word stands for, and how surely.
type likeness struct {
	subject  uint8
	strength float32
}

func (x *Index) reader(q question, n *notes) *reader {
	n.marks, n.seen = fit(n.marks, x.grams.size()), fit(n.seen, len(x.vocabulary.words))
	r := &reader{x: x, notes: n, wants: q.wants, names: q.names}
	subjects := make([]int, len(q.words))
	for i, a := range q.words {
		if subjects[i] = r.subject(a); subjects[i] >= 0 || a.stop || len(r.subjects) == mostSubjects {
			continue
		}
		subjects[i] = len(r.subjects)
		for _, g := range a.grams {
			r.marks[g] |= 1 << len(r.subjects)
		}
		if !a.dense && words.KindOf(a.word)&words.Number == 0 { // two numbers are the same or not
			r.outlines = append(r.outlines, outline{len(r.subjects), a.spelt, sketch(a.grams)})
		}
		s := subject{stem: a.stem, kin: a.kin, known: a.known, weight: a.weight * a.rarity}
		if a.known {
			r.stems |= bit(a.stem)
		}
		for _, k := range a.kin {
			r.stems |= bit(k.stem)
		}
		r.whole += s.weight
		r.subjects = append(r.subjects, s)
	}
	r.seek(q.phrases, subjects)
	return r
}

// subject finds the subject that the word is already; -1 for none.
func (r *reader) subject(a asked) int {
	if a.stop || !a.known {
		return -1
	}
	return slices.IndexFunc(r.subjects, func(s subject) bool { return s.known && s.stem == a.stem })
}
