package v2

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// Conversation is the summary of a conversation (interface 2.3).
type Conversation struct {
	ID        string  `json:"id" format:"uuid"`
	Title     *string `json:"title"`
	CreatedAt int64   `json:"createdAt" doc:"Epoch seconds."`
	UpdatedAt int64   `json:"updatedAt" doc:"Epoch seconds of the last activity."`
	UserID    *string `json:"userId" doc:"The end user, by the client's own id."`
	Status    string  `json:"status" enum:"ongoing,ended,taken_over" name:"ConversationStatus"`
}

func newConversation(c *parley.Conversation) Conversation {
	return Conversation{ID: string(c.ID), Title: textOrNull(c.Title), CreatedAt: c.CreatedAt.Unix(), UpdatedAt: c.UpdatedAt.Unix(),
		UserID: textOrNull(c.UserID), Status: string(c.Status)}
}

// History is a conversation with a page of its messages.
type History struct {
	Conversation
	Messages []Message `json:"messages" doc:"The newest messages, oldest first."`
}

// HistoryPage is the reply to a request for one conversation; its cursor leads on in the list of messages (interface 4.8).
type HistoryPage struct {
	Data       History    `json:"data"`
	Pagination Pagination `json:"pagination"`
}

// ConversationRef names the conversation in a path.
type ConversationRef struct {
	AgentID        string `path:"agentId"`
	ConversationID string `path:"conversationId" id:"uuid"`
}

// ConversationQuery narrows the list of conversations.
type ConversationQuery struct {
	AgentRef
	Paging
	StartDate string `query:"startDate" doc:"Created on this day (YYYY-MM-DD, UTC) or later, or at this ISO 8601 time or later."`
	EndDate   string `query:"endDate" doc:"Created on this day or earlier, or at this time or earlier."`
}

func (s *server) listConversations(ctx context.Context, c *httpapi.Call, in *ConversationQuery) (*Page[Conversation], error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	from, before, err := parseDateRange(in.StartDate, in.EndDate)
	if err != nil {
		return nil, err
	}
	return s.conversationPage(ctx, c, in.AgentID, in.Paging, "conversations "+in.AgentID, store.ConversationFilter{Channel: parley.ChannelAPI, CreatedFrom: from, CreatedBefore: before})
}

func (s *server) getConversation(ctx context.Context, c *httpapi.Call, in *ConversationRef) (*HistoryPage, error) {
	conv, err := s.findAPIConversation(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	page, err := s.messagePage(ctx, c, conv, parley.PageRequest{Limit: 20})
	if err != nil {
		return nil, err
	}
	return &HistoryPage{History{newConversation(conv), page.Data}, page.Pagination}, nil
}

// findAPIConversation finds a conversation that began through the API. One of another origin is not found here either, but its owner is
// told where it can be read (interface 4.5, rule 4).
func (s *server) findAPIConversation(ctx context.Context, c *httpapi.Call, agent, id string) (*parley.Conversation, error) {
	return s.findConversation(ctx, c, agent, id, parley.CodeResourceNotFound)
}

// findHandoverConversation is ours, and finds the conversation of a ticket that was opened through the API as well: its customer, too, writes to
// people and hears of them (decision 26).
func (s *server) findHandoverConversation(ctx context.Context, c *httpapi.Call, agent, id string) (*parley.Conversation, error) {
	return s.findConversation(ctx, c, agent, id, parley.CodeResourceNotFound, parley.ChannelUnspecified)
}

// findConversation is ours, with the code for an id that nothing answers to, and with other origins that will do.
func (s *server) findConversation(ctx context.Context, c *httpapi.Call, agent, id string, unknown parley.Code, also ...parley.Channel) (*parley.Conversation, error) {
	if _, err := s.findAgent(ctx, c, agent); err != nil {
		return nil, err
	}
	conv, err := s.DB.Conversation(ctx, callerOf(c).Account.ID, parley.AgentID(agent), parley.ConversationID(id))
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return nil, parley.NewError(unknown)
	}
	if err != nil {
		return nil, fmt.Errorf("find conversation: %w", err)
	}
	if conv.Channel != parley.ChannelAPI && !slices.Contains(also, conv.Channel) {
		return nil, parley.NewErrorf(parley.CodeResourceNotFound, "This conversation came from %q, and only conversations that began through the API are read here. "+
			"Export it instead: GET /agents/%s/conversations/export?conversationId=%s", conv.Channel, agent, id)
	}
	return conv, nil
}

// parseDateRange reads the two dates of a query. A day counts whole, in UTC; before is the first moment that is too late.
func parseDateRange(start, end string) (from, before *time.Time, err error) {
	if start != "" {
		at, _, ok := httpapi.ParseTime(start)
		if !ok {
			return nil, nil, httpapi.InvalidField("startDate", httpapi.InvalidTimeMessage)
		}
		from = &at
	}
	if end != "" {
		at, whole, ok := httpapi.ParseTime(end)
		if !ok {
			return nil, nil, httpapi.InvalidField("endDate", httpapi.InvalidTimeMessage)
		}
		through := httpapi.ExclusiveEnd(at, whole)
		if from != nil && (!whole && from.After(at) || !from.Before(through)) {
			return nil, nil, parley.NewError(parley.CodeInvalidDateRange)
		}
		before = &through
	}
	return from, before, nil
}
