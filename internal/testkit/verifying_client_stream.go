package testkit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// brokenReply is a complete reply that violates the interface.
type brokenReply struct{ problem string }

func (b *brokenReply) Error() string { return b.problem }

func newBrokenReply(format string, args ...any) error {
	return &brokenReply{fmt.Sprintf(format, args...)}
}

type chatMetadata struct {
	MessageID      string
	UserMessageID  string
	ConversationID string
	FinishReason   string
	Usage          struct{ Credits float64 }
}

func (m chatMetadata) newAnswer(id, text string) *Answer {
	return &Answer{Conversation: m.ConversationID, UserMessage: m.UserMessageID, ID: id, Text: text,
		Reason: m.FinishReason, Credits: m.Usage.Credits}
}

func readReply(resp *http.Response) (*Answer, error) {
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var reply struct {
		Data struct {
			ID       string
			Role     string
			Parts    []struct{ Type, Text string }
			Metadata chatMetadata
		}
	}
	if err := json.Unmarshal(raw, &reply); err != nil || reply.Data.ID == "" ||
		reply.Data.Metadata.ConversationID == "" || reply.Data.Role != "assistant" {
		return nil, newBrokenReply("not a chat reply: %v\n%.500s", err, raw)
	}
	var text strings.Builder
	for _, p := range reply.Data.Parts {
		text.WriteString(p.Text)
	}
	return reply.Data.Metadata.newAnswer(reply.Data.ID, text.String()), nil
}

// readStream reads a stream to its end. After the finish event the answer counts as acknowledged, even if the stream is
// interrupted right after it.
func readStream(resp *http.Response) (*Answer, error) {
	var s streamParser
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	for !s.isDone {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err == nil {
			err = s.parseLine(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return s.answer, err
		}
	}
	if rest, err := io.ReadAll(lines); err == nil && strings.TrimSpace(string(rest)) != "" {
		return s.answer, newBrokenReply("%q after the end of the stream", rest)
	}
	return s.answer, nil
}

// streamParser checks the order of a stream: start, start-step, text, finish-step, finish, [DONE].
type streamParser struct {
	lastType         string // type of the last event
	expectsBlankLine bool   // the empty line after an event must follow
	id               string
	text             strings.Builder
	failure          string
	answer           *Answer
	isDone           bool
}

// allowedPredecessors lists the events that each event may follow.
var allowedPredecessors = map[string]string{
	"start": "", "start-step": "start", "text-start": "start-step text-end", "text-delta": "text-start text-delta",
	"text-end": "text-delta", "error": "start-step text-end", "finish-step": "start-step text-end error",
	"finish": "finish-step",
}

func (s *streamParser) parseLine(line string) error {
	if s.expectsBlankLine {
		if s.expectsBlankLine = false; line != "" {
			return newBrokenReply("%q in place of the empty line after an event", line)
		}
		return nil
	}
	s.expectsBlankLine = true
	data, ok := strings.CutPrefix(line, "data: ")
	switch {
	case strings.HasPrefix(line, ":"):
		return nil
	case !ok:
		return newBrokenReply("the stream holds the line %q", line)
	case data == "[DONE]":
		if s.isDone = true; s.answer == nil {
			return newBrokenReply("the stream ends without finish, after %q", s.lastType)
		}
		return nil
	}
	return s.parseEvent([]byte(data))
}

func (s *streamParser) parseEvent(data []byte) error {
	var e struct {
		Type, MessageID, Delta, ErrorText, FinishReason string
		MessageMetadata                                 chatMetadata
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return newBrokenReply("an event is no JSON: %v: %s", err, data)
	}
	after, known := allowedPredecessors[e.Type]
	if !known || s.lastType == "" && e.Type != "start" || s.lastType != "" &&
		!strings.Contains(" "+after+" ", " "+s.lastType+" ") {
		return newBrokenReply("the event %q after %q", e.Type, s.lastType)
	}
	s.lastType = e.Type
	switch e.Type {
	case "start":
		s.id = e.MessageID
	case "text-delta":
		s.text.WriteString(e.Delta)
	case "error":
		s.failure = e.ErrorText
	case "finish":
		m := e.MessageMetadata
		if m.MessageID != s.id || m.FinishReason != e.FinishReason || m.ConversationID == "" {
			return newBrokenReply("the finish %s of the message %s", data, s.id)
		}
		s.answer = m.newAnswer(s.id, s.text.String())
		s.answer.Failure = s.failure
	}
	return nil
}
