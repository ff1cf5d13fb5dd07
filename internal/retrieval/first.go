package retrieval

import "slices"

// The first stage finds the passages whose letters (grams) and words (stems) score highest by BM25, each of the two divided by
// its maximum. What is exact is the answer, not the way to it: lists are added up in small floats, rare terms first, until what
// is left cannot lift many documents among the best any more; those few are then scored anew from their own words.

// sums is what a search works with; later ones use it again.
type sums struct {
	grams, stems []float32 // scores by document, clean between searches
	open         []uint32  // documents that may be among the best
	scores       []both    // of these
	exact        exact
}

func (x *Index) borrow() *sums {
	s, _ := x.scratch.Get().(*sums)
	if s == nil {
		s = &sums{}
	}
	s.grams, s.stems = fit(s.grams, whole(len(x.docs))), fit(s.stems, whole(len(x.docs)))
	return s
}

// takeNotes gives clean notes for a reader; who is done with them puts them back into x.notes.
func (x *Index) takeNotes() *notes {
	n, _ := x.notes.Get().(*notes)
	if n == nil {
		n = &notes{}
	}
	return n
}

// first gives the documents whose terms are nearest to the question's, best first, and how much of the question's letters the
// best of them holds.
func (x *Index) first(q question, most int) (places []place, letters float64) {
	s := x.borrow()
	grams, stems := x.terms(&x.grams, q.grams), x.terms(&x.stems, q.stems)
	if len(x.docs) <= rangeSize && units(grams)+units(stems) <= outrightUnits {
		x.outright(s, grams, stems)
	} else {
		x.sift(s, grams, stems, most).run(unitsPerLook * len(x.docs))
		s.scores = s.exact.all(x, s.open, grams, stems, s.scores)
		clear(s.grams)
		clear(s.stems)
	}
	places, letters = x.best(s.open, s.scores, most)
	x.scratch.Put(s)
	return places, letters / x.most(q)
}

// outrightUnits are added up in less time than a few dozen documents are scored from their words.
const outrightUnits = 50_000

// outright scores all documents, by adding up the lists: that is quickest in a small index.
func (x *Index) outright(s *sums, grams, stems []term) {
	s.open, s.scores = fit(s.open, len(x.docs)), fit(s.scores, len(x.docs))
	scores := s.scores
	clear(scores)
	for d := range s.open {
		s.open[d] = uint32(d)
	}
	perGram, perStem := x.perUnit(x.gramTotal), x.perUnit(x.stemTotal)
	for _, t := range grams {
		t.list.each(func(d uint32, times uint8) { scores[d].grams += t.worth(times, perGram, x.lengths[d].grams) })
	}
	for _, t := range stems {
		t.list.each(func(d uint32, times uint8) { scores[d].stems += t.worth(times, perStem, x.lengths[d].stems) })
	}
}

// best gives the documents with the best scores, in order, and the highest score by letters.
func (x *Index) best(docs []uint32, scores []both, most int) (kept []place, letters float64) {
	var words, least float64
	for _, score := range scores {
		letters, words = max(letters, score.grams), max(words, score.stems)
	}
	kept = make([]place, 0, 2*most)
	for i, score := range scores {
		sum := score.fused(letters, words)
		if sum <= 0 || sum < least {
			continue
		}
		if kept = append(kept, place{docs[i], sum}); len(kept) == 2*most {
			slices.SortFunc(kept, x.before)
			kept = kept[:most]
			least = kept[most-1].score
		}
	}
	slices.SortFunc(kept, x.before)
	return kept[:min(most, len(kept))], letters
}

// fused is the score by both, each divided by its maximum.
func (b both) fused(grams, stems float64) (sum float64) {
	if b.grams > 0 {
		sum += tune.grams * b.grams / grams
	}
	if b.stems > 0 {
		sum += tune.stems * b.stems / stems
	}
	return sum
}
