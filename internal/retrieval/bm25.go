package retrieval

import (
	"math"
	"slices"
)

// blend adds the part, divided by its maximum, clears it, and gives the maximum.
func blend(sum, part []float64, weight float64) (top float64) {
	top = slices.Max(part)
	for i, s := range part {
		if s > 0 {
			sum[i] += weight * s / top
			part[i] = 0
		}
	}
	return top
}

// bm25 adds the score of each document.
func (x *Index) bm25(into []float64, t *table, terms []wanted, of func(length) int32, total int64) {
	perUnit := tune.k1 * tune.b * float64(len(x.byID)) / float64(max(total, 1))
	for _, w := range terms {
		list := t.lists[w.id]
		weight := w.weight * x.idf(len(list)) * (tune.k1 + 1)
		for _, p := range list {
			d := p >> 8
			tf := float64(p & 0xFF)
			into[d] += weight * tf / (tf + tune.k1*(1-tune.b) + perUnit*float64(of(x.lengths[d])))
		}
	}
}

// most is what the question's letters could score if no other passage held them; never nothing. Letters that no passage
// holds count too.
func (x *Index) most(q question) (sum float64) {
	for _, a := range q.words {
		sum += a.weight * float64(a.spelt)
	}
	return max(sum, 1) * x.idf(0) * (tune.k1 + 1)
}

func (x *Index) idf(df int) float64 {
	n := float64(len(x.byID))
	return math.Log(1 + (n-float64(df)+0.5)/(float64(df)+0.5))
}
