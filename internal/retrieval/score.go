package retrieval

import (
	"cmp"
	"slices"
	"strings"

	"parley"
)

// Hit is a passage that a search has found.
type Hit struct {
	Passage parley.Passage
	Rank    float64 // what hits are ordered by; comparable within one search only
	Score   float64 // 0 to 1, how likely it answers the question

	// Terms weighs the question's content words (folded): rare ones more than common ones. All hits of a search share it.
	Terms map[string]float64

	Signs Signs
}

// Nearest returns the passages nearest to the question, best first. Passages that share nothing with it are left out.
func (x *Index) Nearest(q Query) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.byID) == 0 {
		return nil
	}
	if q.Limit <= 0 {
		q.Limit = 12
	}
	s := x.takeScratch()
	ask := &s.question
	x.fillQuestion(ask, q)
	all, letters := x.rank(s, max(q.Limit, maxCloseReads))
	all = all[:min(q.Limit, len(all))]
	terms, shared := ask.termRarities(), Signs{Letters: x.letterSign(letters), Words: x.wordSign(s, all),
		Lead: x.leadOverOtherSources(all)}
	hits := make([]Hit, len(all))
	for i := range all {
		c := &all[i]
		hits[i] = Hit{Passage: x.docs[c.doc].passage, Rank: c.score, Score: c.closeness.likelihood(letters), Terms: terms,
			Signs: shared}
		hits[i].Signs.Stretch, hits[i].Signs.Title, hits[i].Signs.Asked = c.closeness.bestSentences, c.closeness.title,
			c.closeness.askedQuestion
	}
	ask.reset()
	x.scratch.Put(s)
	return hits
}

// candidate is a passage on its way to be a hit.
type candidate struct {
	scoredDoc
	closeness closeness
}

// scoredDoc is a document's score among all.
type scoredDoc struct {
	doc   uint32
	score float64
}

// rank returns the best documents, those read closely in their final order, and how much of the question's letters the
// best of them holds.
func (x *Index) rank(s *searchScratch, limit int) ([]candidate, float64) {
	q := &s.question
	places, letters := x.firstStage(s, q, max(limit, nearCandidates))
	x.addNearScores(s, q.pairs, places)
	slices.SortFunc(places, x.comparePlaces)
	places = x.mergeVectorHits(q.direction, places)
	s.best = resize(s.best, min(limit, len(places)))
	best := s.best
	for i := range best {
		best[i] = candidate{scoredDoc: places[i]}
	}

	r := x.newReader(q, &s.reader)
	again := best[:min(maxCloseReads, len(best))]
	for i := range again {
		d := &x.docs[again[i].doc]
		c := r.readWithPrevious(again[i].doc)
		again[i].score += defaultWeights.bestSentences*c.bestSentences +
			defaultWeights.allWords*c.allWords - defaultWeights.links*float64(d.linkShare) + c.phrase +
			defaultWeights.kind*c.kind + defaultWeights.previousPassage*c.inPrevious
		if d.hasQuestion {
			again[i].score += defaultWeights.askedQuestion * c.askedQuestion
		}
		if d.hasTitle {
			likeness := c.likeness
			if !d.hasQuestion {
				likeness *= defaultWeights.plainTitle
			}
			again[i].score += likeness
			again[i].score += defaultWeights.title*c.titleWords + defaultWeights.focus*c.focus
			if q.asksHow && d.hasSteps {
				again[i].score += defaultWeights.steps * c.titleWords
			}
		}
		again[i].closeness = c
	}
	s.reader.reset(q)
	x.addSourceSupport(again)
	slices.SortFunc(again, x.compareCandidates)
	x.fuseScores(q.direction, again)
	return best, letters
}

// addSourceSupport raises passages whose source has other good passages too: it is more likely about the question.
func (x *Index) addSourceSupport(all []candidate) {
	var top float64
	var sums [maxCloseReads]float64 // by the first passage of a source
	var firsts [maxCloseReads]int
	for i := range all {
		top = max(top, all[i].score)
		firsts[i] = slices.IndexFunc(all, func(c candidate) bool { return x.sourceOf(c.doc) == x.sourceOf(all[i].doc) })
		sums[firsts[i]] += all[i].score
	}
	if top == 0 {
		return
	}
	for i := range all {
		others := (sums[firsts[i]] - all[i].score) / top
		all[i].score += defaultWeights.source * min(1, others/defaultWeights.sourceFull)
	}
}

func (x *Index) sourceOf(doc uint32) parley.SourceID { return x.docs[doc].passage.SourceID }

func (x *Index) compareCandidates(a, b candidate) int {
	return x.comparePlaces(a.scoredDoc, b.scoredDoc)
}

// comparePlaces puts the better one first. Equal ones are in the order of their sources, so that the order is the same
// on every database.
func (x *Index) comparePlaces(a, b scoredDoc) int {
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

// Signs are the evidence in a passage that it answers a question; each is 0 to 1.
type Signs struct {
	Letters float64 // how much of the question's letters the best passage of all holds
	// how much of the question's content words the best of the hits holds, rare ones and repeated ones more
	Words   float64
	Stretch float64 // how much of the question is in this passage's best two neighbouring sentences
	Title   float64 // how far the heading of this passage, or one of the questions that it answers, is the question
	Asked   float64 // the same by content words alone, whatever their form
	Lead    float64 // how far the best of the hits is before the best one of another source
}

// leadOverOtherSources returns by how much of its score the best is before the best one of another source.
func (x *Index) leadOverOtherSources(all []candidate) float64 {
	for i := range all {
		if x.sourceOf(all[i].doc) != x.sourceOf(all[0].doc) {
			return min(1, max(0, 1-all[i].score/max(all[0].score, minDivisor)))
		}
	}
	return 1
}

// likelihood returns how likely the passage answers the question, 0 to 1, by how much of the question is in its
// best two neighbouring sentences, and by how much of the question's letters the best passage of all holds.
func (c *closeness) likelihood(letters float64) float64 {
	return min(1, 0.75*c.bestSentences+1.5*letters)
}

// letterSign measures a share of the question's letters by what they score where one passage holds them, rather than
// none: among a handful of passages the two are far apart.
func (x *Index) letterSign(share float64) float64 { return min(1, share*x.idf(0)/x.idf(1)) }

// wordSign returns the highest score of the passages by the question's stems, as a share of what its words could score
// if no other passage held them. Words of scripts without spaces are left out, as they are in the search.
func (x *Index) wordSign(s *searchScratch, best []candidate) (top float64) {
	weight := 0.0
	for i := range s.question.words {
		if a := &s.question.words[i]; !a.isStop && !a.isDense {
			weight += a.weight
		}
	}
	if weight == 0 {
		return 0
	}
	for i := range best {
		top = max(top, s.score(x, best[i].doc).stems)
	}
	return min(1, top/(max(weight, 1)*x.idf(1)*(defaultWeights.k1+1)))
}
