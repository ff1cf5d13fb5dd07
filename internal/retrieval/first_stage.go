package retrieval

import (
	"cmp"
	"slices"
)

// The first stage finds the passages whose letters (grams) and words (stems) score highest by BM25, each of the two
// divided by its maximum. What is exact is the answer, not the way to it: lists are added up in small floats, rare
// terms first, until what is left cannot lift many documents among the best any more; those few are then scored
// again from their own words.

// searchScratch holds the buffers of a search, which later searches use again.
type searchScratch struct {
	question             question
	grams, stems         []float32       // scores by document, clean between searches
	gramTerms, stemTerms []term          // of the question
	candidates           []uint32        // documents that may be among the best, ascending
	scores               []gramStemScore // of these
	stemsWeight          float64         // of the scores by stems beside those by grams
	top                  []scoredDoc
	best                 []candidate
	exactScorer          exactScorer
	near                 nearScratch
	reader               readerScratch
}

func (x *Index) takeScratch() *searchScratch {
	s, _ := x.scratch.Get().(*searchScratch)
	if s == nil {
		s = &searchScratch{}
	}
	return s
}

// score returns the scores of a document, by grams and by stems.
func (s *searchScratch) score(x *Index, doc uint32) gramStemScore {
	if int(doc) < len(s.candidates) && s.candidates[doc] == doc {
		return s.scores[doc]
	}
	if i, ok := slices.BinarySearch(s.candidates, doc); ok {
		return s.scores[i]
	}
	return s.exactScorer.scoreDocs(x, []uint32{doc}, s.gramTerms, s.stemTerms, nil)[0] // found by its vector alone
}

// firstStage returns the documents whose terms are nearest to the question's, in no order, and how much of the
// question's letters the best of them holds.
func (x *Index) firstStage(s *searchScratch, q *question, limit int) (places []scoredDoc, letters float64) {
	grams, stems := x.terms(&x.grams, q.grams, s.gramTerms), x.terms(&x.stems, q.stems, s.stemTerms)
	stems = x.addGroups(stems, q.groups)
	s.gramTerms, s.stemTerms, s.stemsWeight = grams, stems, q.stemsWeight
	if len(x.docs) <= rangeSize && unitCount(grams)+unitCount(stems) <= maxFullScanUnits {
		x.scoreAll(s, grams, stems)
	} else {
		s.grams, s.stems = resize(s.grams, roundUpToRange(len(x.docs))), resize(s.stems, roundUpToRange(len(x.docs)))
		x.newFilter(s, grams, stems, limit).run(unitsPerCheck * len(x.docs))
		s.scores = s.exactScorer.scoreDocs(x, s.candidates, grams, stems, s.scores)
		clear(s.grams)
		clear(s.stems)
	}
	s.top, letters = x.best(s.candidates, s.scores, s.stemsWeight, limit, s.top)
	places = s.top
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
	parts := x.exactLengthParts()
	for _, t := range grams {
		t.addGramScores(scores, parts.grams)
	}
	for i, t := range stems {
		t.addStemScores(scores, parts.stems, stemSlot(i))
	}
}

// addGramScores adds the term's scores to documents of the first range, each rounded as in term.score.
func (t term) addGramScores(scores []gramStemScore, parts []float64) {
	base := defaultWeights.k1 * (1 - defaultWeights.b)
	units := t.list.units
	for i := 0; i < len(units); i++ {
		doc, times := units[i]>>timesBits, units[i]&timesMask
		if times == timesOverflow {
			i++
			times = units[i]
		}
		tf := float64(times)
		scores[doc].grams += float64(t.weight * tf / (tf + base + parts[doc]))
	}
}

// addStemScores does so for a stem, and notes that the documents hold it.
func (t term) addStemScores(scores []gramStemScore, parts []float64, slot uint64) {
	base := defaultWeights.k1 * (1 - defaultWeights.b)
	units := t.list.units
	for i := 0; i < len(units); i++ {
		doc, times := units[i]>>timesBits, units[i]&timesMask
		if times == timesOverflow {
			i++
			times = units[i]
		}
		tf := float64(times)
		s := &scores[doc]
		s.stems += float64(t.weight * tf / (tf + base + parts[doc]))
		s.stemSlots |= slot
	}
}

