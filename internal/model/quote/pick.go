package quote

import (
	"context"

	"parley/internal/model"
	"parley/internal/text/words"
)

// excerpt is a part of a passage's text that is quoted as it stands.
type excerpt struct {
	passageIndex int
	start, end   int

	heading           string // said before it, in words that are not cited
	continuesPrevious bool   // goes on with what stands before it, on the next line
}

// separator is what stands between the stretch and what was quoted before it.
func (s excerpt) separator(first bool) string {
	switch {
	case first && s.heading == "":
		return ""
	case first:
		return s.heading + "\n\n"
	case s.continuesPrevious:
		return "\n"
	}
	return "\n\n"
}

const (
	maxReadPassages   = 12  // so many of the best are read closely
	maxListBytes      = 900 // bytes
	maxUnitBytes      = 1200
	maxWholeUnitBytes = 6000 // steps, code and rows, which are quoted whole or not at all
	shortUnitBytes    = 48
	shortQuoteBytes   = 220 // a quote this short takes the next sentence along
)

// pickExcerpts chooses what to quote around the best unit.
func (t *parsedQuestion) pickExcerpts(passages []model.Passage, pages []passageLayout, best quotableUnit) []excerpt {
	if best.isTableRow {
		return t.excerptRows(pages, best)
	}
	first := t.excerptAround(&pages[best.passageIndex], best)
	picked := procedureExcerpts(passages, pages, best, first)
	if len(picked) > 1 {
		return picked
	}
	picked[0].heading = contextHeading(&pages[best.passageIndex], passages[best.passageIndex], best, first)
	if more := t.secondExcerpt(pages, best, first); more != nil {
		picked = append(picked, *more)
	}
	return picked
}

// layOutPassages lays out the passages that are read closely, as many as there is time for until ctx ends.
func (t *parsedQuestion) layOutPassages(ctx context.Context, passages []model.Passage) (pages []passageLayout) {
	for i, p := range passages[:min(maxReadPassages, len(passages))] {
		if ctx.Err() != nil {
			break
		}
		pages = append(pages, t.layOutPassage(i, p))
	}
	return pages
}

// bestUnit returns the unit with the highest score.
func bestUnit(pages []passageLayout) (best quotableUnit) {
	for _, p := range pages {
		for _, u := range p.units {
			if u.score > best.score {
				best = u
			}
		}
	}
	return best
}

// A second quote is worth its place only where it holds much of the question that the first does not, and does not fall far
// behind it otherwise.
const (
	minAddedShare       = 0.25 // of the weight of the question's words
	minSecondScoreShare = 0.6  // of the best score
)

// secondExcerpt adds a stretch of another passage that speaks of what the first leaves out.
func (t *parsedQuestion) secondExcerpt(pages []passageLayout, best quotableUnit, first excerpt) *excerpt {
	if len(t.negatedTerms) > 0 {
		return nil // it would most likely speak of the opposite
	}
	firstMatch := mergeMatches(pages[first.passageIndex].titleMatch, t.matchText(pages[first.passageIndex].text[first.start:first.end]))
	var more quotableUnit
	for i, p := range pages {
		for _, u := range p.units {
			if i != first.passageIndex && u.score > max(more.score, minSecondScoreShare*best.score) && t.addedShare(firstMatch, u.ownMatch) >= minAddedShare && !refersBack(p.text[u.start:u.end]) {
				more = u
			}
		}
	}
	if more.score == 0 || more.isTableRow {
		return nil
	}
	s := t.excerptAround(&pages[more.passageIndex], more)
	one, two := pages[first.passageIndex].text[first.start:first.end], pages[s.passageIndex].text[s.start:s.end]
	if len(one)+len(two) > maxListBytes || isSimilarText(one, two) {
		return nil
	}
	return &s
}

// addedShare is the weight of the message's words that more names and held does not, 0 to 1.
func (t *parsedQuestion) addedShare(matched, more []float64) (sum float64) {
	for i, s := range t.terms {
		if s.fromLastMessage {
			sum += s.weight * max(0, more[i]-matched[i])
		}
	}
	return sum / max(t.ownWeight, 1e-9)
}

// isSimilarText reports that two texts say mostly the same in the same words.
func isSimilarText(a, b string) bool {
	in := map[string]bool{}
	for token := range words.Tokens(a) {
		in[token.Word] = true
	}
	common, all := 0, 0
	for token := range words.Tokens(b) {
		all++
		if in[token.Word] {
			common++
		}
	}
	return 2*common > all
}
