package chat

import (
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/llm"
)

// answer is what the agent has said and done so far in a turn.
type answer struct {
	parts     []parley.Part   // all but the text that is still growing
	text      strings.Builder // the text that is still growing
	said      int             // bytes of text in parts
	citations []parley.Citation
	cited     []llm.Cite // what the citations were made of
	support   *float64   // the best score among the passages cited, for a model that gives none of its own
	finish    *llm.Finish
	reason    string            // why it ended, once it has: stop or tool-calls
	calls     []parley.ToolCall // rows of every call, those that waiting clients have to answer last among theirs
	first     time.Time         // when the first text or call came
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
		err = e.converse(t, &a)
	}
	if <-t.promised; t.refused {
		return
	}
	e.conclude(t, &a, err, retrieved)
}

// listen reads one round of the model's answer into a and into the log, and gives the calls that it asks for.
func (e *Engine) listen(t *Turn, a *answer, req llm.Request) (calls []llm.ToolCall, err error) {
	before := a.length()
	var lines newlines
	for chunk, err := range t.back.Model.Stream(t.ctx, req) {
		if err != nil {
			return nil, err
		}
		if a.first.IsZero() && (chunk.Text != "" || chunk.Call != nil) {
			a.first = e.Now()
		}
		if t.request.Newlines && chunk.Text != "" {
			if chunk.Text = lines.piece(chunk.Text); chunk.Text == "" {
				continue
			}
		}
		switch {
		case chunk.Text != "":
			if a.length()+len(chunk.Text) > maxText {
				return nil, errTooMuch
			}
			a.text.WriteString(chunk.Text)
			t.log.append(Event{Kind: Text, Text: chunk.Text})
		case chunk.Call != nil:
			calls = append(calls, *chunk.Call)
		case chunk.Cite != nil:
			cited := *chunk.Cite
			cited.AnswerStart, cited.AnswerEnd = lines.place(cited.AnswerStart), lines.place(cited.AnswerEnd)
			a.cite(req.Passages, cited, before)
		case chunk.Finish != nil:
			a.count(chunk.Finish)
			if len(calls) == 0 && a.length() == before && len(a.parts) == 0 {
				return nil, errors.New("chat: the model ended without a word")
			}
			return calls, nil
		}
	}
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	return nil, errors.New("chat: the model's answer has no end")
}

// length is how many bytes of text the answer has.
func (a *answer) length() int { return a.said + a.text.Len() }

// silent reports whether nothing has been said or done.
func (a *answer) silent() bool { return len(a.parts) == 0 && a.text.Len() == 0 }

// pause ends the text that is growing: what comes next is another part.
func (a *answer) pause() {
	if a.text.Len() == 0 {
		return
	}
	a.parts = append(a.parts, parley.Part{Type: "text", Text: a.text.String()})
	a.said += a.text.Len()
	a.text.Reset()
}

// count keeps how a round ended; the tokens of all rounds add up.
func (a *answer) count(f *llm.Finish) {
	sum := *f
	if a.finish != nil {
		sum.InputTokens += a.finish.InputTokens
		sum.OutputTokens += a.finish.OutputTokens
	}
	a.finish = &sum
}

// cite keeps the evidence if it names a passage that was offered. The model counts bytes from the start of its round.
func (a *answer) cite(passages []llm.Passage, c llm.Cite, from int) {
	if c.Passage < 0 || c.Passage >= len(passages) {
		return
	}
	p := passages[c.Passage]
	if a.support == nil || *a.support < p.Score {
		a.support = &p.Score
	}
	a.cited = append(a.cited, c)
	a.citations = append(a.citations, parley.Citation{SourceID: p.SourceID, Name: p.SourceName, URL: p.SourceURL, VersionHash: p.VersionHash,
		Start: c.Start, End: c.End, AnswerStart: from + c.AnswerStart, AnswerEnd: from + c.AnswerEnd})
}
