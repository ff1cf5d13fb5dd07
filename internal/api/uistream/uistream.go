// Package uistream writes answers as server-sent events in the "UI message stream" format
// (docs/interface/streaming.md#events). Clients check events against a closed list of types and members: what is
// specific to Parley is in messageMetadata, and only streams of several answers name the answer of an event.
package uistream

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/httpapi"
)

// The intervals of a stream where nothing else is configured.
const (
	KeepAliveInterval = 15 * time.Second // of silence, after which a comment is sent
	OpenDelay         = 10 * time.Second // for which a stream waits for the first word before it begins
)

type event struct {
	Type            string          `json:"type"`
	Lane            string          `json:"lane,omitempty"`
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

// Start is the metadata of the first event. With it a client that stops the answer can continue the conversation.
type Start struct {
	UserMessageID  string  `json:"userMessageId"`
	ConversationID string  `json:"conversationId"`
	UserID         *string `json:"userId"`
	TurnID         string  `json:"turnId,omitempty"` // where an answer can be followed again
}

// Writer writes the events of one turn. It is a httpapi.Notifier.
type Writer struct {
	out        *httpapi.Stream
	turn       *chat.Turn
	reader     *chat.Reader
	describe   func(end *chat.Finish) any // the metadata of the last event
	lane       string                     // names the answer in a stream of several; empty for the only one
	openPartID string                     // of the open text part; empty for none
	partCount  int                        // of text parts that have been opened
	err        error

	hasPositions bool
	at           position // what has been written, or passed over
	resumeAt     position // what the client has already
}

// position is how far an answer has come: the ids of events tell it.
type position struct{ calls, bytes int }

// reaches reports whether everything before other has come.
func (p position) reaches(other position) bool {
	return p.calls >= other.calls && p.bytes >= other.bytes
}

// parsePosition reads an id of an event. What is none is the beginning.
func parsePosition(id string) position {
	calls, bytes, _ := strings.Cut(id, "-")
	p := position{}
	var errs [2]error
	p.calls, errs[0] = strconv.Atoi(calls)
	p.bytes, errs[1] = strconv.Atoi(bytes)
	if errs[0] != nil || errs[1] != nil || p.calls < 0 || p.bytes < 0 {
		return position{}
	}
	return p
}

// NewWriter returns a writer of the turn that the reader follows, and closes it.
func NewWriter(out *httpapi.Stream, turn *chat.Turn, r *chat.Reader, describe func(end *chat.Finish) any) *Writer {
	return &Writer{out: out, turn: turn, reader: r, describe: describe}
}

// InLane has the writer name its answer in each event, and leave the mark of the stream's end to others.
func (w *Writer) InLane(name string) *Writer {
	w.lane = name
	return w
}

// WithPositions has events carry ids, from which a stream of the same answer goes on: lastEventID is the last one that
// the client has, or empty. A stream that goes on has no start. Call it before Begin.
func (w *Writer) WithPositions(lastEventID string) {
	w.hasPositions, w.resumeAt = true, parsePosition(lastEventID)
}

// isPast reports whether the client has what is written now.
func (w *Writer) isPast() bool { return !w.at.reaches(w.resumeAt) }

// sendPosition sends the id of the next event.
func (w *Writer) sendPosition() {
	if w.hasPositions {
		w.out.SendID(strconv.Itoa(w.at.calls) + "-" + strconv.Itoa(w.at.bytes))
	}
}

// Begin buffers the first events.
func (w *Writer) Begin(start Start) {
	if w.isPast() {
		return
	}
	w.send(event{Type: "start", MessageID: string(w.turn.MessageID), MessageMetadata: start}, event{Type: "start-step"})
}

// SendNext implements httpapi.Feed.
func (w *Writer) SendNext(ctx context.Context) error {
	events, err := w.reader.Next(ctx)
	if err == nil {
		w.writeEvents(events)
		w.Flush()
		err = w.err
	}
	return err
}

// Notify implements httpapi.Notifier.
func (w *Writer) Notify(wake func()) { w.reader.Notify(wake) }

// Close implements httpapi.Feed.
func (w *Writer) Close() { w.reader.Close() }

func (w *Writer) send(events ...event) {
	for _, e := range events {
		e.Lane = w.lane
		if err := w.out.Send(e); err != nil {
			w.err = err
		}
	}
}

// Flush sends what is buffered.
func (w *Writer) Flush() {
	if err := w.out.Flush(); err != nil {
		w.err = err
	}
}

// maxPendingEvents is the number of events above which texts are sent as one delta, so that a slow reader can catch
// up.
const maxPendingEvents = 256

// writeEvents writes events that were read together.
func (w *Writer) writeEvents(events []chat.Event) {
	var text strings.Builder
	for _, e := range events {
		if e.Kind == chat.Text && len(events) <= maxPendingEvents {
			w.writeText(e.Text)
			continue
		}
		if e.Kind == chat.Text {
			text.WriteString(e.Text)
			continue
		}
		w.writeText(text.String())
		text.Reset()
		w.closePart()
		w.writeEvent(e)
	}
	w.writeText(text.String())
}

// writeEvent writes an event other than text.
func (w *Writer) writeEvent(e chat.Event) {
	isPast := w.isPast()
	switch e.Kind {
	case chat.ToolCalled:
		w.writeCall(isPast, event{Type: "tool-input-start", ToolCallID: e.Call.CallID, ToolName: e.Call.Tool},
			event{Type: "tool-input-available", ToolCallID: e.Call.CallID, ToolName: e.Call.Tool, Input: e.Call.Input})
	case chat.ToolReturned:
		w.writeCall(isPast, event{Type: "tool-output-available", ToolCallID: e.Call.CallID, Output: e.Call.Output})
	case chat.NextRound:
		if !isPast {
			w.send(event{Type: "finish-step"}, event{Type: "start-step"})
		}
	case chat.Failed:
		w.send(event{Type: "error", ErrorText: e.Err.Message})
	case chat.Finished:
		w.writeFinish(e.Finish)
	case chat.Text: // written by writeEvents
	}
}

// writeCall writes the events of a tool call or of its result. The last one has their position.
func (w *Writer) writeCall(isPast bool, events ...event) {
	w.at.calls++
	if isPast {
		return
	}
	last := len(events) - 1
	w.send(events[:last]...)
	w.sendPosition()
	w.send(events[last])
}

func (w *Writer) writeText(text string) {
	if text == "" {
		return
	}
	known := min(max(w.resumeAt.bytes-w.at.bytes, 0), len(text))
	isNew := w.openPartID == ""
	if isNew {
		w.partCount++
		w.openPartID = "t" + strconv.Itoa(w.partCount)
	}
	if isNew && known == 0 {
		w.send(event{Type: "text-start", ID: w.openPartID})
	}
	w.at.bytes += len(text)
	if text = text[known:]; text == "" {
		return
	}
	lane := ""
	if w.lane != "" {
		lane = `"lane":"` + w.lane + `",`
	}
	w.sendPosition()
	w.out.SendText(`{"type":"text-delta",`+lane+`"id":"`+w.openPartID+`","delta":"`, text)
}

func (w *Writer) closePart() {
	if w.openPartID != "" && !w.isPast() {
		w.send(event{Type: "text-end", ID: w.openPartID})
	}
	w.openPartID = ""
}

func (w *Writer) writeFinish(end *chat.Finish) {
	w.send(event{Type: "finish-step"},
		event{Type: "finish", FinishReason: end.Reason, MessageMetadata: w.describe(end)})
	if w.lane == "" {
		SendEnd(w.out)
	}
}

// SendEnd buffers the mark of the stream's end.
func SendEnd(out *httpapi.Stream) { out.SendRaw([]byte("[DONE]")) }
