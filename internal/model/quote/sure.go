package quote

import (
	"parley/internal/model"
	"parley/internal/text/prose"
)

// What holds all that the question names is answered from, however little the search makes of it: in a handful of pages no word is rare.

// minConfidence is the least confidence that what the unit holds gives reason for; 0 for none.
func (t *parsedQuestion) minConfidence(passage model.Passage, p *passageLayout, best quotableUnit) float64 {
	switch {
	case t.matchesCode(passage, p, best):
		return codeConfidence
	case t.isRequestedList(p, best):
		return listConfidence
	case t.statesFact(p, best):
		return factConfidence
	}
	return 0
}

// factConfidence is the confidence in a row or a sentence that holds, with the headings above, all that the question names, and the amount that it
// asks for.
const factConfidence = 0.8

// statesFact reports such a row, or such a sentence.
func (t *parsedQuestion) statesFact(p *passageLayout, best quotableUnit) bool {
	if !best.isTableRow && !t.unitHasAmount(best) || t.contentWordCount() < 2 {
		return false
	}
	matched := mergeMatches(p.titleMatch, best.ownMatch)
	for i, s := range t.terms {
		if s.fromLastMessage && !s.isPair && !isFrameWord(s.word) && matched[i] < relatedStrength {
			return false
		}
	}
	return t.matchedShare(best.ownMatch, t.isSingleWord) >= relatedStrength
}

// isRequestedList reports a table, a list or the sentence above a table that is said to hold what the question wants listed.
func (t *parsedQuestion) isRequestedList(p *passageLayout, best quotableUnit) bool {
	c := unitContext{layout: p, headingMatch: p.titleMatch}
	if !t.wantsList || best.kind != prose.Table && best.kind != prose.Item && !p.isAboveTable(best) {
		return false
	}
	matched := c.listTitleMatch(t, best)
	for i, s := range t.terms {
		if s.fromLastMessage && !s.isPair && !isFrameWord(s.word) && !listVerbs[s.word] && matched[i] < relatedStrength {
			return false
		}
	}
	return t.contentWordCount() > 0
}

// listConfidence is the confidence in a list that is of what the question names.
const listConfidence = 0.8

var listVerbs = newWordSet("offer sell have support accept choose buy exist bieten tienen ofrecen avez proposez")
