package api

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/store"
	"parley/internal/wire"
)

// UserConversationQuery asks for the conversations of an end user (interface 4.4).
type UserConversationQuery struct {
	AgentRef
	UserID string `path:"userId"`
	Paging
}

// userConversations lists what an end user has begun through the API. An id that no user can have finds nothing, like any other.
func (s *server) userConversations(ctx context.Context, c *wire.Call, in *UserConversationQuery) (*Page[Conversation], error) {
	if _, err := s.agent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	return s.summaries(ctx, c, in.AgentID, in.Paging, "conversations "+in.AgentID+" of "+in.UserID,
		store.ConversationFilter{Channel: parley.ChannelAPI, User: parley.EndUserID(in.UserID)})
}

// summaries reads one page of a list of conversations.
func (s *server) summaries(ctx context.Context, c *wire.Call, agent string, paging Paging, purpose string, filter store.ConversationFilter) (*Page[Conversation], error) {
	ask, err := s.ask(paging, purpose)
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Conversations(ctx, caller(c).Account.ID, parley.AgentID(agent), filter, ask)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	return pageOf(s, page, purpose, conversationOf), nil
}
