package v2

import (
	"cmp"
	"context"
	"encoding/json"

	"parley"
	"parley/internal/api/uistream"
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
	if caller.Visitor != nil {
		if err := s.setVisitor(ctx, c, in, &req); err != nil {
			return nil, err
		}
	}
	if id := body.ConversationID.Ptr(); id != nil {
		if *id == "" { // no conversation has this id; to the engine it would mean a new one
			return nil, s.conversationNotFound(ctx, c, in.AgentID)
		}
		req.ConversationID = parley.ConversationID(*id)
	} else if id := body.UserID.Ptr(); id != nil && caller.Visitor == nil {
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

// setVisitor makes a request one of the visitor, who continues nothing but the own conversations.
func (s *server) setVisitor(ctx context.Context, c *call, in *ChatRequest, req *chat.Request) error {
	caller := callerOf(c)
	req.VisitorID, req.UserID, req.Channel = caller.Visitor.ID, caller.Visitor.UserID, caller.Channel
	id := in.Body.ConversationID.Ptr()
	if id == nil || *id == "" {
		return nil
	}
	conv, err := s.findConversation(ctx, c, in.AgentID, *id, parley.CodeConversationNotFound)
	if err == nil {
		req.Channel = conv.Channel
	}
	return err
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
	conv, err := s.findConversation(ctx, c, in.AgentID, in.ConversationID, parley.CodeConversationNotFound)
	if err != nil {
		return nil, err
	}
	caller, stream := callerOf(c), in.Body.Stream.Value
	req := chat.Request{ConversationID: conv.ID, Retry: parley.MessageID(in.Body.MessageID), Streamed: stream,
		Channel: conv.Channel}
	if caller.Visitor != nil {
		req.VisitorID = caller.Visitor.ID
	}
	turn, err := s.Chat.Start(ctx, caller.Caller, parley.AgentID(in.AgentID), req)
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

// streamMetadata is the metadata of the last event. It holds the id of the message, which in a JSON reply is
// outside of the metadata.
type streamMetadata struct {
	MessageID string `json:"messageId"`
	ChatMetadata
}

// streamTurn renders a turn as server-sent events. A turn that fails before its first word is an ordinary error. A
// reader that is slow or gone does not affect the turn.
func (s *server) streamTurn(ctx context.Context, c *call, turn *chat.Turn) error {
	r := turn.Reader()
	isLate, err := httpapi.Await(ctx, cmp.Or(s.StreamOpenDelay, uistream.OpenDelay), turn.WaitForText)
	if err != nil {
		r.Close()
		return err
	}
	out := c.StreamUIMessages()
	w := uistream.NewWriter(out, turn, r, func(end *chat.Finish) any {
		return streamMetadata{string(turn.MessageID), newChatMetadata(turn, end)}
	})
	w.Begin(uistream.Start{UserMessageID: string(turn.UserMessageID), ConversationID: string(turn.ConversationID),
		UserID: textOrNull(turn.UserID)})
	if isLate {
		w.Flush()
	}
	c.Follow(out, cmp.Or(s.KeepAliveInterval, uistream.KeepAliveInterval), w)
	return nil
}
