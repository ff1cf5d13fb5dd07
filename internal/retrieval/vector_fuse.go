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
)

// mergeVectorHits adds to the places found by words those found by the question's vector, and orders all by both; their
// scores stay those of the words.
func (x *Index) mergeVectorHits(d *direction, places []scoredDoc) []scoredDoc {
	if d == nil || d.dims != x.vectors.dims {
		return places
	}
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
	for i, p := range places {
		places[i].score = byWords[p.doc]
	}
	return places
}

// fuseScores sets the candidates' scores by words and vector together, and orders them.
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
	slices.SortFunc(all, x.compareCandidates)
}

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
