package llm

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// intake gathers one provider's answer: bytes of the stream in, chunks out.
type intake struct {
	raw     []byte // text of the current read as the provider wrote it
	clean   []byte // the same as valid UTF-8
	repair  repair
	thought thought
	marks   marks
	calls   calls
	finish  string // the reason given, empty while there is none
	usage   usage
	events  int
	length  int     // bytes of text so far
	opening []byte  // the first of them
	backed  bool    // there was evidence
	blocks  *blocks // of an answer in Anthropic's format, nil in OpenAI's
	format  byte    // 's' events, 'j' one JSON document, 0 not known yet
	marked  bool    // the stream said [DONE]
	done    bool
}

func newIntake(req Request) *intake { return &intake{marks: marks{passages: req.Passages}} }

// take reads what the last fill brought; end is what fill returned.
func (a *intake) take(l *lines, end error) error {
	if a.format == 0 {
		a.sniff(l)
	}
	if a.format == 'j' {
		if !errors.Is(end, io.EOF) {
			return nil
		}
		a.done = true
		return a.event(l.rest())
	}
	for line, ok := l.next(); ok && !a.done; line, ok = l.next() {
		if err := a.line(line); err != nil {
			return err
		}
	}
	if errors.Is(end, io.EOF) && !a.done && a.line(l.rest()) != nil && a.finish == "" {
		return errCut
	}
	return nil
}

// sniff tells an event stream from the plain reply of a server that does not stream, whatever its content type says.
func (a *intake) sniff(l *lines) {
	start := bytes.TrimLeft(l.buf[l.r:l.w], " \t\r\n\uFEFF")
	switch {
	case len(start) == 0:
	case start[0] == '{':
		a.format = 'j'
	default:
		a.format = 's'
		l.r = l.w - len(start)
		l.scanned = 0
	}
}

func (a *intake) line(line []byte) error {
	if a.events++; a.events > maxEvents {
		return errEndless
	}
	name, data := field(line)
	switch {
	case name == "garbage":
		return garbled("the provider sent no event stream", data)
	case name == "" || len(data) == 0:
		return nil
	case string(data) == "[DONE]":
		a.done, a.marked = true, true
		return nil
	}
	return a.event(data)
}

func (a *intake) event(data []byte) error {
	d := delta{text: a.raw}
	decode := d.decode
	if a.blocks != nil {
		decode = func(data []byte) bool { return a.blocks.decode(&d, data) }
	}
	if !decode(data) {
		return garbled("the provider sent broken JSON", data)
	}
	if d.failure != nil {
		return garbled("the provider reported an error", d.failure)
	}
	a.raw = d.text
	a.usage.take(d.usage)
	if d.last {
		a.done, a.marked = true, true
	}
	if len(d.finish) > 0 {
		a.finish = string(d.finish)
	}
	for i := range d.calls {
		if err := a.calls.add(&d.calls[i]); err != nil {
			return err
		}
	}
	return nil
}

// flush hands on the text that one read brought, as one chunk, followed by the evidence it completed.
func (a *intake) flush(yield func(Chunk, error) bool) bool {
	if len(a.raw) == 0 {
		return true
	}
	a.clean = a.repair.append(a.clean[:0], a.raw)
	a.raw = a.raw[:0]
	text, cites := a.marks.feed(a.count(a.thought.strip(a.clean)))
	a.backed = a.backed || len(cites) > 0
	for _, chunk := range chunksOf(text, cites) {
		if !yield(chunk, nil) {
			return false
		}
	}
	return true
}

// count keeps the answer within its bound.
func (a *intake) count(said []byte) []byte {
	if a.length+len(said) > maxText {
		said = said[:runeFloor(said, maxText-a.length)]
		a.finish, a.done = "length", true
	}
	if a.length <= longestRefusal {
		a.opening = append(a.opening, said[:min(len(said), longestRefusal+1)]...)
	}
	a.length += len(said)
	return said
}

func chunksOf(text string, cites []Cite) []Chunk {
	chunks := make([]Chunk, 0, 1+len(cites))
	if text != "" {
		chunks = append(chunks, Chunk{Text: text})
	}
	for i := range cites {
		chunks = append(chunks, Chunk{Cite: &cites[i]})
	}
	return chunks
}

// end gives the last chunks: held-back text, calls and the finish.
func (a *intake) end() ([]Chunk, error) {
	last := a.count(append(a.thought.strip(a.repair.end()), a.thought.end()...))
	text, cites := a.marks.end(last)
	a.backed = a.backed || len(cites) > 0
	chunks := chunksOf(text, cites)
	reason, err := a.reason()
	if err != nil {
		return chunks, err
	}
	ready, err := a.calls.done()
	if err != nil {
		return chunks, err
	}
	for i := range ready {
		chunks = append(chunks, Chunk{Call: &ready[i]})
	}
	return append(chunks, Chunk{Finish: &Finish{
		Reason: reason, InputTokens: a.usage.in, OutputTokens: a.usage.out,
		Refused: reason == "stop" && !a.backed && refuses(string(a.opening)),
	}}), nil
}

func (a *intake) reason() (string, error) {
	switch {
	case a.finish == "error" || a.finish == "content_filter" || a.finish == "refusal":
		return "", garbled("the provider broke the answer off", []byte(a.finish))
	case len(a.calls.open) > 0:
		return "tool-calls", nil
	case a.length == 0:
		return "", errEmpty
	case a.finish == "length" || a.finish == "max_tokens" || a.finish == "model_context_window_exceeded":
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
