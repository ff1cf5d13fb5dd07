package retrieval

import (
	"cmp"
	"slices"
)

// sieve narrows down which documents may be among the best.
type sieve struct {
	*sums
	norms *norms
	most  int             // documents wanted
	terms []term          // of grams, not yet added; the strongest first
	rest  [levels]float64 // at most what they can add, by the level of a document's norm
	left  int             // units in their lists
	slack float32         // 1, and what sums of small floats may be wrong by
}

// Rough costs, of adding a unit of a list and of scoring a document exactly, decide when to go over from one to the other.
const (
	unitsPerScoring = 2500
	fewOpen         = 128
	unitsPerLook    = 4 // and document
)

// sift makes ready to leave in s.open the documents that may be among so many best, or may have the highest score of either kind.
func (x *Index) sift(s *sums, grams, stems []term, most int) *sieve {
	v := &sieve{sums: s, norms: x.lengthNorms(), most: most, terms: slices.Clone(grams)}
	v.slack = 1 + float32(len(grams)+len(stems)+16)/(1<<22)
	for _, t := range stems {
		t.list.score(s.stems, v.norms.stems, float32(t.weight))
	}
	slices.SortStableFunc(v.terms, func(a, b term) int { return cmp.Compare(b.bound(1), a.bound(1)) })
	for _, t := range v.terms {
		v.left += len(t.list.units)
		for l := range v.rest {
			v.rest[l] += t.bound(float64(l) * perLevel)
		}
	}
	return v
}

// bound is the most that the term can be worth to a document of that norm.
func (t term) bound(norm float64) float64 {
	most := float64(t.list.most)
	return t.weight * most / (most + norm)
}

// run adds lists, so many units between two looks at what is open.
func (v *sieve) run(step int) {
	done := 0
	for len(v.terms) > 0 {
		done += v.add()
		if done >= step && v.left >= step {
			if done = 0; v.look(max(fewOpen, v.left/unitsPerScoring)) {
				return
			}
		}
	}
	v.look(len(v.grams))
}

// add adds the next list.
func (v *sieve) add() (units int) {
	t := v.terms[0]
	v.terms = v.terms[1:]
	t.list.score(v.grams, v.norms.grams, float32(t.weight))
	for l := range v.rest {
		v.rest[l] = max(0, v.rest[l]-t.bound(float64(l)*perLevel))
	}
	v.left -= len(t.list.units)
	return len(t.list.units)
}

// look collects the open documents and tells whether there are no more than the limit.
//
// Scores are compared as grams + c × stems. What c will be depends on the highest score by grams, of which only bounds are known
// yet. A document is out when as many as are wanted are better at both ends: then they are better in between.
func (v *sieve) look(limit int) bool {
	rest := v.bounds()
	low, high, stems := v.tops(&rest)
	ends := [2]float32{v.share(low, stems), v.share(high, stems)}
	worst := v.worst(ends)
	low, stems = low/v.slack, stems/v.slack
	v.open = v.open[:0]
	grams, words := v.grams[:len(v.norms.levels)], v.stems[:len(v.norms.levels)]
	for d, level := range v.norms.levels {
		g, s := grams[d]+rest[level%levels], words[d]
		if g+ends[0]*s >= worst[0] || g+ends[1]*s >= worst[1] || g >= low || s >= stems && s > 0 {
			if g+s == 0 {
				continue
			}
			if len(v.open) == limit {
				return false
			}
			v.open = append(v.open, uint32(d))
		}
	}
	return true
}

func (v *sieve) bounds() (rest [levels]float32) {
	if len(v.terms) > 0 {
		for l := range rest {
			rest[l] = float32(v.rest[l]) * v.slack
		}
	}
	return rest
}

// tops gives bounds of the highest score by grams, and that by stems.
func (v *sieve) tops(rest *[levels]float32) (low, high, stems float32) {
	grams, words := v.grams[:len(v.norms.levels)], v.stems[:len(v.norms.levels)]
	for d, level := range v.norms.levels {
		g := grams[d]
		if g > low {
			low = g
		}
		if g += rest[level%levels]; g > high {
			high = g
		}
		if words[d] > stems {
			stems = words[d]
		}
	}
	return low, high, stems
}

// share is the weight of stems beside grams when these are the highest scores.
func (v *sieve) share(grams, stems float32) float32 {
	if stems == 0 {
		return 0
	}
	return float32(tune.stems/tune.grams) * grams / stems
}

// worst takes as many documents as are wanted, the best so far, and gives the least of their scores at both ends; a bit less, for
// these are small floats.
func (v *sieve) worst(ends [2]float32) (worst [2]float32) {
	kept := make([]rough, 0, 2*v.most)
	least := float32(0)
	for d := range v.norms.levels {
		s := v.grams[d] + ends[0]*v.stems[d]
		if s <= least {
			continue
		}
		if kept = append(kept, rough{uint32(d), s}); len(kept) == 2*v.most {
			kept = best(kept, v.most)
			least = kept[v.most-1].score
		}
	}
	if len(kept) < v.most {
		return worst
	}
	kept = best(kept, v.most)
	worst[0], worst[1] = kept[v.most-1].score, kept[0].score
	for _, k := range kept {
		worst[1] = min(worst[1], v.grams[k.doc]+ends[1]*v.stems[k.doc])
	}
	return [2]float32{worst[0] / v.slack, worst[1] / v.slack}
}

// rough is a document with a score in small floats.
type rough struct {
	doc   uint32
	score float32
}

func best(list []rough, most int) []rough {
	slices.SortFunc(list, func(a, b rough) int { return cmp.Compare(b.score, a.score) })
	return list[:most]
}
