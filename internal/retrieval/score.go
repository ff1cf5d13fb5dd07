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
	ask := x.newQuestion(q)
	all, letters := x.rank(ask, max(q.Limit, maxCloseReads))
	all = all[:min(q.Limit, len(all))]
	terms, worded := ask.termRarities(), x.wordSign(ask, all)
	hits := make([]Hit, len(all))
	for i, c := range all {
		hits[i] = Hit{Passage: x.docs[c.doc].passage, Rank: c.score, Score: c.closeness.likelihood(letters), Terms: terms,
			Signs: Signs{Letters: x.letterSign(letters), Words: worded, Stretch: c.closeness.bestSentences}}
	}
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
func (x *Index) rank(q question, most int) ([]candidate, float64) {
	places, letters := x.firstStage(q, max(most, nearCandidates))
	x.addNearScores(q.pairs, places)
	slices.SortFunc(places, x.comparePlaces)
	places = x.mergeVectorHits(q.direction, places)
	best := make([]candidate, min(most, len(places)))
	for i := range best {
		best[i].scoredDoc = places[i]
	}

	n := x.takeReaderScratch()
	r := x.newReader(q, n)
	again := best[:min(maxCloseReads, len(best))]
	for i := range again {
		d := &x.docs[again[i].doc]
		c := r.readWithPrevious(again[i].doc)
		again[i].score += defaultWeights.bestSentences*c.bestSentences +
			defaultWeights.allWords*c.allWords - defaultWeights.links*float64(d.linkShare) + c.phrase +
			defaultWeights.kind*c.kind + defaultWeights.previousPassage*c.inPrevious
		if hasQuestion(d.passage.Heading) {
			again[i].score += defaultWeights.asked * c.askedQuestion
		}
		if d.hasTitle {
			again[i].score += defaultWeights.title*c.titleWords + defaultWeights.focus*c.focus
			if q.asksHow && d.hasSteps {
				again[i].score += defaultWeights.steps * c.titleWords
			}
		}
		again[i].closeness = c
	}
	n.reset(q)
	x.readerScratches.Put(n)
	x.addSourceSupport(again)
	slices.SortFunc(again, x.compareCandidates)
	x.fuseScores(q.direction, again)
	return best, letters
}

// addSourceSupport raises passages whose source has other good passages too: it is more likely about the question.
func (x *Index) addSourceSupport(all []candidate) {
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
		all[i].score += defaultWeights.source * min(1, others/defaultWeights.sourceFull)
	}
}

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
	Stretch float64 // how much of the question stands in this passage's best two neighbouring sentences
}

// likelihood returns how likely the passage answers the question, 0 to 1, by how much of the question stands in its
// best two neighbouring sentences, and by how much of the question's letters the best passage of all holds.
func (c *closeness) likelihood(letters float64) float64 {
	return min(1, 0.75*c.bestSentences+1.5*letters)
}

// letterSign measures a share of the question's letters by what they score where one passage holds them, rather than
// none: among a handful of passages the two are far apart.
func (x *Index) letterSign(share float64) float64 { return min(1, share*x.idf(0)/x.idf(1)) }

// wordSign returns the highest score of the passages by the question's stems, as a share of what its words could score
// if no other passage held them. Words of scripts without spaces are left out, as they are in the search.
func (x *Index) wordSign(q question, best []candidate) (top float64) {
	asked := 0.0
	for _, a := range q.words {
		if !a.isStop && !a.isDense {
			asked += a.weight
		}
	}
	if asked == 0 {
		return 0
	}
	s := x.takeScratch()
	docs := make([]uint32, len(best))
	for i, c := range best {
		docs[i] = c.doc
	}
	for _, score := range s.exactScorer.scoreDocs(x, docs, nil, x.terms(&x.stems, q.stems), nil) {
		top = max(top, score.stems)
	}
	x.scratch.Put(s)
	return min(1, top/(max(asked, 1)*x.idf(1)*(defaultWeights.k1+1)))
}
