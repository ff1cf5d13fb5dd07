package v2

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
)

// ChatRequest is one message to an agent.
type ChatRequest struct {
	AgentRef
	Body ChatBody
}

// ChatBody is the body of a chat request. Null is the same as absent.
type ChatBody struct {
	Message        httpapi.Opt[string] `json:"message,omitzero" nullable:"true" min:"1"`
	Stream         httpapi.Opt[bool]   `json:"stream,omitzero" nullable:"true"`
	UserID         httpapi.Opt[string] `json:"userId,omitzero" nullable:"true" max:"128" pattern:"^[A-Za-z0-9._-]*$"`
	ConversationID httpapi.Opt[string] `json:"conversationId,omitzero" id:"uuid" nullable:"true"`
}

// FieldDocs returns the docs that are too long for tags.
func (ChatBody) FieldDocs() map[string]string {
	return map[string]string{
		"message":        "The user's message. It may be left out only to go on after the result of a tool call was sent.",
		"stream":         "True answers with server-sent events; otherwise the answer is one JSON.",
		"userId":         "The end user, by your own id. Only a new conversation takes it.",
		"conversationId": "Continues a conversation; userId is ignored then.",
	}
}

// AllowsInvalid allows an invalid userId if there is a conversationId: the userId is ignored then, and not validated.
func (b *ChatBody) AllowsInvalid(field string) bool {
	return field == "userId" && b.ConversationID.Ptr() != nil
}

// ChatReply is the agent's answer (docs/interface/chat.md#reply).
type ChatReply struct {
	ID       string       `json:"id"`
	Role     string       `json:"role" enum:"assistant"`
	Parts    []Part       `json:"parts"`
	Metadata ChatMetadata `json:"metadata"`
}

// ChatMetadata locates the answer in its conversation and holds its cost.
type ChatMetadata struct {
	UserMessageID  string  `json:"userMessageId"`
	ConversationID string  `json:"conversationId" format:"uuid"`
	UserID         *string `json:"userId"`
	FinishReason   string  `json:"finishReason" enum:"stop,error,tool-calls"`
	Usage          Usage   `json:"usage"`
	Evidence
}

// Usage is what an answer cost.
type Usage struct {
	Credits float64 `json:"credits" min:"0"`
}

func (s *server) createAnswer(ctx context.Context, c *call, in *ChatRequest) (*Data[ChatReply], error) {
	turn, err := s.startTurn(ctx, c, in)
	if err != nil {
		return nil, err
	}
	return s.renderTurn(ctx, c, turn, in.Body.Stream.Value)
}

// renderTurn renders a turn as one JSON, or as a stream.
func (s *server) renderTurn(ctx context.Context, c *call, turn *chat.Turn, stream bool) (*Data[ChatReply], error) {
	if stream {
		return nil, s.streamTurn(ctx, c, turn)
	}
	end, err := turn.Wait(ctx)
	if err != nil {
		return nil, err
	}
	return &Data[ChatReply]{ChatReply{ID: string(turn.MessageID), Role: "assistant", Parts: messageParts(end.Message),
		Metadata: newChatMetadata(turn, end)}}, nil
}

func (s *server) startTurn(ctx context.Context, c *call, in *ChatRequest) (*chat.Turn, error) {
	caller, body := callerOf(c), &in.Body
	req := chat.Request{Streamed: body.Stream.Value, Channel: parley.ChannelAPI}
	if id := body.ConversationID.Ptr(); id != nil {
		if *id == "" { // no conversation has this id; to the engine it would mean a new one
			return nil, s.conversationNotFound(ctx, c, in.AgentID)
		}
		req.ConversationID = parley.ConversationID(*id)
	} else if id := body.UserID.Ptr(); id != nil {
		req.UserID = parley.EndUserID(*id)
	}
	switch message := body.Message.Ptr(); {
	case message != nil:
		req.Message = *message
	case req.ConversationID != "":
		req.Continue = true
	default:
		return nil, parley.Invalid("message", "is required")
	}
	return s.Chat.Start(ctx, caller.Caller, parley.AgentID(in.AgentID), req)
}

func (s *server) conversationNotFound(ctx context.Context, c *call, agent string) error {
	if err := s.checkAgent(ctx, c.Caller, agent); err != nil {
		return err
	}
	return parley.NewError(parley.CodeConversationNotFound)
}

func newChatMetadata(t *chat.Turn, end *chat.Finish) ChatMetadata {
	return ChatMetadata{UserMessageID: string(t.UserMessageID), ConversationID: string(t.ConversationID),
		UserID: textOrNull(t.UserID), FinishReason: end.Reason, Usage: Usage{end.Credits.Float()},
		Evidence: newEvidence(end.Score, end.AnswerState, end.Citations)}
}

