package retrieval

import "slices"

const (
	// vectorCandidates is how many passages the vectors add to those that the words have found.
	vectorCandidates = 64

	// minVectorShare is the weight of the vectors beside the words, both brought to 0 to 1 over the passages they are
	// compared on, where the agent's passages know all words of the question. It rises with the square of the share of
	// the words that they do not know: a few unknown ones mean little, many mean that the words cannot find the answer.
	// The weights were chosen on public sets with a stand-in for an embedding model (docs/quality.md).
	minVectorShare, vectorShareRise, maxVectorShare = 0.1, 1.3, 0.9

	// keptByWords is how many of the best passages by words are read closely, however far the vectors put them back: that
	// a passage holds a code of the question exactly is seen only there.
	keptByWords = 5
)

// mergeVectorHits adds to the places found by words those found by the question's vector, and orders all by both; their
// scores stay those of the words.
func (x *Index) mergeVectorHits(d *direction, places []scoredDoc) []scoredDoc {
	if d == nil || d.dims != x.vectors.dims {
		return places
	}
	first := slices.Clone(places[:min(keptByWords, len(places))])
	for _, p := range x.nearest(d, vectorCandidates) {
		if !slices.ContainsFunc(places, func(o scoredDoc) bool { return o.doc == p.doc }) {
			places = append(places, scoredDoc{doc: p.doc})
		}
	}
	byWords := make(map[uint32]float64, len(places))
	for _, p := range places {
		byWords[p.doc] = p.score
	}
	for i, score := range x.fusedScores(d, places) {
		places[i].score = score
	}
	slices.SortFunc(places, x.comparePlaces)
	if d.weight < 1 {
		keepClose(places, first)
	}
	for i, p := range places {
		places[i].score = byWords[p.doc]
	}
	return places
}

// keepClose moves places to where they are read closely, in exchange for the last ones there.
func keepClose(places, protected []scoredDoc) {
	isKept := func(p scoredDoc) bool {
		return slices.ContainsFunc(protected, func(o scoredDoc) bool { return o.doc == p.doc })
	}
	for i := maxCloseReads; i < len(places); i++ {
		if !isKept(places[i]) {
			continue
		}
		last := maxCloseReads - 1
		for isKept(places[last]) {
			last--
		}
		moved, exchanged := places[i], places[last]
		copy(places[last:maxCloseReads-1], places[last+1:maxCloseReads])
		places[maxCloseReads-1] = moved
		copy(places[maxCloseReads+1:i+1], places[maxCloseReads:i])
		places[maxCloseReads] = exchanged
	}
}

// fuseScores sets the candidates' scores by words and vector together, and orders them, from their order by words.
// Those that hold a code or a quotation of the question as it is there keep their places: a part number is found first,
// whatever else means something like it.
func (x *Index) fuseScores(d *direction, all []candidate) {
	if d == nil || d.dims != x.vectors.dims {
		return
	}
	places := make([]scoredDoc, len(all))
	for i, c := range all {
		places[i] = c.scoredDoc
	}
	for i, score := range x.fusedScores(d, places) {
		all[i].score = score
	}
	byWords := slices.Clone(all)
	slices.SortFunc(all, x.compareCandidates)
	if d.weight < 1 {
		restoreExact(all, byWords)
	}
}

// restoreExact puts candidates that hold a code or a quotation of the question where they were, and leaves the others
// in their order. Scores go down from the first one to the last.
func restoreExact(all, earlier []candidate) {
	others := slices.DeleteFunc(slices.Clone(all), candidate.isExact)
	if len(others) == len(all) {
		return
	}
	for i, c := range earlier {
		if !c.isExact() {
			c, others = others[0], others[1:]
		}
		if all[i] = c; i > 0 {
			all[i].score = min(c.score, all[i-1].score)
		}
	}
}

// isExact reports whether the passage holds a code or a quotation of the question as it is there.
func (c candidate) isExact() bool { return c.closeness.phrase > 0 }

// fusedScores sets the candidates' scores by words against those by vectors. A passage that has no vector yet is taken
// to be as near by it as by its words.
func (x *Index) fusedScores(d *direction, all []scoredDoc) []float64 {
	byWords, byVector := make([]float64, len(all)), make([]float64, len(all))
	known := make([]bool, len(all))
	var words, cosines span
	for i, c := range all {
		byWords[i] = c.score
		words.add(c.score)
		if byVector[i], known[i] = x.vectors.cosine(d, c.doc); known[i] {
			cosines.add(byVector[i])
		}
	}
	for i := range all {
		byWords[i] = words.scale(byWords[i])
		near := byWords[i]
		if known[i] {
			near = cosines.scale(byVector[i])
		} else if d.weight == 1 {
			near = -1
		}
		// rounded each by itself, so that the result is the same on every processor
		byWords[i] = float64((1-d.weight)*byWords[i]) + float64(d.weight*near)
	}
	return byWords
}

// span is from the smallest to the largest of some numbers.
type span struct {
	low, high float64
	hasValue  bool
}

func (s *span) add(v float64) {
	if !s.hasValue {
		s.low, s.high, s.hasValue = v, v, true
		return
	}
	s.low, s.high = min(s.low, v), max(s.high, v)
}

// scale brings a number of the span to 0 to 1; all are 0 where they are the same.
func (s *span) scale(v float64) float64 {
	if s.high == s.low {
		return 0
	}
	return (v - s.low) / (s.high - s.low)
}
