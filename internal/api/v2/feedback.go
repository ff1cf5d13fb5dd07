package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// FeedbackRequest rates a message.
type FeedbackRequest struct {
	ConversationRef
	MessageID string `path:"messageId"`
	Body      FeedbackBody
}

// FeedbackBody is the body of a rating (facts 4.3). It may hold nothing else.
type FeedbackBody struct {
	Feedback *string `json:"feedback" enum:"positive,negative" name:"Rating" doc:"Null takes the rating back."`
}

func (s *server) rateMessage(ctx context.Context, c *httpapi.Call, in *FeedbackRequest) (*Data[Message], error) {
	if err := s.checkConversation(ctx, c, in.ConversationRef); err != nil {
		return nil, err
	}
	rating := ""
	if in.Body.Feedback != nil {
		rating = *in.Body.Feedback
	}
	m, err := s.Conversations.Rate(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), parley.ConversationID(in.ConversationID), parley.MessageID(in.MessageID), rating)
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it was deleted this moment
		return nil, parley.NewError(parley.CodeConversationNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("rate message: %w", err)
	}
	return &Data[Message]{s.newMessage(m)}, nil
}
