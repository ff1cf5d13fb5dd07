package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// TicketSearch looks for tickets.
type TicketSearch struct {
	AgentRef
	Body TicketSearchBody
}

// TicketSearchBody is the body of a search for tickets (facts 4.2b).
type TicketSearchBody struct {
	Query string `json:"query" min:"1" max:"512" doc:"Words, each of which must be there, or the number of a ticket."`
	Limit int    `json:"limit,omitempty" min:"1" max:"50" default:"20" doc:"Most tickets to give."`
}

// FoundTickets are the tickets that a search has found, the best first.
type FoundTickets struct {
	Data       []TicketSummary `json:"data"`
	Pagination FoundTicketsEnd `json:"pagination"`
}

// FoundTicketsEnd says whether a search has found more tickets. There is no next page.
type FoundTicketsEnd struct {
	Cursor  *string `json:"cursor" doc:"Always null."`
	HasMore bool    `json:"hasMore" doc:"Whether there are more tickets than limit."`
}

func (s *server) searchTickets(ctx context.Context, c *httpapi.Call, in *TicketSearch) (*FoundTickets, error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	list, more, err := s.Helpdesk.Search(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), in.Body.Query, in.Body.Limit)
	if err != nil {
		return nil, fmt.Errorf("search tickets: %w", err)
	}
	return &FoundTickets{Data: newTicketSummaries(list), Pagination: FoundTicketsEnd{HasMore: more}}, nil
}
