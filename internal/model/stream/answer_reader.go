package stream

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/cite"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

var errEmptyAnswer = errors.New("the provider's answer is empty")

// answerReader gathers one provider's answer: bytes of the stream in, chunks out.
type answerReader struct {
	raw          []byte // text of the current read as the provider wrote it
	clean        []byte // the same as valid UTF-8
	repair       utf8Repairer
	thought      thoughtFilter
	markers      *cite.Filter
	calls        toolCallAssembler
	finishReason string // empty while there is none
	usage        Usage
	lineCount    int
	textBytes    int    // bytes of text so far
	openingText  []byte // the first of them
	hasEvidence  bool   // there was evidence
	decode       Decoder
	streamFormat byte // 's' events, 'j' one JSON document, 0 not known yet
	sawDoneMark  bool // the stream said [DONE]
	isDone       bool
}

func newAnswerReader(req model.Request, decode Decoder) *answerReader {
	return &answerReader{decode: decode, markers: cite.NewFilter(req.Passages)}
}

// consume reads what the last fill brought; end is what fill returned.
func (a *answerReader) consume(l *httpclient.LineReader, end error) error {
	if a.streamFormat == 0 {
		a.detectFormat(l)
	}
	if a.streamFormat == 'j' {
		if !errors.Is(end, io.EOF) {
			return nil
		}
		a.isDone = true
		return a.readEvent(l.LastLine())
	}
	for line, ok := l.NextLine(); ok && !a.isDone; line, ok = l.NextLine() {
		if err := a.readLine(line); err != nil {
			return err
		}
	}
	if errors.Is(end, io.EOF) && !a.isDone && a.readLine(l.LastLine()) != nil && a.finishReason == "" {
		return httpclient.ErrStreamCut
	}
	return nil
}

// detectFormat distinguishes an event stream from the plain reply of a server that does not stream, whatever its
// content type says.
func (a *answerReader) detectFormat(l *httpclient.LineReader) {
	start := bytes.TrimLeft(l.Buffered(), " \t\r\n\uFEFF")
	switch {
	case len(start) == 0:
	case start[0] == '{':
		a.streamFormat = 'j'
	default:
		a.streamFormat = 's'
		l.Discard(len(l.Buffered()) - len(start))
	}
}

func (a *answerReader) readLine(line []byte) error {
	if a.lineCount++; a.lineCount > maxStreamLines {
		return httpclient.ErrStreamTooLong
	}
	name, data := httpclient.ParseEventLine(line)
	switch {
	case name == "garbage":
		return httpclient.NewProviderError("the provider sent no event stream", data)
	case name == "" || len(data) == 0:
		return nil
	case string(data) == "[DONE]":
		a.isDone, a.sawDoneMark = true, true
		return nil
	}
	return a.readEvent(data)
}

func (a *answerReader) readEvent(data []byte) error {
	d := Delta{Text: a.raw}
	if !a.decode(&d, data) {
		return httpclient.NewProviderError("the provider sent broken JSON", data)
	}
	if d.ErrorJSON != nil {
		return httpclient.NewProviderError("the provider reported an error", d.ErrorJSON)
	}
	a.raw = d.Text
	a.usage.merge(d.Usage)
	if d.IsLast {
		a.isDone, a.sawDoneMark = true, true
	}
	if len(d.FinishReason) > 0 {
		a.finishReason = string(d.FinishReason)
	}
	for i := range d.Calls {
		if err := a.calls.add(&d.Calls[i]); err != nil {
			return err
		}
	}
	return nil
}

// flush passes on the text that one read brought, as one chunk, followed by the evidence it completed.
func (a *answerReader) flush(yield func(model.Chunk, error) bool) bool {
	if len(a.raw) == 0 {
		return true
	}
	a.clean = a.repair.appendValid(a.clean[:0], a.raw)
	a.raw = a.raw[:0]
	text, cites := a.markers.Feed(a.limitText(a.thought.strip(a.clean)))
	a.hasEvidence = a.hasEvidence || len(cites) > 0
	for _, chunk := range newChunks(text, cites) {
		if !yield(chunk, nil) {
			return false
		}
	}
	return true
}

func (a *answerReader) limitText(text []byte) []byte {
	if a.textBytes+len(text) > httpclient.MaxTextBytes {
		text = []byte(parley.ClipBytes(string(text), httpclient.MaxTextBytes-a.textBytes))
		a.finishReason, a.isDone = "length", true
	}
	if a.textBytes <= maxRefusalBytes {
		a.openingText = append(a.openingText, text[:min(len(text), maxRefusalBytes+1)]...)
	}
	a.textBytes += len(text)
	return text
}

func newChunks(text string, cites []model.Citation) []model.Chunk {
	chunks := make([]model.Chunk, 0, 1+len(cites))
	if text != "" {
		chunks = append(chunks, model.Chunk{Text: text})
	}
	for i := range cites {
		chunks = append(chunks, model.Chunk{Citation: &cites[i]})
	}
	return chunks
}

func (a *answerReader) finalChunks() ([]model.Chunk, error) {
	last := a.limitText(append(a.thought.strip(a.repair.flush()), a.thought.flush()...))
	text, cites := a.markers.Finish(last)
	a.hasEvidence = a.hasEvidence || len(cites) > 0
	chunks := newChunks(text, cites)
	reason, err := a.resolveReason()
	if err != nil {
		return chunks, err
	}
	ready, err := a.calls.finish()
	if err != nil {
		return chunks, err
	}
	for i := range ready {
		chunks = append(chunks, model.Chunk{ToolCall: &ready[i]})
	}
	return append(chunks, model.Chunk{Finish: &model.Finish{
		Reason: reason, InputTokens: a.usage.Input, OutputTokens: a.usage.Output,
		IsRefusal: reason == "stop" && !a.hasEvidence && isRefusalText(string(a.openingText)),
	}}), nil
}

func (a *answerReader) resolveReason() (string, error) {
	switch {
	case a.finishReason == "error" || a.finishReason == "content_filter" || a.finishReason == "refusal":
		return "", httpclient.NewProviderError("the provider broke the answer off", []byte(a.finishReason))
	case len(a.calls.partialCalls) > 0:
		return "tool-calls", nil
	case a.textBytes == 0:
		return "", errEmptyAnswer
	case a.finishReason == "length" || a.finishReason == "max_tokens" || a.finishReason == "model_context_window_exceeded":
		return "length", nil
	}
	return "stop", nil
}

// maxRefusalBytes is how long an answer is, in bytes, that may still be a mere "I do not know". A longer one says
// something.
const maxRefusalBytes = 700

// isRefusalText reports whether an answer without evidence says that the sources do not hold it. Only the statistics
// use it: the answer stays as it is.
func isRefusalText(text string) bool {
	if len(text) > maxRefusalBytes {
		return false
	}
	text = strings.ReplaceAll(words.Fold(text), "’", "'")
	return slices.ContainsFunc(refusalPhrases(), func(phrase string) bool { return strings.Contains(text, phrase) })
}

// refusalPhrases are ways of saying so, folded. They name who does not know: "if you do not know your password" is
// advice.
var refusalPhrases = sync.OnceValue(func() (all []string) {
	for _, l := range language.All() {
		all = slices.AppendSeq(all, l.Models.Refusals.All())
	}
	all = append(all, furtherRefusals...)
	for i := range all {
		all[i] = words.Fold(all[i])
	}
	return all
})

// furtherRefusals are those of a language that has no file: Polish.
var furtherRefusals = []string{"nie wiem", "nie mam informacji", "nie znalazl"}
