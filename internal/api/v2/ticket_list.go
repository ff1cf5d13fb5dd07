package v2

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// TicketPage is a page of tickets.
type TicketPage struct {
	Data       []TicketSummary `json:"data"`
	Pagination TicketPaging    `json:"pagination"`
}

// TicketPaging locates a page in the list of tickets.
type TicketPaging struct {
	Cursor  *string          `json:"cursor"`
	HasMore bool             `json:"hasMore"`
	Total   httpapi.Opt[int] `json:"total,omitzero" min:"0" doc:"Tickets of the whole list; only with includeTotal=true."`
}

// FieldDocs returns the docs that are too long for tags.
func (TicketPaging) FieldDocs() map[string]string {
	return map[string]string{
		"cursor": "Opaque; send it back with the same parameters to get the next page. Null on the last one.",
	}
}

// TicketQuery narrows and sorts the list of tickets (docs/interface/helpdesk.md#list-of-tickets).
type TicketQuery struct {
	AgentRef
	Paging
	Status        []string `query:"status" item:"enum=@statusCategory,name=TicketCategory"`
	Channel       []string `query:"channel" item:"enum=@ticketChannel,name=TicketChannel"`
	AssigneeID    string   `query:"assigneeId" id:"uuid" doc:"Tickets that this member has; none: those that nobody has."`
	TeamID        string   `query:"teamId" id:"uuid" doc:"Tickets of this team; none: those of no team."`
	CreatedAfter  string   `query:"createdAfter"`
	CreatedBefore string   `query:"createdBefore" doc:"Created on this day or earlier, or at this time or earlier."`
	SortBy        string   `query:"sortBy" enum:"createdAt,updatedAt,lastMessageAt" default:"updatedAt"`
	Order         string   `query:"order" enum:"asc,desc" name:"SortOrder" default:"desc"`
	IncludeTotal  bool     `query:"includeTotal" default:"false" doc:"Whether pagination.total counts the whole list."`
}

// FieldDocs returns the docs that are too long for tags.
func (TicketQuery) FieldDocs() map[string]string {
	return map[string]string{
		"status":       "Categories of statuses, comma-separated.",
		"channel":      "Where the tickets came from, comma-separated.",
		"createdAfter": "Created on this day (YYYY-MM-DD, UTC) or later, or at this ISO 8601 time or later.",
	}
}

func (s *server) listTickets(ctx context.Context, c *call, in *TicketQuery) (*TicketPage, error) {
	filter, err := in.storeFilter()
	if err != nil {
		return nil, err
	}
	request, err := s.pageRequest(in.Paging, in.cursorPurpose())
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Tickets(ctx, agentRef(c, in.AgentID), filter, request)
	if err != nil {
		return nil, fmt.Errorf("list tickets: %w", err)
	}
	out := &TicketPage{Data: httpapi.ConvertList(page.Items, newTicketSummary),
		Pagination: TicketPaging{Cursor: s.cursors.Seal(in.cursorPurpose(), page.Next), HasMore: page.Next != nil}}
	if in.IncludeTotal {
		out.Pagination.Total = httpapi.Some(page.Total)
	}
	return out, nil
}

// cursorPurpose binds a cursor to its list: the filters, the sort field and the direction.
func (q *TicketQuery) cursorPurpose() string {
	return strings.Join([]string{"tickets", q.AgentID, strings.Join(q.Status, ","), strings.Join(q.Channel, ","),
		q.AssigneeID, q.TeamID, q.CreatedAfter, q.CreatedBefore, q.SortBy, q.Order}, "\x00")
}

// noneID selects tickets without an assignee, or without a team.
const noneID = "none"

func (q *TicketQuery) storeFilter() (store.TicketFilter, error) {
	f := store.TicketFilter{Sort: ticketSorts[q.SortBy], Ascending: q.Order == "asc", CountTotal: q.IncludeTotal}
	for _, category := range q.Status {
		f.Categories = append(f.Categories, parley.StatusCategory(category))
	}
	for _, channel := range q.Channel {
		f.Channels = append(f.Channels, parley.TicketChannel(channel))
	}
	faults := map[string]string{}
	f.Assignee = parseOptionalID[parley.UserID](q.AssigneeID, "assigneeId", faults)
	f.Team = parseOptionalID[parley.TeamID](q.TeamID, "teamId", faults)
	f.CreatedFrom = parseMoment(q.CreatedAfter, "createdAfter", false, faults)
	f.CreatedTo = parseMoment(q.CreatedBefore, "createdBefore", true, faults)
	if err := parley.InvalidFields(faults); err != nil {
		return f, err
	}
	if f.CreatedFrom != nil && f.CreatedTo != nil && f.CreatedFrom.After(*f.CreatedTo) {
		return f, parley.NewError(parley.CodeInvalidDateRange)
	}
	return f, nil
}

var ticketSorts = map[string]store.TicketSort{"createdAt": store.SortByCreated, "updatedAt": store.SortByUpdated,
	"lastMessageAt": store.SortByLastMessage}

// parseOptionalID parses an id, or noneID, for which the id is empty. It returns nil for a parameter that was not
// sent.
func parseOptionalID[S ~string](text, name string, faults map[string]string) *S {
	id := S(strings.ToLower(text)) // as ids are stored
	switch {
	case text == "":
		return nil
	case text == noneID:
		id = ""
	case !parley.IsUUID(text):
		faults[name] = "must be a UUID, or none"
	}
	return &id
}

// parseMoment parses a day or a time, and returns its last millisecond if isEnd is set, otherwise its first. It
// returns nil for a parameter that was not sent.
func parseMoment(text, name string, isEnd bool, faults map[string]string) *time.Time {
	if text == "" {
		return nil
	}
	at, wholeDay, ok := httpapi.ParseTime(text)
	if !ok {
		faults[name] = httpapi.InvalidTimeMessage
		return nil
	}
	if isEnd {
		at = httpapi.ExclusiveEnd(at, wholeDay).Add(-time.Millisecond)
	}
	return &at
}

// TicketSearchBody is the body of a search for tickets (docs/interface/helpdesk.md#search-for-tickets).
type TicketSearchBody struct {
	Query string `json:"query" min:"1" max:"512" doc:"Words, each of which must be there, or the number of a ticket."`
	Limit int    `json:"limit,omitempty" min:"1" max:"50" default:"20" doc:"Most tickets to give."`
}

// FoundTickets are the tickets that a search has found, the best first.
type FoundTickets struct {
	Data       []TicketSummary `json:"data"`
	Pagination FoundTicketsEnd `json:"pagination"`
}

// FoundTicketsEnd says whether there are more tickets. There is no next page.
type FoundTicketsEnd struct {
	Cursor  *string `json:"cursor" doc:"Always null."`
	HasMore bool    `json:"hasMore" doc:"Whether there are more tickets than limit."`
}

func (s *server) searchTickets(ctx context.Context, c *call,
	in *AgentRequest[TicketSearchBody]) (*FoundTickets, error) {
	list, more, err := s.Helpdesk.Search(ctx, agentRef(c, in.AgentID), in.Body.Query, in.Body.Limit)
	if err != nil {
		return nil, fmt.Errorf("search tickets: %w", err)
	}
	return &FoundTickets{Data: httpapi.ConvertList(list, newTicketSummary), Pagination: FoundTicketsEnd{HasMore: more}},
		nil
}
