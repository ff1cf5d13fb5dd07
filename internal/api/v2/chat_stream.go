package v2

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/httpapi"
)

// An answer is streamed in the "UI message stream" format (docs/interface/streaming.md#events). Clients check events
// against a closed list of types and fields, so nothing is added to it: what is specific to Parley is in
// messageMetadata.
const (
	defaultKeepAliveInterval = 15 * time.Second
	defaultStreamOpenDelay   = 10 * time.Second
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

// streamMetadata is the metadata of the last event. It holds the id of the message, which in a JSON reply is
// outside of the metadata.
type streamMetadata struct {
	MessageID string `json:"messageId"`
	ChatMetadata
}

// streamStart is the metadata of the first event. With it a client that stops the answer can continue the
// conversation.
type streamStart struct {
	UserMessageID  string  `json:"userMessageId"`
	ConversationID string  `json:"conversationId"`
	UserID         *string `json:"userId"`
}

func newStreamStart(t *chat.Turn) streamStart {
	return streamStart{string(t.UserMessageID), string(t.ConversationID), textOrNull(t.UserID)}
}

// streamTurn renders a turn as server-sent events. A turn that fails before its first word is an ordinary error. A
// reader that is slow or gone does not affect the turn.
func (s *server) streamTurn(ctx context.Context, c *call, turn *chat.Turn) error {
	r := turn.Reader()
	defer r.Close()
	isLate, err := httpapi.Await(ctx, cmp.Or(s.StreamOpenDelay, defaultStreamOpenDelay), turn.WaitForText)
	if err != nil {
		return err
	}
	t := &turnWriter{out: c.StreamUIMessages(), turn: turn}
	t.send(event{Type: "start", MessageID: string(turn.MessageID), MessageMetadata: newStreamStart(turn)},
		event{Type: "start-step"})
	if isLate {
		t.flush()
	}
	interval := cmp.Or(s.KeepAliveInterval, defaultKeepAliveInterval)
	for t.err == nil {
		var events []chat.Event
		isLate, err := httpapi.Await(ctx, interval, func(ctx context.Context) (err error) {
			events, err = r.Next(ctx)
			return err
		})
		switch {
		case isLate:
			t.err = t.out.Ping()
		case err == nil:
			t.writeEvents(events)
			t.flush()
		default: // the end, or the client is gone
			return nil
		}
	}
	return nil // the log record holds the write error
}

// turnWriter writes the events of one turn.
type turnWriter struct {
	out        *httpapi.Stream
	turn       *chat.Turn
	openPartID string // of the open text part; empty for none
	partCount  int    // of text parts that have been opened
	err        error
}

func (t *turnWriter) send(events ...event) {
	for _, e := range events {
		if err := t.out.Send(e); err != nil {
			t.err = err
		}
	}
}

func (t *turnWriter) flush() {
	if err := t.out.Flush(); err != nil {
		t.err = err
	}
}

// maxPendingEvents is the number of events above which texts are sent as one delta, so that a slow reader can catch
// up.
const maxPendingEvents = 256

// writeEvents writes events that were read together.
func (t *turnWriter) writeEvents(events []chat.Event) {
	var text strings.Builder
	for _, e := range events {
		if e.Kind == chat.Text && len(events) <= maxPendingEvents {
			t.writeText(e.Text)
			continue
		}
		if e.Kind == chat.Text {
			text.WriteString(e.Text)
			continue
		}
		t.writeText(text.String())
		text.Reset()
		t.closePart()
		t.writeEvent(e)
	}
	t.writeText(text.String())
}

// writeEvent writes an event other than text.
func (t *turnWriter) writeEvent(e chat.Event) {
	switch e.Kind {
	case chat.ToolCalled:
		t.send(event{Type: "tool-input-start", ToolCallID: e.Call.CallID, ToolName: e.Call.Tool},
			event{Type: "tool-input-available", ToolCallID: e.Call.CallID, ToolName: e.Call.Tool, Input: e.Call.Input})
	case chat.ToolReturned:
		t.send(event{Type: "tool-output-available", ToolCallID: e.Call.CallID, Output: e.Call.Output})
	case chat.NextRound:
		t.send(event{Type: "finish-step"}, event{Type: "start-step"})
	case chat.Failed:
		t.send(event{Type: "error", ErrorText: e.Err.Message})
	case chat.Finished:
		t.writeFinish(e.Finish)
	case chat.Text: // written by writeEvents
	}
}

func (t *turnWriter) writeText(text string) {
	if text == "" {
		return
	}
	if t.openPartID == "" {
		t.partCount++
		t.openPartID = "t" + strconv.Itoa(t.partCount)
		t.send(event{Type: "text-start", ID: t.openPartID})
	}
	t.out.SendText(`{"type":"text-delta","id":"`+t.openPartID+`","delta":"`, text)
}

func (t *turnWriter) closePart() {
	if t.openPartID != "" {
		t.send(event{Type: "text-end", ID: t.openPartID})
		t.openPartID = ""
	}
}

func (t *turnWriter) writeFinish(end *chat.Finish) {
	t.send(event{Type: "finish-step"},
		event{Type: "finish", FinishReason: end.Reason,
			MessageMetadata: streamMetadata{string(t.turn.MessageID), newChatMetadata(t.turn, end)}})
	t.out.SendRaw([]byte("[DONE]"))
}
