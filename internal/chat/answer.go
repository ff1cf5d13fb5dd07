package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/llm"
)

// answer is what the model has said so far.
type answer struct {
	text      strings.Builder
	citations []parley.Citation
	cited     []llm.Cite // what the citations were made of
	support   *float64   // the best score among the passages cited, for a model that gives none of its own
	finish    *llm.Finish
	first     time.Time // when the first text came
}

// run makes the answer and stores it. It is the turn's own goroutine.
func (e *Engine) run(t *Turn) {
	deadline := orDefault(e.Deadline, 5*time.Minute)
	timer := time.AfterFunc(deadline, func() { t.cancel(errTooLong) })
	defer timer.Stop()
	<-t.found
	var a answer
	err := t.lookErr
	retrieved := e.Now()
	if err == nil {
		err = e.ask(t, &a)
	}
	if <-t.promised; t.refused {
		return
	}
	e.conclude(t, &a, err, retrieved)
}

// ask reads the model's answer into a and into the log. A panic of a back end fails this turn only.
func (e *Engine) ask(t *Turn, a *answer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	req := t.prompt()
	for chunk, err := range t.back.Model.Stream(t.ctx, req) {
		if err != nil {
			return err
		}
		switch {
		case chunk.Text != "":
			if a.text.Len() == 0 {
				a.first = e.Now()
			}
			if a.text.Len()+len(chunk.Text) > maxText {
				return errTooMuch
			}
			a.text.WriteString(chunk.Text)
			t.log.append(Event{Kind: Text, Text: chunk.Text})
		case chunk.Call != nil:
			return errors.New("chat: the model called a tool that it was not offered")
		case chunk.Cite != nil:
			a.cite(req.Passages, *chunk.Cite)
		case chunk.Finish != nil && a.text.Len() == 0:
			return errors.New("chat: the model ended without a word")
		case chunk.Finish != nil:
			a.finish = chunk.Finish
			return nil
		}
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	return errors.New("chat: the model's answer has no end")
}

// cite keeps the evidence if it names a passage that was offered.
func (a *answer) cite(passages []llm.Passage, c llm.Cite) {
	if c.Passage < 0 || c.Passage >= len(passages) {
		return
	}
	p := passages[c.Passage]
	if a.support == nil || *a.support < p.Score {
		a.support = &p.Score
	}
	a.cited = append(a.cited, c)
	a.citations = append(a.citations, parley.Citation{SourceID: p.SourceID, Name: p.SourceName, URL: p.SourceURL, VersionHash: p.VersionHash,
		Start: c.Start, End: c.End, AnswerStart: c.AnswerStart, AnswerEnd: c.AnswerEnd})
}

// look searches the agent's sources for the message.
func (e *Engine) look(t *Turn) {
	defer close(t.found)
	defer func() {
		if p := recover(); p != nil {
			t.lookErr = panicked(p)
		}
	}()
	ctx, stop := context.WithTimeout(t.ctx, time.Minute)
	defer stop()
	q := t.query()
	t.question = strings.Join(append(q.Earlier, q.Text), "\n")
	t.hits, t.lookErr = e.Library.Nearest(ctx, t.AgentID, t.agent.PassageVersion, q)
}
