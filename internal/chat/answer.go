package chat

import (
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
)

// answer is what the agent has said and done so far in a turn.
type answer struct {
	parts         []parley.Part   // all but the text that is still growing
	text          strings.Builder // the text that is still growing
	finishedBytes int             // bytes of text in parts
	citations     []parley.Citation
	cites         []model.Citation // what the citations were made of
	passageScore  *float64         // the best score among the passages cited, for a model that gives none of its own
	finish        *model.Finish
	finishReason  string            // why it ended, once it has: stop or tool-calls
	calls         []parley.ToolCall // rows of every call, those that waiting clients have to answer last among theirs
	firstOutput   time.Time         // when the first text or call came
}

// runTurn makes the answer and stores it. It is the turn's own goroutine.
func (e *Engine) runTurn(t *Turn) {
	deadline := orDefault(e.TurnTimeout, 5*time.Minute)
	timer := time.AfterFunc(deadline, func() { t.cancel(errDeadline) })
	defer timer.Stop()
	<-t.retrievalDone
	var a answer
	err := t.retrieveErr
	retrieved := e.Now()
	if err == nil {
		err = e.runRounds(t, &a)
	}
	if <-t.beginDone; t.isRefused {
		return
	}
	e.finishTurn(t, &a, err, retrieved)
}

// readRound reads one round of the model's answer into a and into the log, and gives the calls that it asks for.
func (e *Engine) readRound(t *Turn, a *answer, req model.Request) (calls []model.ToolCall, err error) {
	before := a.textBytes()
	var lines newlineNormalizer
	for chunk, err := range t.backend.Model.Stream(t.ctx, req) {
		if err != nil {
			return nil, err
		}
		if a.firstOutput.IsZero() && (chunk.Text != "" || chunk.ToolCall != nil) {
			a.firstOutput = e.Now()
		}
		if t.request.NormalizeNewlines && chunk.Text != "" {
			if chunk.Text = lines.normalize(chunk.Text); chunk.Text == "" {
				continue
			}
		}
		switch {
		case chunk.Text != "":
			if a.textBytes()+len(chunk.Text) > maxAnswerBytes {
				return nil, errAnswerTooLong
			}
			a.text.WriteString(chunk.Text)
			t.eventLog.append(Event{Kind: Text, Text: chunk.Text})
		case chunk.ToolCall != nil:
			calls = append(calls, *chunk.ToolCall)
		case chunk.Citation != nil:
			cited := *chunk.Citation
			cited.AnswerStart, cited.AnswerEnd = lines.mapOffset(cited.AnswerStart), lines.mapOffset(cited.AnswerEnd)
			a.addCitation(req.Passages, cited, before)
		case chunk.Finish != nil:
			a.addFinish(chunk.Finish)
			if len(calls) == 0 && a.textBytes() == before && len(a.parts) == 0 {
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

// textBytes is how many bytes of text the answer has.
func (a *answer) textBytes() int { return a.finishedBytes + a.text.Len() }

// isEmpty reports whether nothing has been said or done.
func (a *answer) isEmpty() bool { return len(a.parts) == 0 && a.text.Len() == 0 }

// finishText ends the text that is growing: what comes next is another part.
func (a *answer) finishText() {
	if a.text.Len() == 0 {
		return
	}
	a.parts = append(a.parts, parley.Part{Type: "text", Text: a.text.String()})
	a.finishedBytes += a.text.Len()
	a.text.Reset()
}

// addFinish keeps how a round ended; the tokens of all rounds add up.
func (a *answer) addFinish(f *model.Finish) {
	sum := *f
	if a.finish != nil {
		sum.InputTokens += a.finish.InputTokens
		sum.OutputTokens += a.finish.OutputTokens
	}
	a.finish = &sum
}

// addCitation keeps the evidence if it names a passage that was offered. The model counts bytes from the start of its round.
func (a *answer) addCitation(passages []model.Passage, c model.Citation, from int) {
	if c.PassageIndex < 0 || c.PassageIndex >= len(passages) {
		return
	}
	p := passages[c.PassageIndex]
	if a.passageScore == nil || *a.passageScore < p.Score {
		a.passageScore = &p.Score
	}
	a.cites = append(a.cites, c)
	a.citations = append(a.citations, parley.Citation{SourceID: p.SourceID, Name: p.SourceName, URL: p.SourceURL, VersionHash: p.VersionHash,
		Start: c.Start, End: c.End, AnswerStart: from + c.AnswerStart, AnswerEnd: from + c.AnswerEnd})
}
