package eval

import (
	"slices"

	"parley/internal/model"
)

// checkCitations counts the citations that hold: the cited bytes lie in the passage, stand in the document's text at the place that the
// citation returns, and are those of the answer that they are cited for.
func (t *Trial) checkCitations(cites []model.Citation, passages []model.Passage, s *corpus) {
	t.Citations = len(cites)
	cited := make([]bool, len(t.Answer))
	for _, c := range cites {
		if c.PassageIndex < 0 || c.PassageIndex >= len(passages) {
			continue
		}
		p := passages[c.PassageIndex]
		if slices.Contains(t.Relevant, string(p.SourceID)) || slices.Contains(t.Relevant, string(p.ID)) {
			t.CitesRelevant = true
		}
		if t.isSupported(c, p, s.texts[p.SourceID]) {
			t.Supported++
		}
		for i := max(c.AnswerStart, 0); i < min(c.AnswerEnd, len(cited)); i++ {
			cited[i] = true
		}
	}
	n := 0
	for _, is := range cited {
		if is {
			n++
		}
	}
	t.Covered = float64(n) / float64(max(len(cited), 1))
}

func (t *Trial) isSupported(c model.Citation, p model.Passage, text string) bool {
	inside := p.Start <= c.Start && c.Start < c.End && c.End <= p.End && c.End <= len(text)
	inAnswer := 0 <= c.AnswerStart && c.AnswerStart < c.AnswerEnd && c.AnswerEnd <= len(t.Answer)
	return inside && inAnswer && text[c.Start:c.End] == p.Text[c.Start-p.Start:c.End-p.Start] && text[c.Start:c.End] == t.Answer[c.AnswerStart:c.AnswerEnd]
}
