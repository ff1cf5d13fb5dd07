package retrieval

import (
	"cmp"
	"slices"
	"strings"

	"parley"
)

// Hit is a passage that was found.
type Hit struct {
	Passage  parley.Passage
	Rank     float64 // what hits are ordered by; comparable within one search only
	Score    float64 // 0 to 1, how likely it answers the question
	Coverage float64 // 0 to 1, weight of the question's content words that it holds

	// Terms weighs the question's content words (folded): rare ones more than common ones. All hits of a search share it.
	Terms map[string]float64
}

// Nearest gives the passages nearest to the question, best first. Passages that share nothing with it are left out.
func (x *Index) Nearest(q Query) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.byID) == 0 {
		return nil
	}
	if q.Limit <= 0 {
		q.Limit = 12
	}
	ask := x.question(q)
	all, letters := x.rank(ask, max(q.Limit, readClosely))
	all = all[:min(q.Limit, len(all))]
	terms := ask.terms()
	hits := make([]Hit, len(all))
	for i, c := range all {
		hits[i] = Hit{Passage: x.docs[c.doc].passage, Rank: c.score, Score: c.near.likely(letters), Coverage: c.near.cover, Terms: terms}
	}
	return hits
}

// candidate is a passage on its way to be a hit.
type candidate struct {
	place
	near closeness
}

// place is a document's score among all.
type place struct {
	doc   uint32
	score float64
}

// sums holds a score for each document, and the reader's notes; they are used again by later searches.
type sums struct {
	fused, part []float64
	notes       notes
}

func (x *Index) borrow() *sums {
	s, _ := x.scratch.Get().(*sums)
	if s == nil {
		s = &sums{}
	}
	s.fused, s.part = fit(s.fused, len(x.docs)), fit(s.part, len(x.docs))
	return s
}

// rank gives the best documents, those read closely in their final order, and how much of the question's letters the best of
// them holds.
func (x *Index) rank(q question, most int) (best []candidate, letters float64) {
	s := x.borrow()
	x.bm25(s.part, &x.grams, q.grams, func(l length) int32 { return l.grams }, x.gramTotal)
	letters = blend(s.fused, s.part, tune.grams) / x.most(q)
	x.bm25(s.part, &x.stems, q.stems, func(l length) int32 { return l.stems }, x.stemTotal)
	blend(s.fused, s.part, tune.stems)
	places := x.best(s.fused, max(most, readNear))
	clear(s.fused)
	x.near(q.pairs, places)
	slices.SortFunc(places, x.before)
	best = make([]candidate, min(most, len(places)))
	for i := range best {
		best[i].place = places[i]
	}

	r := x.reader(q, &s.notes)
	again := best[:min(readClosely, len(best))]
	for i := range again {
		d := &x.docs[again[i].doc]
		c := r.read(d)
		again[i].score += tune.stretch*c.stretch + tune.all*c.all - tune.links*float64(d.links)
		if d.titled {
			again[i].score += tune.title*c.first + tune.focus*c.focus
			if q.how && d.steps {
				again[i].score += tune.steps * c.first
			}
		}
		again[i].near = c
	}
	s.notes.clean(q)
	x.scratch.Put(s)
	x.support(again)
	slices.SortFunc(again, x.order)
	return best, letters
}

// support raises passages whose source has other good passages too: it is more likely about the question.
func (x *Index) support(all []candidate) {
	var top float64
	sum := make(map[parley.SourceID]float64, len(all))
	for _, c := range all {
		top = max(top, c.score)
		sum[x.docs[c.doc].passage.SourceID] += c.score
	}
	if top == 0 {
		return
	}
	for i, c := range all {
		others := (sum[x.docs[c.doc].passage.SourceID] - c.score) / top
		all[i].score += tune.source * min(1, others/tune.sourceFull)
	}
}

// best gives the documents with the highest sums, in order.
func (x *Index) best(sums []float64, most int) []place {
	kept := make([]place, 0, 2*most)
	least := 0.0
	for d, s := range sums {
		if s <= 0 || s < least {
			continue
		}
		if kept = append(kept, place{uint32(d), s}); len(kept) == 2*most {
			slices.SortFunc(kept, x.before)
			kept = kept[:most]
			least = kept[most-1].score
		}
	}
	slices.SortFunc(kept, x.before)
	return kept[:min(most, len(kept))]
}

func (x *Index) order(a, b candidate) int { return x.before(a.place, b.place) }

// before puts the better one first. Equals stand in the order of their sources, so that every database gives the same.
func (x *Index) before(a, b place) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	p, q := &x.docs[a.doc].passage, &x.docs[b.doc].passage
	return cmp.Or(strings.Compare(string(p.SourceID), string(q.SourceID)), cmp.Compare(p.Ordinal, q.Ordinal),
		strings.Compare(string(p.ID), string(q.ID)))
}