// best returns the documents with the best scores, in no order, and the highest score by letters.
// It uses into.
func (x *Index) best(docs []uint32, scores []gramStemScore, stemsWeight float64, limit int,
	into []scoredDoc) (top []scoredDoc, letters float64) {
	var words float64
	for _, score := range scores {
		letters, words = max(letters, score.grams), max(words, score.stems)
	}
	top = into[:0]
	perGram, perStem := defaultWeights.grams/max(letters, minDivisor), stemsWeight/max(words, minDivisor)
	for i := range scores {
		if len(top) == limit && (scores[i].grams*perGram+scores[i].stems*perStem)*roundingSlack < top[0].score {
			continue // most are out by a product, which takes less time than a quotient
		}
		place := scoredDoc{docs[i], scores[i].combined(letters, words, stemsWeight)}
		switch {
		case place.score <= 0:
		case len(top) < limit:
			top = append(top, place)
			x.raiseLast(top)
		case place.score >= top[0].score && x.isWorse(&top[0], &place):
			top[0] = place
			x.lowerFirst(top)
		}
	}
	return top, letters
}

const (
	minDivisor    = 1e-300
	roundingSlack = 1 + 1e-9
)

// isWorse reports whether a comes after b in order.
func (x *Index) isWorse(a, b *scoredDoc) bool {
	return a.score < b.score || a.score == b.score && x.comparePlaces(*a, *b) > 0
}

// raiseLast puts the last of a heap, whose first is the worst, in its place.
func (x *Index) raiseLast(heap []scoredDoc) {
	for at := len(heap) - 1; at > 0; {
		above := (at - 1) / 2
		if !x.isWorse(&heap[at], &heap[above]) {
			return
		}
		heap[at], heap[above] = heap[above], heap[at]
		at = above
	}
}

// lowerFirst puts the first of a heap in its place.
func (x *Index) lowerFirst(heap []scoredDoc) {
	for at := 0; ; {
		below := 2*at + 1
		if below >= len(heap) {
			return
		}
		if below+1 < len(heap) && x.isWorse(&heap[below+1], &heap[below]) {
			below++
		}
		if !x.isWorse(&heap[below], &heap[at]) {
			return
		}
		heap[at], heap[below] = heap[below], heap[at]
		at = below
	}
}

// combined returns the score by both, each divided by its maximum.
func (b gramStemScore) combined(grams, stems, stemsWeight float64) (sum float64) {
	if b.grams > 0 {
		sum += defaultWeights.grams * b.grams / grams
	}
	if b.stems > 0 {
		sum += stemsWeight * b.stems / stems
	}
	return sum
}

// candidateFilter narrows down which documents may be among the best.
type candidateFilter struct {
	*searchScratch
	norms          *norms
	limit          int                 // documents wanted
	terms          []term              // of grams, not yet added; the strongest first
	remaining      [normLevels]float64 // at most what they can add, by the level of a document's norm
	remainingUnits int                 // units in their lists
	tolerance      float32             // 1, and what sums of small floats may be wrong by
}

// Rough costs, of adding a unit of a list and of scoring a document exactly, decide when to go over from one to the
// other.
const (
	unitsPerScoring = 2500
	minOpenLimit    = 128
	unitsPerCheck   = 4 // and document
)

// newFilter returns a filter that leaves in s.candidates the documents that may be among the best, or may have the
// highest score of either kind.
func (x *Index) newFilter(s *searchScratch, grams, stems []term, limit int) *candidateFilter {
	v := &candidateFilter{searchScratch: s, norms: x.lengthNorms(), limit: limit, terms: slices.Clone(grams)}
	v.tolerance = 1 + float32(len(grams)+len(stems)+16)/(1<<22)
	for _, t := range stems {
		t.list.addScores(s.stems, v.norms.stems, float32(t.weight))
	}
	slices.SortStableFunc(v.terms, func(a, b term) int { return cmp.Compare(b.upperBound(1), a.upperBound(1)) })
	for _, t := range v.terms {
		v.remainingUnits += len(t.list.units)
		for l := range v.remaining {
			v.remaining[l] += t.upperBound(float64(l) * normPerLevel)
		}
	}
	return v
}

// upperBound returns the most that the term can be worth to a document of that norm.
func (t term) upperBound(norm float64) float64 {
	times := float64(t.list.maxTimes)
	return t.weight * times / (times + norm)
}

