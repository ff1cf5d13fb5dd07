package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

var (
	errUnended = errors.New("the stream ended before [DONE]")
	errUnsaid  = errors.New("the stream said [DONE] without a finish")
)

// frame is one event of either stream: that of the interface, or the model's.
type frame struct {
	Type         string `json:"type"`
	Delta        string `json:"delta"`
	ErrorText    string `json:"errorText"`
	FinishReason string `json:"finishReason"`
	Choices      []struct {
		Delta        struct{ Content string } `json:"delta"`
		FinishReason string                   `json:"finish_reason"`
	} `json:"choices"`
}

// text gives the words the event brings.
func (f *frame) text() string {
	if f.Type == "text-delta" {
		return f.Delta
	}
	if len(f.Choices) > 0 {
		return f.Choices[0].Delta.Content
	}
	return ""
}

// ended gives the reason when the event ends the answer.
func (f *frame) ended() string {
	if len(f.Choices) > 0 {
		return f.Choices[0].FinishReason
	}
	return f.FinishReason
}

// events reads a stream of server-sent events to its end and hands on the text as it comes. It is strict: an event is one
// line "data: " and JSON, and an empty line; comments may stand between; after a finish comes [DONE], and then nothing.
func events(r *bufio.Reader, text func(string)) error {
	finished := false
	for {
		data, err := event(r)
		switch {
		case errors.Is(err, io.EOF):
			return errUnended
		case err != nil:
			return err
		case string(data) == "[DONE]":
			return last(r, finished)
		}
		var f frame
		if err := json.Unmarshal(data, &f); err != nil {
			return fmt.Errorf("event %q: %w", data, err)
		}
		if f.Type == "error" {
			return fmt.Errorf("the stream reports: %s", f.ErrorText)
		}
		if reason := f.ended(); reason != "" {
			if finished = true; reason != "stop" {
				return fmt.Errorf("the answer ended with %q", reason)
			}
		}
		if s := f.text(); s != "" {
			text(s)
		}
	}
}

func last(r *bufio.Reader, finished bool) error {
	if !finished {
		return errUnsaid
	}
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		return fmt.Errorf("after [DONE]: %q, %w", rest, err)
	}
	return nil
}

// event reads one event's data; it stays valid until the next read.
func event(r *bufio.Reader) ([]byte, error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if line[0] == ':' {
			if err := blank(r); err != nil {
				return nil, err
			}
			continue
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			return nil, fmt.Errorf("not an event: %q", line)
		}
		data = bytes.Clone(data[:len(data)-1])
		return data, blank(r)
	}
}

func blank(r *bufio.Reader) error {
	if c, err := r.ReadByte(); err != nil || c != '\n' {
		return fmt.Errorf("an event is not followed by an empty line: %q, %w", c, err)
	}
	return nil
}
