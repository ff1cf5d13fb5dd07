package llm

import (
	"parley/internal/prose"
)

// What holds all that the question names is answered from, however little the search makes of it: in a handful of pages no word is rare.

// sure is the least confidence that what the unit holds gives reason for; 0 for none.
func (t *topic) sure(passage Passage, p *page, best unit) float64 {
	switch {
	case t.coded(passage, p, best):
		return sureOfCode
	case t.lists(p, best):
		return sureOfList
	case t.told(p, best):
		return sureOfFact
	}
	return 0
}

// sureOfFact is the confidence in a row or a sentence that holds, with the headings above, all that the question names, and the amount that it
// asks for.
const sureOfFact = 0.8

// told reports such a row, or such a sentence.
func (t *topic) told(p *page, best unit) bool {
	if !best.row && !t.amountIn(best) || t.asked() < 2 {
		return false
	}
	held := merge(p.title, best.own)
	for i, s := range t.items {
		if s.own && !s.pair && !framed(s.word) && held[i] < kinStrength {
			return false
		}
	}
	return t.share(best.own, t.single) >= kinStrength
}

// lists reports a table, a list or the sentence above a table that is said to hold what the question wants listed.
func (t *topic) lists(p *page, best unit) bool {
	c := setting{page: p, above: p.title}
	if !t.list || best.kind != prose.Table && best.kind != prose.Item && !p.tabled(best) {
		return false
	}
	held := c.listed(t, best)
	for i, s := range t.items {
		if s.own && !s.pair && !framed(s.word) && !listVerbs[s.word] && held[i] < kinStrength {
			return false
		}
	}
	return t.asked() > 0
}

// sureOfList is the confidence in a list that is of what the question names.
const sureOfList = 0.8

var listVerbs = wordSet("offer sell have support accept choose buy exist bieten tienen ofrecen avez proposez")
