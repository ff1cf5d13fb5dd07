package retrieval

import "slices"

// The first stage finds the passages whose letters (grams) and words (stems) score highest by BM25, each of the two divided by
// its maximum. What is exact is the answer, not the way to it: lists are added up in small floats, rare terms first, until what
// is left cannot lift many documents among the best any more; those few are then scored anew from their own words.

// searchScratch is what a search works with; later ones use it again.
type searchScratch struct {
	grams, stems []float32       // scores by document, clean between searches
	candidates   []uint32        // documents that may be among the best
	scores       []gramStemScore // of these
	exactScorer  exactScorer
}

func (x *Index) takeScratch() *searchScratch {
	s, _ := x.scratch.Get().(*searchScratch)
	if s == nil {
		s = &searchScratch{}
	}
	s.grams, s.stems = resize(s.grams, roundUpToRange(len(x.docs))), resize(s.stems, roundUpToRange(len(x.docs)))
	return s
}

// takeReaderScratch returns clean notes for a reader; who is done with them puts them back into x.notes.
func (x *Index) takeReaderScratch() *readerScratch {
	n, _ := x.readerScratches.Get().(*readerScratch)
	if n == nil {
		n = &readerScratch{}
	}
	return n
}

// firstStage returns the documents whose terms are nearest to the question's, best first, and how much of the question's letters the
// best of them holds.
func (x *Index) firstStage(q question, most int) (places []scoredDoc, letters float64) {
	s := x.takeScratch()
	grams, stems := x.terms(&x.grams, q.grams), x.terms(&x.stems, q.stems)
	if len(x.docs) <= rangeSize && unitCount(grams)+unitCount(stems) <= maxFullScanUnits {
		x.scoreAll(s, grams, stems)
	} else {
		x.newFilter(s, grams, stems, most).run(unitsPerCheck * len(x.docs))
		s.scores = s.exactScorer.scoreDocs(x, s.candidates, grams, stems, s.scores)
		clear(s.grams)
		clear(s.stems)
	}
	places, letters = x.best(s.candidates, s.scores, most)
	x.scratch.Put(s)
	return places, letters / x.maxScore(q)
}

// maxFullScanUnits are added up in less time than a few dozen documents are scored from their words.
const maxFullScanUnits = 50_000

// scoreAll scores all documents, by adding up the lists: that is quickest in a small index.
func (x *Index) scoreAll(s *searchScratch, grams, stems []term) {
	s.candidates, s.scores = resize(s.candidates, len(x.docs)), resize(s.scores, len(x.docs))
	scores := s.scores
	clear(scores)
	for d := range s.candidates {
		s.candidates[d] = uint32(d)
	}
	perGram, perStem := x.normPerUnit(x.gramTotal), x.normPerUnit(x.stemTotal)
	for _, t := range grams {
		t.list.forEach(func(d uint32, times uint8) { scores[d].grams += t.score(times, perGram, x.lengths[d].grams) })
	}
	for _, t := range stems {
		t.list.forEach(func(d uint32, times uint8) { scores[d].stems += t.score(times, perStem, x.lengths[d].stems) })
	}
}

// best returns the documents with the best scores, in order, and the highest score by letters.
func (x *Index) best(docs []uint32, scores []gramStemScore, most int) (kept []scoredDoc, letters float64) {
	var words, least float64
	for _, score := range scores {
		letters, words = max(letters, score.grams), max(words, score.stems)
	}
	kept = make([]scoredDoc, 0, 2*most)
	for i, score := range scores {
		sum := score.combined(letters, words)
		if sum <= 0 || sum < least {
			continue
		}
		if kept = append(kept, scoredDoc{docs[i], sum}); len(kept) == 2*most {
			slices.SortFunc(kept, x.comparePlaces)
			kept = kept[:most]
			least = kept[most-1].score
		}
	}
	slices.SortFunc(kept, x.comparePlaces)
	return kept[:min(most, len(kept))], letters
}

// combined is the score by both, each divided by its maximum.
func (b gramStemScore) combined(grams, stems float64) (sum float64) {
	if b.grams > 0 {
		sum += defaultWeights.grams * b.grams / grams
	}
	if b.stems > 0 {
		sum += defaultWeights.stems * b.stems / stems
	}
	return sum
}
