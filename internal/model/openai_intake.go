package model

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// answerReader gathers one provider's answer: bytes of the stream in, chunks out.
type answerReader struct {
	raw          []byte // text of the current read as the provider wrote it
	clean        []byte // the same as valid UTF-8
	repair       utf8Repairer
	thought      thoughtFilter
	markers      markerFilter
	calls        toolCallAssembler
	finishReason string // the reason given, empty while there is none
	usage        tokenUsage
	lineCount    int
	textBytes    int               // bytes of text so far
	openingText  []byte            // the first of them
	hasEvidence  bool              // there was evidence
	anthropic    *anthropicDecoder // of an answer in Anthropic's format, nil in OpenAI's
	streamFormat byte              // 's' events, 'j' one JSON document, 0 not known yet
	sawDoneMark  bool              // the stream said [DONE]
	isDone       bool
}

func newAnswerReader(req Request) *answerReader {
	return &answerReader{markers: markerFilter{passages: req.Passages}}
}

// consume reads what the last fill brought; end is what fill returned.
func (a *answerReader) consume(l *lineReader, end error) error {
	if a.streamFormat == 0 {
		a.detectFormat(l)
	}
	if a.streamFormat == 'j' {
		if !errors.Is(end, io.EOF) {
			return nil
		}
		a.isDone = true
		return a.readEvent(l.lastLine())
	}
	for line, ok := l.nextLine(); ok && !a.isDone; line, ok = l.nextLine() {
		if err := a.readLine(line); err != nil {
			return err
		}
	}
	if errors.Is(end, io.EOF) && !a.isDone && a.readLine(l.lastLine()) != nil && a.finishReason == "" {
		return errStreamCut
	}
	return nil
}

// detectFormat tells an event stream from the plain reply of a server that does not stream, whatever its content type says.
func (a *answerReader) detectFormat(l *lineReader) {
	start := bytes.TrimLeft(l.buf[l.r:l.w], " \t\r\n\uFEFF")
	switch {
	case len(start) == 0:
	case start[0] == '{':
		a.streamFormat = 'j'
	default:
		a.streamFormat = 's'
		l.r = l.w - len(start)
		l.scanned = 0
	}
}

func (a *answerReader) readLine(line []byte) error {
	if a.lineCount++; a.lineCount > maxStreamLines {
		return errStreamTooLong
	}
	name, data := parseField(line)
	switch {
	case name == "garbage":
		return newProviderError("the provider sent no event stream", data)
	case name == "" || len(data) == 0:
		return nil
	case string(data) == "[DONE]":
		a.isDone, a.sawDoneMark = true, true
		return nil
	}
	return a.readEvent(data)
}

func (a *answerReader) readEvent(data []byte) error {
	d := streamDelta{text: a.raw}
	decode := d.decode
	if a.anthropic != nil {
		decode = func(data []byte) bool { return a.anthropic.decode(&d, data) }
	}
	if !decode(data) {
		return newProviderError("the provider sent broken JSON", data)
	}
	if d.errorJSON != nil {
		return newProviderError("the provider reported an error", d.errorJSON)
	}
	a.raw = d.text
	a.usage.merge(d.usage)
	if d.isLast {
		a.isDone, a.sawDoneMark = true, true
	}
	if len(d.finishReason) > 0 {
		a.finishReason = string(d.finishReason)
	}
	for i := range d.calls {
		if err := a.calls.add(&d.calls[i]); err != nil {
			return err
		}
	}
	return nil
}

// flush hands on the text that one read brought, as one chunk, followed by the evidence it completed.
func (a *answerReader) flush(yield func(Chunk, error) bool) bool {
	if len(a.raw) == 0 {
		return true
	}
	a.clean = a.repair.appendValid(a.clean[:0], a.raw)
	a.raw = a.raw[:0]
	text, cites := a.markers.feed(a.limitText(a.thought.strip(a.clean)))
	a.hasEvidence = a.hasEvidence || len(cites) > 0
	for _, chunk := range newChunks(text, cites) {
		if !yield(chunk, nil) {
			return false
		}
	}
	return true
}

// limitText keeps the answer within its bound.
func (a *answerReader) limitText(text []byte) []byte {
	if a.textBytes+len(text) > maxTextBytes {
		text = text[:runeFloor(text, maxTextBytes-a.textBytes)]
		a.finishReason, a.isDone = "length", true
	}
	if a.textBytes <= maxRefusalBytes {
		a.openingText = append(a.openingText, text[:min(len(text), maxRefusalBytes+1)]...)
	}
	a.textBytes += len(text)
	return text
}

func newChunks(text string, cites []Citation) []Chunk {
	chunks := make([]Chunk, 0, 1+len(cites))
	if text != "" {
		chunks = append(chunks, Chunk{Text: text})
	}
	for i := range cites {
		chunks = append(chunks, Chunk{Citation: &cites[i]})
	}
	return chunks
}

// finalChunks returns the last chunks: held-back text, calls and the finish.
func (a *answerReader) finalChunks() ([]Chunk, error) {
	last := a.limitText(append(a.thought.strip(a.repair.flush()), a.thought.flush()...))
	text, cites := a.markers.finish(last)
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
		chunks = append(chunks, Chunk{ToolCall: &ready[i]})
	}
	return append(chunks, Chunk{Finish: &Finish{
		Reason: reason, InputTokens: a.usage.input, OutputTokens: a.usage.output,
		IsRefusal: reason == "stop" && !a.hasEvidence && isRefusalText(string(a.openingText)),
	}}), nil
}

func (a *answerReader) resolveReason() (string, error) {
	switch {
	case a.finishReason == "error" || a.finishReason == "content_filter" || a.finishReason == "refusal":
		return "", newProviderError("the provider broke the answer off", []byte(a.finishReason))
	case len(a.calls.partialCalls) > 0:
		return "tool-calls", nil
	case a.textBytes == 0:
		return "", errEmptyAnswer
	case a.finishReason == "length" || a.finishReason == "max_tokens" || a.finishReason == "model_context_window_exceeded":
		return "length", nil
	}
	return "stop", nil
}

func runeFloor(b []byte, n int) int {
	for n > 0 && n < len(b) && !utf8.RuneStart(b[n]) {
		n--
	}
	return max(n, 0)
}
