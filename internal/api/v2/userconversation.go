package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// UserConversationQuery asks for the conversations of an end user (interface 4.4).
type UserConversationQuery struct {
	AgentRef
	UserID string `path:"userId"`
	Paging
}

// listUserConversations lists what an end user has begun through the API. An id that no user can have finds nothing, like any other.
func (s *server) listUserConversations(ctx context.Context, c *httpapi.Call, in *UserConversationQuery) (*Page[Conversation], error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	return s.conversationPage(ctx, c, in.AgentID, in.Paging, "conversations "+in.AgentID+" of "+in.UserID,
		store.ConversationFilter{Channel: parley.ChannelAPI, User: parley.EndUserID(in.UserID)})
}

// conversationPage reads one page of a list of conversations.
func (s *server) conversationPage(ctx context.Context, c *httpapi.Call, agent string, paging Paging, purpose string, filter store.ConversationFilter) (*Page[Conversation], error) {
	ask, err := s.pageRequest(paging, purpose)
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Conversations(ctx, callerOf(c).Account.ID, parley.AgentID(agent), filter, ask)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	return newPage(s, page, purpose, newConversation), nil
}