// RetryRequest asks for another answer.
type RetryRequest struct {
	ConversationRef
	Body RetryBody
}

// RetryBody is the body of a retry (docs/interface/chat.md#retry).
type RetryBody struct {
	MessageID string            `json:"messageId" min:"1"`
	Stream    httpapi.Opt[bool] `json:"stream,omitzero" nullable:"true"`
}

// FieldDocs returns the docs that are too long for tags.
func (RetryBody) FieldDocs() map[string]string {
	return map[string]string{
		"messageId": "The answer to replace, or the user's message to answer again. Everything behind the user's message " +
			"gives way to the new answer.",
		"stream": "True answers with server-sent events; otherwise the answer is one JSON.",
	}
}

func (s *server) retryAnswer(ctx context.Context, c *call, in *RetryRequest) (*Data[ChatReply], error) {
	if err := s.checkConversation(ctx, c, in.ConversationRef); err != nil {
		return nil, err
	}
	caller, stream := callerOf(c), in.Body.Stream.Value
	turn, err := s.Chat.Start(ctx, caller.Caller, parley.AgentID(in.AgentID), chat.Request{
		ConversationID: parley.ConversationID(in.ConversationID), Retry: parley.MessageID(in.Body.MessageID),
		Streamed: stream, Channel: parley.ChannelAPI})
	if err != nil {
		return nil, err
	}
	return s.renderTurn(ctx, c, turn, stream)
}

// checkConversation fails unless the conversation in the path began through the API: with CONVERSATION_NOT_FOUND
// for an unknown id, and with a message that names the origin for a conversation of another origin.
func (s *server) checkConversation(ctx context.Context, c *call, ref ConversationRef) error {
	_, err := s.findConversation(ctx, c, ref.AgentID, ref.ConversationID, parley.CodeConversationNotFound)
	return err
}

// ToolResultBody is the body of a tool's result (docs/interface/chat.md#tools-of-the-client). It may have no other
// members.
type ToolResultBody struct {
	ToolCallID string          `json:"toolCallId" min:"1" doc:"The call, as the answer or its stream named it."`
	Output     json.RawMessage `json:"output,omitempty"`
}

// FieldDocs returns the docs that are too long for tags.
func (ToolResultBody) FieldDocs() map[string]string {
	return map[string]string{
		"output": "Any JSON. An object of status and data or error is taken as it is, everything else is the data of a " +
			"success.",
	}
}

func (s *server) submitToolResult(ctx context.Context, c *call,
	in *ConversationRequest[ToolResultBody]) (*Data[Success], error) {
	if err := s.checkConversation(ctx, c, in.ConversationRef); err != nil {
		return nil, err
	}
	err := s.Chat.SubmitToolResult(ctx, agentRef(c, in.AgentID).
		ConversationRef(parley.ConversationID(in.ConversationID)), in.Body.ToolCallID, in.Body.Output)
	if err != nil {
		return nil, err
	}
	return &Data[Success]{Success{true}}, nil
}

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
	isLate, err := httpapi.Await(ctx, cmp.Or(s.StreamOpenDelay, defaultStreamOpenDelay), turn.WaitForText)
	if err != nil {
		r.Close()
		return err
	}
	t := &turnWriter{out: c.StreamUIMessages(), turn: turn, reader: r}
	t.send(event{Type: "start", MessageID: string(turn.MessageID), MessageMetadata: newStreamStart(turn)},
		event{Type: "start-step"})
	if isLate {
		t.flush()
	}
	c.Follow(t.out, cmp.Or(s.KeepAliveInterval, defaultKeepAliveInterval), t)
	return nil
}

// turnWriter writes the events of one turn.
type turnWriter struct {
	out        *httpapi.Stream
	turn       *chat.Turn
	reader     *chat.Reader
	openPartID string // of the open text part; empty for none
	partCount  int    // of text parts that have been opened
	err        error
}

// SendNext implements httpapi.Feed.
func (t *turnWriter) SendNext(ctx context.Context) error {
	events, err := t.reader.Next(ctx)
	if err == nil {
		t.writeEvents(events)
		t.flush()
		err = t.err
	}
	return err
}

// Notify implements httpapi.Notifier.
func (t *turnWriter) Notify(wake func()) { t.reader.Notify(wake) }

// Close implements httpapi.Feed.
func (t *turnWriter) Close() { t.reader.Close() }

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