// run adds lists, and checks after every step units how many candidates are left.
func (v *candidateFilter) run(step int) {
	done := 0
	for len(v.terms) > 0 {
		done += v.addNextList()
		if done >= step && v.remainingUnits >= step {
			if done = 0; v.collectCandidates(max(minOpenLimit, v.remainingUnits/unitsPerScoring)) {
				return
			}
		}
	}
	v.collectCandidates(len(v.grams))
}

// addNextList adds the next list.
func (v *candidateFilter) addNextList() (units int) {
	t := v.terms[0]
	v.terms = v.terms[1:]
	t.list.addScores(v.grams, v.norms.grams, float32(t.weight))
	for l := range v.remaining {
		v.remaining[l] = max(0, v.remaining[l]-t.upperBound(float64(l)*normPerLevel))
	}
	v.remainingUnits -= len(t.list.units)
	return len(t.list.units)
}

// collectCandidates collects the candidates and reports whether there are no more of them than the limit.
//
// Scores are compared as grams + c × stems. What c will be depends on the highest score by grams, of which only bounds
// are known yet. A document is out when as many as are wanted are better at both ends: then they are better in between.
func (v *candidateFilter) collectCandidates(limit int) bool {
	rest := v.remainingBounds()
	low, high, stems := v.maxScores(&rest)
	ends := [2]float32{v.stemWeight(low, stems), v.stemWeight(high, stems)}
	worst := v.threshold(ends)
	low, stems = low/v.tolerance, stems/v.tolerance
	v.candidates = v.candidates[:0]
	grams, words := v.grams[:len(v.norms.levels)], v.stems[:len(v.norms.levels)]
	for d, level := range v.norms.levels {
		g, s := grams[d]+rest[level%normLevels], words[d]
		if g+ends[0]*s >= worst[0] || g+ends[1]*s >= worst[1] || g >= low || s >= stems && s > 0 {
			if g+s == 0 {
				continue
			}
			if len(v.candidates) == limit {
				return false
			}
			v.candidates = append(v.candidates, uint32(d))
		}
	}
	return true
}

func (v *candidateFilter) remainingBounds() (rest [normLevels]float32) {
	if len(v.terms) > 0 {
		for l := range rest {
			rest[l] = float32(v.remaining[l]) * v.tolerance
		}
	}
	return rest
}

// maxScores returns bounds of the highest score by grams, and that by stems.
func (v *candidateFilter) maxScores(rest *[normLevels]float32) (low, high, stems float32) {
	grams, words := v.grams[:len(v.norms.levels)], v.stems[:len(v.norms.levels)]
	for d, level := range v.norms.levels {
		g := grams[d]
		if g > low {
			low = g
		}
		if g += rest[level%normLevels]; g > high {
			high = g
		}
		if words[d] > stems {
			stems = words[d]
		}
	}
	return low, high, stems
}

// stemWeight returns the weight of stems beside grams when these are the highest scores.
func (v *candidateFilter) stemWeight(grams, stems float32) float32 {
	if stems == 0 {
		return 0
	}
	return float32(v.stemsWeight/defaultWeights.grams) * grams / stems
}

// threshold returns the least scores at both ends among the wanted number of documents that are best so far, minus the
// error of sums of small floats.
func (v *candidateFilter) threshold(ends [2]float32) (worst [2]float32) {
	top := make([]roughScore, 0, 2*v.limit)
	cutoff := float32(0)
	for d := range v.norms.levels {
		s := v.grams[d] + ends[0]*v.stems[d]
		if s <= cutoff {
			continue
		}
		if top = append(top, roughScore{uint32(d), s}); len(top) == 2*v.limit {
			top = topRough(top, v.limit)
			cutoff = top[v.limit-1].score
		}
	}
	if len(top) < v.limit {
		return worst
	}
	top = topRough(top, v.limit)
	worst[0], worst[1] = top[v.limit-1].score, top[0].score
	for _, k := range top {
		worst[1] = min(worst[1], v.grams[k.doc]+ends[1]*v.stems[k.doc])
	}
	return [2]float32{worst[0] / v.tolerance, worst[1] / v.tolerance}
}

// roughScore is a document with a score in small floats.
type roughScore struct {
	doc   uint32
	score float32
}

func topRough(list []roughScore, limit int) []roughScore {
	slices.SortFunc(list, func(a, b roughScore) int { return cmp.Compare(b.score, a.score) })
	return list[:limit]
}
