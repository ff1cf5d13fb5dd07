package eval

import (
	"slices"

	"parley/internal/model"
	"parley/internal/text/markdown"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// setBrevity counts the sentences of an answer, and which share of its words stands in those that answer: that hold a
// reference or, in a set without references, that are quoted from what holds the answer. A right answer that says
// nothing else has 1.
func (t *Trial) setBrevity(references []string, relevant []model.Citation) {
	if t.Outcome == OutcomeRefused || t.Outcome == OutcomeAskedBack || t.Outcome == "" {
		return
	}
	spans := replySentences(t.Answer)
	t.Sentences = len(spans)
	if t.Outcome != OutcomeRight && t.Outcome != OutcomeUnsureRight {
		return
	}
	answers := func(s prose.Span) bool { return containsReference(t.Answer[s.Start:s.End], references) }
	if len(references) == 0 {
		answers = func(s prose.Span) bool {
			return slices.ContainsFunc(relevant, func(c model.Citation) bool {
				return c.AnswerStart < s.End && s.Start < c.AnswerEnd
			})
		}
	}
	if !slices.ContainsFunc(spans, answers) {
		spans = joinNeighbours(spans) // the reference begins in one sentence and ends in the next
	}
	all, some := 0, 0
	for _, s := range spans {
		n := countWords(t.Answer[s.Start:s.End])
		if all += n; answers(s) {
			some += n
		}
	}
	share := float64(some) / float64(max(all, 1))
	t.Brevity = &share
}

// replySentences returns the sentences of a reply; a row of a table is one, and so is a heading.
func replySentences(text string) (spans []prose.Span) {
	for b := range markdown.EachBlock(text) {
		if b.Kind == markdown.Table || b.Kind == markdown.Code {
			spans = append(spans, splitLines(text, b.Start, b.End)...)
		} else if b.Kind != markdown.Markup {
			spans = append(spans, prose.Sentences(text, b.Start, b.End)...)
		}
	}
	return slices.DeleteFunc(spans, func(s prose.Span) bool { // the dots between two quotes
		return countWords(text[s.Start:s.End]) == 0
	})
}

func splitLines(text string, start, end int) (spans []prose.Span) {
	for at := start; at < end; at++ {
		from := at
		for at < end && text[at] != '\n' {
			at++
		}
		if countWords(text[from:at]) > 0 {
			spans = append(spans, prose.Span{Start: from, End: at})
		}
	}
	return spans
}

// joinNeighbours returns the sentences two by two.
func joinNeighbours(spans []prose.Span) (pairs []prose.Span) {
	for i := 0; i < len(spans); i += 2 {
		pairs = append(pairs, prose.Span{Start: spans[i].Start, End: spans[min(i+1, len(spans)-1)].End})
	}
	return pairs
}

func countWords(text string) (n int) {
	for range words.Tokens(text) {
		n++
	}
	return n
}

// setBrevity sums up how long the answers are, and how much of the right ones answers.
func (f *Figures) setBrevity(trials []Trial) {
	var brevity runningMean
	var sentences []float64
	for _, t := range trials {
		if t.Brevity != nil {
			brevity.add(*t.Brevity)
		}
		if t.Sentences > 0 {
			sentences = append(sentences, float64(t.Sentences))
		}
	}
	f.Brevity, f.SentencesP50, f.SentencesP90 = brevity.mean(), quantile(sentences, .5), quantile(sentences, .9)
}
