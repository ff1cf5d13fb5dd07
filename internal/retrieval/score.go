package retrieval

import (
	"cmp"
	"slices"
	"strings"

	"parley"
)

// Hit is a passage that was found.
type Hit struct {
	Passage parley.Passage
	Rank    float64 // what hits are ordered by; comparable within one search only
	Score   float64 // 0 to 1, how likely it answers the question

	// Terms weighs the question's content words (folded): rare ones more than common ones. All hits of a search share it.
	Terms map[string]float64

	Signs Signs
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
	terms, worded := ask.terms(), x.worded(ask, all)
	hits := make([]Hit, len(all))
	for i, c := range all {
		hits[i] = Hit{Passage: x.docs[c.doc].passage, Rank: c.score, Score: c.near.likely(letters), Terms: terms,
			Signs: Signs{Letters: x.ofLetters(letters), Words: worded, Stretch: c.near.stretch}}
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

// rank gives the best documents, those read closely in their final order, and how much of the question's letters the best of
// them holds.
func (x *Index) rank(q question, most int) ([]candidate, float64) {
	places, letters := x.first(q, max(most, readNear))
	x.near(q.pairs, places)
	slices.SortFunc(places, x.before)
	places = x.join(q.toward, places)
	best := make([]candidate, min(most, len(places)))
	for i := range best {
		best[i].place = places[i]
	}

	n := x.takeNotes()
	r := x.reader(q, n)
	again := best[:min(readClosely, len(best))]
	for i := range again {
		d := &x.docs[again[i].doc]
		c := r.closely(again[i].doc)
		again[i].score += tune.stretch*c.stretch + tune.all*c.all - tune.links*float64(d.links) + c.phrase + tune.kind*c.kind + tune.around*c.around
		if asks(d.passage.Heading) {
			again[i].score += tune.asked * c.asked
		}
		if d.titled {
			again[i].score += tune.title*c.first + tune.focus*c.focus
			if q.how && d.steps {
				again[i].score += tune.steps * c.first
			}
		}
		again[i].near = c
	}
	n.clean(q)
	x.notes.Put(n)
	x.support(again)
	slices.SortFunc(again, x.order)
	x.fuse(q.toward, again)
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
