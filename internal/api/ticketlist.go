package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wire"
)

// TicketPage is a page of tickets.
type TicketPage struct {
	Data       []TicketSummary `json:"data"`
	Pagination TicketPaging    `json:"pagination"`
}

// TicketPaging says where a page of tickets stands in its list.
type TicketPaging struct {
	Cursor  *string       `json:"cursor" doc:"Opaque; send it back with the same parameters to get the next page. Null on the last one."`
	HasMore bool          `json:"hasMore"`
	Total   wire.Opt[int] `json:"total,omitzero" min:"0" doc:"Tickets of the whole list; only with includeTotal=true."`
}

// TicketQuery narrows and sorts the list of tickets (facts 4.2b).
type TicketQuery struct {
	AgentRef
	Paging
	Status        []string `query:"status" item:"enum=new|on_you|on_customer|on_hold|closed|cancelled,name=TicketCategory" doc:"Categories of statuses, comma-separated."`
	Channel       []string `query:"channel" item:"enum=helpdesk|iframe|email|whatsapp|api|messenger|instagram|center_stage|phone|instagram_comment|facebook_comment,name=TicketChannel" doc:"Where the tickets came from, comma-separated."`
	AssigneeID    string   `query:"assigneeId" id:"uuid" doc:"Tickets that this member has; none: those that nobody has."`
	TeamID        string   `query:"teamId" id:"uuid" doc:"Tickets of this team; none: those of no team."`
	CreatedAfter  string   `query:"createdAfter" doc:"Created on this day (YYYY-MM-DD, UTC) or later, or at this ISO 8601 time or later."`
	CreatedBefore string   `query:"createdBefore" doc:"Created on this day or earlier, or at this time or earlier."`
	SortBy        string   `query:"sortBy" enum:"createdAt,updatedAt,lastMessageAt" default:"updatedAt"`
	Order         string   `query:"order" enum:"asc,desc" name:"SortOrder" default:"desc"`
	IncludeTotal  bool     `query:"includeTotal" default:"false" doc:"Whether pagination.total counts the whole list."`
}

func (s *server) tickets(ctx context.Context, c *wire.Call, in *TicketQuery) (*TicketPage, error) {
	if _, err := s.agent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	filter, err := in.filter()
	if err != nil {
		return nil, err
	}
	ask, err := s.ask(in.Paging, in.purpose())
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Tickets(ctx, caller(c).Account.ID, parley.AgentID(in.AgentID), filter, ask)
	if err != nil {
		return nil, fmt.Errorf("list tickets: %w", err)
	}
	out := &TicketPage{Data: summariesOf(page.Items), Pagination: TicketPaging{Cursor: s.cursors.Seal(in.purpose(), page.Next), HasMore: page.Next != nil}}
	if in.IncludeTotal {
		out.Pagination.Total = wire.Some(page.Total)
	}
	return out, nil
}

func summariesOf(list []parley.Ticket) []TicketSummary {
	out := make([]TicketSummary, len(list))
	for i := range list {
		out[i] = summaryOf(&list[i])
	}
	return out
}

// purpose ties a cursor to the list that gave it out: its filters, its sort and its direction.
func (in *TicketQuery) purpose() string {
	return strings.Join([]string{"tickets", in.AgentID, strings.Join(in.Status, ","), strings.Join(in.Channel, ","), in.AssigneeID, in.TeamID,
		in.CreatedAfter, in.CreatedBefore, in.SortBy, in.Order}, "\x00")
}

// none stands for what has no assignee, or no team.
const none = "none"

func (in *TicketQuery) filter() (store.TicketFilter, error) {
	f := store.TicketFilter{Sort: sorts[in.SortBy], Ascending: in.Order == "asc", Count: in.IncludeTotal}
	for _, category := range in.Status {
		f.Categories = append(f.Categories, parley.StatusCategory(category))
	}
	for _, channel := range in.Channel {
		f.Channels = append(f.Channels, parley.TicketChannel(channel))
	}
	wrong := map[string]string{}
	f.Assignee = whose[parley.UserID](in.AssigneeID, "assigneeId", wrong)
	f.Team = whose[parley.TeamID](in.TeamID, "teamId", wrong)
	f.From = moment(in.CreatedAfter, "createdAfter", false, wrong)
	f.To = moment(in.CreatedBefore, "createdBefore", true, wrong)
	if len(wrong) > 0 {
		return f, invalid(wrong)
	}
	if f.From != nil && f.To != nil && f.From.After(*f.To) {
		return f, parley.Fail(parley.CodeInvalidDateRange)
	}
	return f, nil
}

var sorts = map[string]store.TicketSort{"createdAt": store.ByCreated, "updatedAt": store.ByUpdated, "lastMessageAt": store.BySpoken}

// whose reads an id that may be none; nil stands for a parameter that was not sent.
func whose[S ~string](text, name string, wrong map[string]string) *S {
	id := S(strings.ToLower(text)) // as ids are written here
	switch {
	case text == "":
		return nil
	case text == none:
		id = ""
	case !parley.IsUUID(text):
		wrong[name] = "must be a UUID, or none"
	}
	return &id
}

// moment reads a day or a time; nil stands for a parameter that was not sent. To is the last millisecond of it, else the first.
func moment(text, name string, to bool, wrong map[string]string) *time.Time {
	if text == "" {
		return nil
	}
	at, whole, ok := wire.Moment(text)
	if !ok {
		wrong[name] = wire.NotAMoment
		return nil
	}
	if to {
		at = wire.Through(at, whole).Add(-time.Millisecond)
	}
	return &at
}
