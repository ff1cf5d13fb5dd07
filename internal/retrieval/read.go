package retrieval

import (
	"math/bits"
	"slices"

	"parley/internal/words"
)

// closeness is how a passage reads beside the question. All figures are 0 to 1: shares of the weight of its content words.
type closeness struct {
	cover   float64 // of the message's own words that stand in the passage
	all     float64 // with the words of earlier messages
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
	own    float64 // the weight, of a word of the message itself
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
	own      float64 // of those of the message itself
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
		if a.weight == 1 {
			s.own = s.weight
		}
		if a.known {
			r.stems |= bit(a.stem)
		}
		for _, k := range a.kin {
			r.stems |= bit(k.stem)
		}
		r.own += s.own
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

// like tells what the word has to do with the question.
func (r *reader) like(w uint32) likeness {
	switch seen := r.seen[w]; seen {
	case 0:
		return r.meet(w)
	case 1:
		return likeness{}
	default:
		return r.likes[seen-2]
	}
}

func (r *reader) meet(w uint32) likeness {
	l := r.compare(w)
	r.seen[w] = 1
	if l.strength > 0 && len(r.likes) < mostLikes {
		r.seen[w] = uint8(len(r.likes) + 2)
		r.likes = append(r.likes, l)
	}
	r.touched = append(r.touched, w)
	return l
}

func (r *reader) compare(w uint32) (best likeness) {
	stem := r.x.vocabulary.stems[w]
	if stem == none {
		return best
	}
	if r.stems&bit(stem) != 0 {
		if best = r.stands(stem); best.strength == 1 {
			return best
		}
	}
	v := &r.x.vocabulary.words[w]
	size := int(v.last - v.first)
	for _, o := range r.outlines {
		if float64(2*bits.OnesCount64(o.sketch&v.sketch)) >= tune.alike*float64(size+o.spelt) {
			if alike := r.alike(r.x.vocabulary.grams(w), o); alike > best.strength {
				best = likeness{subject: uint8(o.subject), strength: alike}
			}
		}
	}
	return best
}

// stands looks for the subject of the stem, or one that it may stand for.
func (r *reader) stands(stem uint32) (best likeness) {
	for i := range r.subjects {
		switch s := &r.subjects[i]; {
		case s.known && s.stem == stem:
			return likeness{subject: uint8(i), strength: 1}
		default:
			for _, k := range s.kin {
				if k.stem == stem && k.strength > best.strength {
					best = likeness{subject: uint8(i), strength: k.strength}
				}
			}
		}
	}
	return best
}

// alike is the share of common grams, where it is large enough to be no accident.
func (r *reader) alike(grams []uint32, o outline) float32 {
	common := 0
	for _, g := range grams {
		common += int(r.marks[g] >> o.subject & 1)
	}
	share := 2 * float32(common) / float32(len(grams)+o.spelt)
	if share < float32(tune.alike) {
		return 0
	}
	return share
}
