package retrieval

import (
	"cmp"
	"slices"
	"strings"

	"parley"
	"parley/internal/text/contact"
	"parley/internal/text/dictionary"
)

// Hit is a passage that a search has found.
type Hit struct {
	Passage parley.Passage
	Rank    float64 // what hits are ordered by; comparable within one search only
	Score   float64 // 0 to 1, how likely it answers the question

	// Terms weighs the question's content words (folded): rare ones more than common ones. All hits of a search share it.
	Terms map[string]float64
	// Translations says what has been looked for in place of words of a question in another language than the passages'.
	// All hits of a search share it; nil where nothing has been translated.
	Translations map[string][]dictionary.Equivalents

	// Reading is the question in the words of the passages, which all hits share; empty where it was typed so.
	Reading Reading

	Signs Signs
}

// Nearest returns the passages nearest to the question, best first. Passages that share nothing with it are left out.
func (x *Index) Nearest(q Query) []Hit {
	translator := x.newTranslator(q)
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
	ask.translator = translator
	x.fillQuestion(ask, q)
	all, letters := x.rank(s, max(q.Limit, maxCloseReads))
	all = all[:min(q.Limit, len(all))]
	terms, shared := ask.termRarities(), Signs{Letters: x.letterSign(letters), Words: x.wordSign(s, all),
		Lead: x.leadOverOtherSources(all)}
	reading := Reading{}
	if ask.reading != q.Text {
		reading = Reading{Typed: q.Text, Read: ask.reading}
	}
	hits := make([]Hit, len(all))
	for i := range all {
		c := &all[i]
		hits[i] = Hit{Passage: x.docs[c.doc].passage, Rank: c.score, Score: c.closeness.likelihood(letters), Terms: terms,
			Translations: ask.translations, Reading: reading, Signs: shared}
		hits[i].Signs.Stretch, hits[i].Signs.Title, hits[i].Signs.Asked = c.closeness.bestSentences, c.closeness.title,
			c.closeness.askedQuestion
	}
	hits = x.addContacts(hits, q, Hit{Terms: terms, Translations: ask.translations, Reading: reading, Signs: shared})
	ask.reset()
	x.scratch.Put(s)
	return hits
}

// Bounds of the search for passages that hold a contact.
const (
	maxContactHits = 6
	maxContactDocs = 20_000 // that are looked through
)

// addContacts adds passages that hold the contact that is asked for, in place of the last hits: a street or a number
// has no word of the question. What is the same of all hits is taken from common.
func (x *Index) addContacts(hits []Hit, q Query, common Hit) []Hit {
	if q.Contact == contact.None {
		return hits
	}
	var more []Hit
	for i := range x.docs[:min(len(x.docs), maxContactDocs)] {
		p := x.docs[i].passage
		if p.ID == "" || !q.Contact.ShowsIn(p.Text) ||
			slices.ContainsFunc(hits, func(h Hit) bool { return h.Passage.ID == p.ID }) {
			continue
		}
		common.Passage = p
		if more = append(more, common); len(more) == maxContactHits {
			break
		}
	}
	return append(hits[:min(len(hits), max(0, q.Limit-len(more)))], more...)
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
		again[i].score += q.readingWeight*defaultWeights.bestSentences*c.bestSentences +
			q.readingWeight*defaultWeights.allWords*c.allWords - defaultWeights.links*float64(d.linkShare) + c.phrase +
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

// tuning holds the weights of the search; the first three parts are BM25 scores, each divided by its maximum over the
// passages.
//
// They were chosen on public development sets (docs/quality.md, internal/eval). A linear model of thirty more features
// of the best passages (windows, ordered words, longest common runs, likelihood under a language model, weights by how
// rare words are together) was learned from five sixths of the documents and tried on the rest, and found no more right
// passages than these weights; of its features only kind helped on most of the sets, and stayed. Its weight here, and
// those of follow-ups, were then picked from a few by all of the sets (follow-ups by one, MTRAG), without a rest to try
// them on. The weights of codes, quotations, slips, compounds and neighbours follow what users expect: the sets have
// few of them. A quotation worth more than this costs Arabic half a point.
type tuning struct {
	k1, b               float64
	grams, stems, pairs float64
	// the question's words in the best two neighbouring sentences, and in the whole passage
	bestSentences, allWords float64
	title, focus            float64 // the question's words in the heading; the heading's words in the question
	askedQuestion           float64 // a question above an answer that is the question itself
	// the cosine of the heading and the question, by words and by grams; how much less each further one of several
	// questions above an answer counts; a heading that is no question against one that is
	titleByWords, titleByGrams, nextTitle, plainTitle float64
	// numbered steps under a heading that names what a question how to do something asks
	steps float64
	// other passages of the same source; how many of the best there can be no more than
	source, sourceFull            float64
	links                         float64 // what a passage that is nothing but links loses
	minGramOverlap                float64 // share of common grams from which on two words are taken for one
	alternative, alternativeGrams float64 // weight of a word that may stand for the one asked
	alternativeStrength           float64 // how far it is taken for the one asked
	partStrength, typo            float64 // how far a part of a compound is, and a word that is one slip of the pen away
	code, quote                   float64 // the question's codes and quotations as such
	kind                          float64 // the question's words around a number or a time, where it asks for one
	previousPassage               float64 // what the passage before adds to the question's words
	// of a question that has been translated: the scores by stems, where all of its words have been and where no word has;
	// how many times what is read counts
	translatedStems, otherStems, translatedReading float64
	// weight of the message before one that leans on it, and of each before that against the next
	earlier, fade float64
	// weight of the message before one that stands alone, and of the answer before one that leans on it
	standalone, answer float64
}

var defaultWeights = tuning{k1: 1.2, b: 0.9, grams: 1, stems: 0.25, pairs: 0.11, bestSentences: 0.35, allWords: 0.35,
	title: 0.3, focus: 0.2, askedQuestion: 0.3, steps: 0.25, source: 0.3, sourceFull: 1, links: 0.5, minGramOverlap: 0.35,
	alternative: 0.2, alternativeGrams: 0.4, alternativeStrength: 0.7, partStrength: 0.6, typo: 0.9, code: 1,
	titleByWords: 1, titleByGrams: 1, nextTitle: 0.1, plainTitle: 0.4, quote: 0.3, kind: 0.4, previousPassage: 0.1,
	translatedStems: 1.2, otherStems: 0.4, translatedReading: 3, earlier: 0.5, fade: 0.4, standalone: 0.4, answer: 0.2}

// maxCloseReads is how many of the best passages are read again, word by word.
const maxCloseReads = 20
