package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

var (
	errNoDone   = errors.New("the stream ended before [DONE]")
	errNoFinish = errors.New("the stream said [DONE] without a finish")
)

// streamEvent is one event of either stream: that of the interface, or the model's.
type streamEvent struct {
	Type         string `json:"type"`
	Delta        string `json:"delta"`
	ErrorText    string `json:"errorText"`
	FinishReason string `json:"finishReason"`
	Choices      []struct {
		Delta        struct{ Content string } `json:"delta"`
		FinishReason string                   `json:"finish_reason"`
	} `json:"choices"`
}

// text returns the words the event brings.
func (e *streamEvent) text() string {
	if e.Type == "text-delta" {
		return e.Delta
	}
	if len(e.Choices) > 0 {
		return e.Choices[0].Delta.Content
	}
	return ""
}

// finishReason returns the reason when the event ends the answer.
func (e *streamEvent) finishReason() string {
	if len(e.Choices) > 0 {
		return e.Choices[0].FinishReason
	}
	return e.FinishReason
}

// readEvents reads a stream of server-sent events to its end and hands on the text as it comes. It is strict: an event
// is one line "data: " and JSON, and an empty line; comments may be between; after a finish comes [DONE], and then
// nothing.
func readEvents(r *bufio.Reader, text func(string)) error {
	finished := false
	for {
		data, err := readEvent(r)
		switch {
		case errors.Is(err, io.EOF):
			return errNoDone
		case err != nil:
			return err
		case string(data) == "[DONE]":
			return readLastEvent(r, finished)
		}
		var f streamEvent
		if err := json.Unmarshal(data, &f); err != nil {
			return fmt.Errorf("event %q: %w", data, err)
		}
		if f.Type == "error" {
			return fmt.Errorf("the stream reports: %s", f.ErrorText)
		}
		if reason := f.finishReason(); reason != "" {
			if finished = true; reason != "stop" {
				return fmt.Errorf("the answer ended with %q", reason)
			}
		}
		if s := f.text(); s != "" {
			text(s)
		}
	}
}

func readLastEvent(r *bufio.Reader, finished bool) error {
	if !finished {
		return errNoFinish
	}
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		return fmt.Errorf("after [DONE]: %q, %w", rest, err)
	}
	return nil
}

// readEvent reads one event's data; it stays valid until the next read.
func readEvent(r *bufio.Reader) ([]byte, error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if line[0] == ':' {
			if err := readBlankLine(r); err != nil {
				return nil, err
			}
			continue
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			return nil, fmt.Errorf("not an event: %q", line)
		}
		data = bytes.Clone(data[:len(data)-1])
		return data, readBlankLine(r)
	}
}

func readBlankLine(r *bufio.Reader) error {
	if c, err := r.ReadByte(); err != nil || c != '\n' {
		return fmt.Errorf("an event is not followed by an empty line: %q, %w", c, err)
	}
	return nil
}
