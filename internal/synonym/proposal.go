package synonym

import (
	"context"
	"slices"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/model/quote"
)

// propose tries the candidates on the questions, and returns the one by which most of them are answered; nil if none
// is. Of several the likeliest is returned. An answer counts only if what it cites holds the candidate.
func (p *proposer) propose(ctx context.Context, w *unknownWord) (*Proposal, error) {
	if err := p.dropAnswered(ctx, w); err != nil || len(w.questions) == 0 {
		return nil, err
	}
	candidates, err := p.findCandidates(ctx, w)
	if err != nil {
		return nil, err
	}
	var best *Proposal
	for _, c := range candidates {
		if len(w.questions) < minQuestions && c.likeness < minLikeness {
			continue
		}
		group := []string{w.spelling, c.spelling()}
		answers, err := p.answerWith(ctx, w, c, group)
		if err != nil {
			return nil, err
		}
		if len(answers) > 0 && (best == nil || len(answers) > len(best.Answers)) {
			best = &Proposal{Words: group, Questions: w.count, Answers: answers}
		}
	}
	return best, nil
}

// dropAnswered drops the questions that the sources answer by now.
func (p *proposer) dropAnswered(ctx context.Context, w *unknownWord) error {
	var refused []*question
	for _, q := range w.questions {
		r, err := p.answer(ctx, q, p.agent.Synonyms)
		if err != nil {
			return err
		}
		if !r.isAnswered() {
			refused = append(refused, q)
		}
	}
	w.questions = refused
	return nil
}

// answerWith answers the questions as if the agent had the group.
func (p *proposer) answerWith(ctx context.Context, w *unknownWord, c *candidate, group []string) ([]Answer, error) {
	var list []Answer
	groups := addGroup(p.agent.Synonyms, group)
	for _, q := range w.questions {
		r, err := p.answer(ctx, q, groups)
		if err != nil {
			return nil, err
		}
		if r.isAnswered() && r.citesStem(q, c.stem) {
			list = append(list, Answer{Question: q.text, Answer: r.text, Source: r.cited[0].SourceName})
		}
	}
	return list, nil
}

// reply is what the built-in model says to a question.
type reply struct {
	text      string
	cited     []parley.Passage // each with the cited text
	isRefusal bool
}

func (r *reply) isAnswered() bool { return !r.isRefusal && len(r.cited) > 0 }

func (r *reply) citesStem(q *question, stem string) bool {
	return slices.ContainsFunc(r.cited, func(p parley.Passage) bool {
		terms := append(contentTerms(p.Heading, q.lang), contentTerms(p.Text, q.lang)...)
		return slices.ContainsFunc(terms, func(t term) bool { return t.stem == stem })
	})
}

// answer has the built-in model answer a question by words alone, as the first of a conversation, with these groups of
// synonyms.
func (p *proposer) answer(ctx context.Context, q *question, groups [][]string) (*reply, error) {
	agent := *p.agent
	agent.Synonyms = groups
	draft := chat.StandaloneTurn{Agent: &agent, Question: q.text,
		Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}}
	hits, err := p.Indexes.Nearest(ctx, agent.ID, agent.PassageVersion, draft.Query())
	if err != nil {
		return nil, err
	}
	r := &reply{}
	for chunk, err := range draft.Backend.Model.Stream(ctx, draft.Prompt(hits)) {
		switch {
		case err != nil:
			return nil, err
		case chunk.Citation != nil:
			c := hits[chunk.Citation.PassageIndex].Passage
			c.Text = c.Text[chunk.Citation.Start-c.Start : chunk.Citation.End-c.Start]
			r.cited = append(r.cited, c)
		case chunk.Finish != nil:
			r.isRefusal = chunk.Finish.IsRefusal
		default:
			r.text += chunk.Text
		}
	}
	return r, nil
}
