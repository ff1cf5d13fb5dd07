package chat

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/tracing"
)

// answer is the text and the tool calls of a turn so far.
type answer struct {
	parts         []parley.Part   // all but the last text
	text          strings.Builder // the last text, which is still growing
	finishedBytes int             // bytes of text in parts
	citations     []parley.Citation
	quotes        []quotation // what citations quote
	passageScore  *float64    // the best score of the cited passages, for a model that returns none
	finish        *model.Finish
	finishReason  string            // why it ended, once it has: stop or tool-calls
	calls         []parley.ToolCall // rows of all calls; those that wait for the client come last in their round
	firstOutput   time.Time         // time of the first text or call
}

// runTurn searches the sources, generates the answer and stores it. It is the turn's own goroutine. The model is called
// early, before the first transaction has ended, or after it.
func (e *Engine) runTurn(t *Turn, early bool) {
	deadline := cmp.Or(e.TurnTimeout, 5*time.Minute)
	timer := time.AfterFunc(deadline, func() { t.cancel(errDeadline) })
	defer timer.Stop()
	var a answer
	err := e.retrieve(t)
	retrieved := e.Now()
	if !early && !t.awaitBegin() {
		return
	}
	if err == nil {
		if t.isReadByVisitor() && t.keepsAnswer() {
			go e.storeProgress(t)
		}
		err = e.runRounds(t, &a)
	}
	<-t.beginQueued
	e.finishTurn(t, &a, err, retrieved)
}

// readRound reads one round of the model's answer into a and the event log, and returns the tool calls that the model
// asks for.
func (e *Engine) readRound(t *Turn, a *answer, req model.Request) (calls []model.ToolCall, err error) {
	before := a.textBytes()
	var lines newlineNormalizer
	t.noteAsked()
	name := t.backend.TracedModel()
	ctx, span := tracing.Start(t.ctx, tracing.OperationChat+" "+name, tracing.Client,
		tracing.Attribute{Key: tracing.GenAIOperation, Value: tracing.OperationChat},
		tracing.Attribute{Key: tracing.GenAIProvider, Value: t.backend.TracedProvider()},
		tracing.Attribute{Key: tracing.GenAIModel, Value: name})
	defer func() { endModelSpan(span, err) }()
	for chunk, err := range t.backend.Model.Stream(ctx, req) {
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
			span.Set(tracing.GenAIInputTokens, chunk.Finish.InputTokens)
			span.Set(tracing.GenAIOutputTokens, chunk.Finish.OutputTokens)
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

// endModelSpan ends the span of a call of a model. What a provider says of a failure may hold texts, so it is left out.
func endModelSpan(s *tracing.Span, err error) {
	if err != nil {
		s.Fail(string(parley.AsError(err).Code))
	}
	s.End()
}

// textBytes returns the number of bytes of the answer's text.
func (a *answer) textBytes() int { return a.finishedBytes + a.text.Len() }

// isEmpty reports whether the answer has neither text nor calls.
func (a *answer) isEmpty() bool { return len(a.parts) == 0 && a.text.Len() == 0 }

// finishText ends the growing text: what comes next is another part.
func (a *answer) finishText() {
	if a.text.Len() == 0 {
		return
	}
	a.parts = append(a.parts, parley.Part{Type: "text", Text: a.text.String()})
	a.finishedBytes += a.text.Len()
	a.text.Reset()
}

// addFinish records how a round ended; the tokens of all rounds add up.
func (a *answer) addFinish(f *model.Finish) {
	sum := *f
	if a.finish != nil {
		sum.InputTokens += a.finish.InputTokens
		sum.OutputTokens += a.finish.OutputTokens
	}
	a.finish = &sum
}

// addCitation records a citation, unless its passage was not offered. The model counts bytes from the start of its
// round.
func (a *answer) addCitation(passages []model.Passage, c model.Citation, from int) {
	if c.PassageIndex < 0 || c.PassageIndex >= len(passages) {
		return
	}
	p := &passages[c.PassageIndex]
	if a.passageScore == nil || *a.passageScore < p.Score {
		a.passageScore = &p.Score
	}
	quoted := newQuotation(p, c)
	a.quotes = append(a.quotes, quoted)
	a.citations = append(a.citations,
		parley.Citation{SourceID: p.SourceID, Name: p.SourceName, URL: p.SourceURL, VersionHash: p.VersionHash,
			Start: c.Start, End: c.End, AnswerStart: from + c.AnswerStart, AnswerEnd: from + c.AnswerEnd,
			Quote: parley.ClipText(quoted.text, parley.MaxQuoteChars)})
}

// newlineNormalizer converts the line ends of a text that comes in pieces to \n: server-sent events cannot carry a \r.
// Bytes that are not UTF-8 become U+FFFD.
type newlineNormalizer struct {
	pendingCR bool // the piece before ended with \r, so that a \n belongs to it
	bytesRead int  // bytes of all pieces
	shifts    []offsetShift
}

// offsetShift says that what follows offset has moved by delta bytes.
type offsetShift struct{ offset, delta int }

// normalize returns the next piece in its final form; it may be empty.
func (n *newlineNormalizer) normalize(text string) string {
	if !n.pendingCR && strings.IndexByte(text, '\r') < 0 {
		n.bytesRead += len(text)
		return n.validUTF8(text)
	}
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n' && n.pendingCR:
			n.shifts = append(n.shifts, offsetShift{n.bytesRead + i, -1})
			n.pendingCR = false
		case c == '\r':
			b.WriteByte('\n')
			n.pendingCR = true
		default:
			b.WriteByte(c)
			n.pendingCR = false
		}
	}
	n.bytesRead += len(text)
	return n.validUTF8(b.String())
}

// validUTF8 replaces what is not UTF-8.
func (n *newlineNormalizer) validUTF8(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// mapOffset converts an offset in the original text to one in the normalized text.
func (n *newlineNormalizer) mapOffset(at int) int {
	moved := at
	for _, s := range n.shifts {
		if s.offset < at {
			moved += s.delta
		}
	}
	return moved
}
