package eval

import (
	"slices"

	"parley/internal/llm"
)

// check counts the citations that hold: the cited bytes lie in the passage, stand in the document's text at the place that the
// citation gives, and are those of the answer that they are cited for.
func (t *Trial) check(cites []llm.Cite, passages []llm.Passage, s *shelf) {
	t.Cites = len(cites)
	cited := make([]bool, len(t.Answer))
	for _, c := range cites {
		if c.Passage < 0 || c.Passage >= len(passages) {
			continue
		}
		p := passages[c.Passage]
		if slices.Contains(t.Relevant, string(p.SourceID)) || slices.Contains(t.Relevant, string(p.ID)) {
			t.CitesDoc = true
		}
		if t.holds(c, p, s.texts[p.SourceID]) {
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

func (t *Trial) holds(c llm.Cite, p llm.Passage, text string) bool {
	inside := p.Start <= c.Start && c.Start < c.End && c.End <= p.End && c.End <= len(text)
	said := 0 <= c.AnswerStart && c.AnswerStart < c.AnswerEnd && c.AnswerEnd <= len(t.Answer)
	return inside && said && text[c.Start:c.End] == p.Text[c.Start-p.Start:c.End-p.Start] && text[c.Start:c.End] == t.Answer[c.AnswerStart:c.AnswerEnd]
}
