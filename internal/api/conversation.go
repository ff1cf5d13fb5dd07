package api

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wire"
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

func conversationOf(c *parley.Conversation) Conversation {
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

func (s *server) conversations(ctx context.Context, c *wire.Call, in *ConversationQuery) (*Page[Conversation], error) {
	if _, err := s.agent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	from, before, err := dateRange(in.StartDate, in.EndDate)
	if err != nil {
		return nil, err
	}
	return s.summaries(ctx, c, in.AgentID, in.Paging, "conversations "+in.AgentID, store.ConversationFilter{Channel: parley.ChannelAPI, From: from, Before: before})
}

func (s *server) conversation(ctx context.Context, c *wire.Call, in *ConversationRef) (*HistoryPage, error) {
	conv, err := s.ours(ctx, c, in.AgentID, in.ConversationID)
	if err != nil {
		return nil, err
	}
	page, err := s.page(ctx, c, conv, parley.PageAsk{Limit: 20})
	if err != nil {
		return nil, err
	}
	return &HistoryPage{History{conversationOf(conv), page.Data}, page.Pagination}, nil
}

// ours finds a conversation that began through the API. One of another origin is not found here either, but its owner is
// told where it can be read (interface 4.5, rule 4).
func (s *server) ours(ctx context.Context, c *wire.Call, agent, id string) (*parley.Conversation, error) {
	return s.begunHere(ctx, c, agent, id, parley.CodeResourceNotFound)
}

// withPeople is ours, and finds the conversation of a ticket that was opened through the API as well: its customer, too, writes to
// people and hears of them (decision 26).
func (s *server) withPeople(ctx context.Context, c *wire.Call, agent, id string) (*parley.Conversation, error) {
	return s.begunHere(ctx, c, agent, id, parley.CodeResourceNotFound, parley.ChannelUnspecified)
}

// begunHere is ours, with the code for an id that nothing answers to, and with other origins that will do.
func (s *server) begunHere(ctx context.Context, c *wire.Call, agent, id string, unknown parley.Code, also ...parley.Channel) (*parley.Conversation, error) {
	if _, err := s.agent(ctx, c, agent); err != nil {
		return nil, err
	}
	conv, err := s.DB.Conversation(ctx, caller(c).Account.ID, parley.AgentID(agent), parley.ConversationID(id))
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return nil, parley.Fail(unknown)
	}
	if err != nil {
		return nil, fmt.Errorf("find conversation: %w", err)
	}
	if conv.Channel != parley.ChannelAPI && !slices.Contains(also, conv.Channel) {
		return nil, parley.Failf(parley.CodeResourceNotFound, "This conversation came from %q, and only conversations that began through the API are read here. "+
			"Export it instead: GET /agents/%s/conversations/export?conversationId=%s", conv.Channel, agent, id)
	}
	return conv, nil
}

// dateRange reads the two dates of a query. A day counts whole, in UTC; before is the first moment that is too late.
func dateRange(start, end string) (from, before *time.Time, err error) {
	if start != "" {
		at, _, ok := wire.Moment(start)
		if !ok {
			return nil, nil, wire.Invalid("startDate", wire.NotAMoment)
		}
		from = &at
	}
	if end != "" {
		at, whole, ok := wire.Moment(end)
		if !ok {
			return nil, nil, wire.Invalid("endDate", wire.NotAMoment)
		}
		through := wire.Through(at, whole)
		if from != nil && (!whole && from.After(at) || !from.Before(through)) {
			return nil, nil, parley.Fail(parley.CodeInvalidDateRange)
		}
		before = &through
	}
	return from, before, nil
}
