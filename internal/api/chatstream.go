package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/wire"
)

// The stream of an answer is the "UI message stream" of facts 6.1. Clients check events against a closed list of types and
// fields, so nothing is added to it: what is ours travels in messageMetadata.
const (
	defaultSilence  = 15 * time.Second
	defaultPatience = 10 * time.Second
)

type event struct {
	Type            string          `json:"type"`
	MessageID       string          `json:"messageId,omitempty"`
	ID              string          `json:"id,omitempty"`
	ToolCallID      string          `json:"toolCallId,omitempty"`
	ToolName        string          `json:"toolName,omitempty"`
	Input           json.RawMessage `json:"input,omitempty"`
	Output          json.RawMessage `json:"output,omitempty"`
	ErrorText       string          `json:"errorText,omitempty"`
	FinishReason    string          `json:"finishReason,omitempty"`
	MessageMetadata any             `json:"messageMetadata,omitempty"`
}

// streamMetadata is the metadata of the last event: it names the message, which the JSON reply names outside.
type streamMetadata struct {
	MessageID string `json:"messageId"`
	ChatMetadata
}

// streamBeginning is the metadata of the first event: with it a client that stops the answer can go on in its conversation.
type streamBeginning struct {
	UserMessageID  string  `json:"userMessageId"`
	ConversationID string  `json:"conversationId"`
	UserID         *string `json:"userId"`
}

func beginningOf(t *chat.Turn) streamBeginning {
	return streamBeginning{string(t.UserMessageID), string(t.ConversationID), textOrNull(t.UserID)}
}

// stream renders a turn as server-sent events. A turn that fails before its first word is an ordinary error. The turn does
// not notice how fast its reader is, or that it has gone.
func (s *server) stream(ctx context.Context, c *wire.Call, turn *chat.Turn) error {
	r := turn.Reader()
	defer r.Close()
	speaking, err := begun(ctx, turn, cmp.Or(s.Patience, defaultPatience))
	if err != nil {
		return err
	}
	t := &teller{out: c.Stream(), turn: turn}
	t.send(event{Type: "start", MessageID: string(turn.MessageID), MessageMetadata: beginningOf(turn)}, event{Type: "start-step"})
	if !speaking {
		t.flush()
	}
	for t.err == nil {
		events, err := next(ctx, r, cmp.Or(s.Silence, defaultSilence))
		switch {
		case err == nil:
			t.tell(events)
			t.flush()
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			t.err = t.out.Ping()
		default: // the end, or the client has gone
			return nil
		}
	}
	return nil // the record has seen why the client could not be written to
}

// begun waits for the first word and reports whether it came in time. An error is the turn's failure before it.
func begun(ctx context.Context, turn *chat.Turn, patience time.Duration) (speaking bool, err error) {
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = turn.Begun(soon)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return false, nil
	}
	return err == nil, err
}

func next(ctx context.Context, r *chat.Reader, silence time.Duration) ([]chat.Event, error) {
	quiet, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	events, err := r.Next(quiet)
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	return events, err
}

// teller words the events of one turn.
type teller struct {
	out   *wire.Stream
	turn  *chat.Turn
	text  string // id of the text part that is open, or empty
	texts int    // how many have been opened
	err   error
}

func (t *teller) send(events ...event) {
	for _, e := range events {
		if err := t.out.Send(e); err != nil {
			t.err = err
		}
	}
}

func (t *teller) flush() {
	if err := t.out.Flush(); err != nil {
		t.err = err
	}
}

// behind is how many events may wait for a reader before their texts are sent as one delta: a slow reader catches up so.
const behind = 256

// tell words events that came together.
func (t *teller) tell(events []chat.Event) {
	var text strings.Builder
	for _, e := range events {
		if e.Kind == chat.Text && len(events) <= behind {
			t.say(e.Text)
			continue
		}
		if e.Kind == chat.Text {
			text.WriteString(e.Text)
			continue
		}
		t.say(text.String())
		text.Reset()
		t.close()
		t.happen(e)
	}
	t.say(text.String())
}

// happen words an event that is not text.
func (t *teller) happen(e chat.Event) {
	switch e.Kind {
	case chat.Called:
		t.send(event{Type: "tool-input-start", ToolCallID: e.Call.CallID, ToolName: e.Call.Tool},
			event{Type: "tool-input-available", ToolCallID: e.Call.CallID, ToolName: e.Call.Tool, Input: e.Call.Input})
	case chat.Returned:
		t.send(event{Type: "tool-output-available", ToolCallID: e.Call.CallID, Output: e.Call.Output})
	case chat.Stepped:
		t.send(event{Type: "finish-step"}, event{Type: "start-step"})
	case chat.Failed:
		t.send(event{Type: "error", ErrorText: e.Err.Message})
	case chat.Finished:
		t.end(e.Finish)
	case chat.Text: // said already
	}
}

func (t *teller) say(text string) {
	if text == "" {
		return
	}
	if t.text == "" {
		t.texts++
		t.text = "t" + strconv.Itoa(t.texts)
		t.send(event{Type: "text-start", ID: t.text})
	}
	t.out.SendText(`{"type":"text-delta","id":"`+t.text+`","delta":"`, text)
}

func (t *teller) close() {
	if t.text != "" {
		t.send(event{Type: "text-end", ID: t.text})
		t.text = ""
	}
}

func (t *teller) end(end *chat.Finish) {
	t.send(event{Type: "finish-step"},
		event{Type: "finish", FinishReason: end.Reason, MessageMetadata: streamMetadata{string(t.turn.MessageID), metadataOf(t.turn, end)}})
	t.out.SendRaw([]byte("[DONE]"))
}
