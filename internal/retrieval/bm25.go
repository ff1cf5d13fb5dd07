package retrieval

import "math"

// term is a term of the question that some passage holds.
type term struct {
	id     uint32
	list   *postings
	weight float64  // what it is worth to a passage that holds nothing else
	others []uint32 // ids that count as this one
}

// terms returns those of the wanted terms that are there, in order. It uses into.
func (x *Index) terms(t *termTable, list []weightedTerm, into []term) []term {
	terms := into[:0]
	for _, w := range list {
		if docs := t.docCount(w.id); docs > 0 {
			terms = append(terms, term{id: w.id, list: &t.lists[w.id],
				weight: w.weight * x.idf(docs) * (defaultWeights.k1 + 1)})
		}
	}
	return terms
}

// addGroups appends the terms of words that have been translated.
func (x *Index) addGroups(terms []term, groups []termGroup) []term {
	for i := range groups {
		g := &groups[i]
		if g.docs > 0 {
			terms = append(terms, term{g.stems[0], &g.list, g.weight * x.idf(g.docs) * (defaultWeights.k1 + 1),
				g.stems[1:]})
		}
	}
	return terms
}

// norms holds, for each document, the length's part of BM25: a term that occurs there tf times is worth tf/(tf+norm) of
// its weight. It is infinite for removed documents and after the last one, up to the end of a range.
type norms struct {
	grams, stems []float32
	levels       []uint8 // of grams, rounded down
}

const (
	normLevels   = 64
	normPerLevel = 1. / 16 // of a norm
	maxNormLevel = normLevels - 1
)

// forgetNorms has the norms computed again after a change.
func (x *Index) forgetNorms() {
	x.norms.Store(nil)
	x.lengthParts.Store(nil)
}

// lengthParts holds, for each document of a small index, the part of a score that its length makes, exactly; it is
// infinite for removed documents.
type lengthParts struct {
	grams, stems []float64
	idf          []float64 // of terms by how many documents hold them
}

// exactLengthParts returns the parts, which are computed again after a change.
func (x *Index) exactLengthParts() *lengthParts {
	p := x.lengthParts.Load()
	if p == nil {
		p = &lengthParts{make([]float64, len(x.lengths)), make([]float64, len(x.lengths)), make([]float64, len(x.byID)+1)}
		for df := range p.idf {
			p.idf[df] = x.computeIDF(df)
		}
		perGram, perStem := x.normPerUnit(x.gramTotal), x.normPerUnit(x.stemTotal)
		for d, l := range x.lengths {
			p.grams[d], p.stems[d] = lengthPart(perGram, l.grams), lengthPart(perStem, l.stems)
		}
		x.lengthParts.Store(p)
	}
	return p
}

func lengthPart(perUnit float64, length int32) float64 {
	if length == 0 {
		return math.Inf(1)
	}
	return perUnit * float64(length)
}

// lengthNorms returns the norms, which are computed again after a change.
func (x *Index) lengthNorms() *norms {
	n := x.norms.Load()
	if n == nil {
		n = &norms{levels: make([]uint8, len(x.lengths))}
		n.grams = x.computeNorms(x.gramTotal, func(l length) int32 { return l.grams })
		n.stems = x.computeNorms(x.stemTotal, func(l length) int32 { return l.stems })
		for d := range n.levels {
			n.levels[d] = uint8(min(n.grams[d]/normPerLevel, maxNormLevel))
		}
		x.norms.Store(n)
	}
	return n
}

func (x *Index) computeNorms(total int64, of func(length) int32) []float32 {
	list := make([]float32, roundUpToRange(len(x.lengths)))
	perUnit := x.normPerUnit(total)
	for d := range list {
		list[d] = float32(math.Inf(1))
		if d < len(x.lengths) && x.docs[d].passage.ID != "" {
			list[d] = float32(defaultWeights.k1*(1-defaultWeights.b) + perUnit*float64(of(x.lengths[d])))
		}
	}
	return list
}

// roundUpToRange rounds up to whole ranges.
func roundUpToRange(n int) int { return (n + rangeSize - 1) &^ (rangeSize - 1) }

func (x *Index) normPerUnit(total int64) float64 {
	return defaultWeights.k1 * defaultWeights.b * float64(len(x.byID)) / float64(max(total, 1))
}

// score returns what the term adds to the score of a document of that length. A product is rounded before it is added:
// so it is on every machine. A removed document has no length.
func (t term) score(times uint8, perUnit float64, length int32) float64 {
	if length == 0 {
		return 0
	}
	tf := float64(times)
	return float64(t.weight * tf / (tf + defaultWeights.k1*(1-defaultWeights.b) + float64(perUnit*float64(length))))
}

// unitCount returns how long the terms' lists are.
func unitCount(terms []term) (n int) {
	for _, t := range terms {
		n += len(t.list.units)
	}
	return n
}

// maxScore returns what the question's letters could score if no other passage held them; never nothing. Letters that
// no passage holds count too.
func (x *Index) maxScore(q *question) (sum float64) {
	for i := range q.words {
		a := &q.words[i]
		sum += a.weight * float64(a.gramCount)
	}
	return max(sum, 1) * x.idf(0) * (defaultWeights.k1 + 1)
}

// idf returns what a term is worth that so many documents hold.
func (x *Index) idf(df int) float64 {
	if p := x.lengthParts.Load(); p != nil && df < len(p.idf) {
		return p.idf[df]
	}
	return x.computeIDF(df)
}

func (x *Index) computeIDF(df int) float64 {
	n := float64(len(x.byID))
	return math.Log(1 + (n-float64(df)+0.5)/(float64(df)+0.5))
}
