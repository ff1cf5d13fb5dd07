package api

import (
	"context"

	"parley"
	"parley/internal/chat"
	"parley/internal/wire"
)

// RetryRequest asks for another answer.
type RetryRequest struct {
	ConversationRef
	Body RetryBody
}

// RetryBody is the body of a retry (facts 4.3).
type RetryBody struct {
	MessageID string         `json:"messageId" min:"1" doc:"The answer to replace, or the user's message to answer again. Everything behind the user's message gives way to the new answer."`
	Stream    wire.Opt[bool] `json:"stream,omitzero" nullable:"true" doc:"True answers with server-sent events; otherwise the answer is one JSON."`
}

func (s *server) retry(ctx context.Context, c *wire.Call, in *RetryRequest) (*Data[ChatReply], error) {
	if err := s.within(ctx, c, in.ConversationRef); err != nil {
		return nil, err
	}
	who, stream := caller(c), in.Body.Stream.Value
	turn, err := s.Chat.Start(ctx, who.Account, who.Plan, parley.AgentID(in.AgentID), chat.Request{
		ConversationID: parley.ConversationID(in.ConversationID), Retry: parley.MessageID(in.Body.MessageID), Streamed: stream, Channel: parley.ChannelAPI})
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, c, turn, stream)
}

// within makes sure that the conversation in a path is one that began through the API: an id that nothing answers to is
// CONVERSATION_NOT_FOUND, and of one of another origin its owner is told so (decision 7).
func (s *server) within(ctx context.Context, c *wire.Call, ref ConversationRef) error {
	_, err := s.begunHere(ctx, c, ref.AgentID, ref.ConversationID, parley.CodeConversationGone)
	return err
}
