package v2

import (
	"context"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
)

// RetryRequest asks for another answer.
type RetryRequest struct {
	ConversationRef
	Body RetryBody
}

// RetryBody is the body of a retry (facts 4.3).
type RetryBody struct {
	MessageID string            `json:"messageId" min:"1" doc:"The answer to replace, or the user's message to answer again. Everything behind the user's message gives way to the new answer."`
	Stream    httpapi.Opt[bool] `json:"stream,omitzero" nullable:"true" doc:"True answers with server-sent events; otherwise the answer is one JSON."`
}

func (s *server) retryAnswer(ctx context.Context, c *httpapi.Call, in *RetryRequest) (*Data[ChatReply], error) {
	if err := s.checkConversation(ctx, c, in.ConversationRef); err != nil {
		return nil, err
	}
	who, stream := callerOf(c), in.Body.Stream.Value
	turn, err := s.Chat.Start(ctx, who.Account, who.Plan, parley.AgentID(in.AgentID), chat.Request{
		ConversationID: parley.ConversationID(in.ConversationID), Retry: parley.MessageID(in.Body.MessageID), Streamed: stream, Channel: parley.ChannelAPI})
	if err != nil {
		return nil, err
	}
	return s.renderTurn(ctx, c, turn, stream)
}

// checkConversation makes sure that the conversation in a path is one that began through the API: an id that nothing answers to is
// CONVERSATION_NOT_FOUND, and of one of another origin its owner is told so (decision 7).
func (s *server) checkConversation(ctx context.Context, c *httpapi.Call, ref ConversationRef) error {
	_, err := s.findConversation(ctx, c, ref.AgentID, ref.ConversationID, parley.CodeConversationNotFound)
	return err
}
