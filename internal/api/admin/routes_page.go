package admin

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// pageRoutes lists the operations that members get in place of the operator's of the same names: lists that grow, in
// pages.
func pageRoutes() []route {
	return []route{ListSourcePage, ListConversationPage, ListTicketPage, ListCustomerPage, ListVoiceSessionPage,
		ListDeliveryPage, ListMemberPage, ListInvitationPage, ListKeyPage}
}

// The lists that grow, in pages.
var (
	ListSourcePage = newOperation(sourceGroup.read, "GET /sources", operation{
		Name:    "listSources",
		Summary: "List the sources of an agent, the newest first",
		Errors:  errorCodes{parley.CodeInvalidCursor},
	}, (*Service).listSourcePage)
	ListConversationPage = newOperation(conversationGroup.read, "GET /agents/{agentId}/conversations", operation{
		Name:    "listConversations",
		Summary: "List the conversations of an agent, the newest first",
		Errors:  errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidCursor},
	}, (*Service).listConversationPage)
	ListTicketPage = newOperation(ticketGroup.read, "GET /tickets", operation{
		Name:    "listTickets",
		Summary: "List the tickets of an agent, the one that changed last first",
		Errors: errorCodes{parley.CodeNotFound, parley.CodeTicketTeam, parley.CodeTicketMember,
			parley.CodeInvalidCursor},
	}, (*Service).listTicketPage)
	ListCustomerPage = newOperation(ticketGroup.read, "GET /customers", operation{
		Name:       "listCustomers",
		Summary:    "List the customers of an agent, or find them, the newest first",
		Permission: parley.PermissionCustomersRead,
		Errors:     errorCodes{parley.CodeInvalidCursor},
	}, (*Service).listCustomerPage)
	ListVoiceSessionPage = newOperation(voiceGroup.read, "GET /voice/sessions", operation{
		Name:    "listVoiceSessions",
		Summary: "List the voice sessions of an agent, the newest first",
		Errors:  errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidCursor},
	}, (*Service).listVoiceSessionPage)
	ListDeliveryPage = newOperation(webhookGroup.read, "GET /deliveries", operation{
		Name:    "listDeliveries",
		Summary: "List the deliveries of a webhook, the newest first",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidCursor},
	}, (*Service).listDeliveryPage)
	ListMemberPage = newOperation(memberGroup.read, "GET /members", operation{
		Name:    "listMembers",
		Summary: "List the members of an account, the longest standing first",
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeInvalidCursor},
	}, (*Service).listMemberPage)
	ListInvitationPage = newOperation(memberGroup.read, "GET /accounts/{accountId}/invitations", operation{
		Name:    "listInvitations",
		Summary: "List the invitations that nobody has answered yet, the oldest first",
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeInvalidCursor},
	}, (*Service).listInvitationPage)
	ListKeyPage = newOperation(keyGroup.read, "GET /keys", operation{
		Name:    "listKeys",
		Summary: "List the API keys of an account, without the keys themselves, the newest first",
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeInvalidCursor},
	}, (*Service).listKeyPage)
)

// Paging selects a page.
type Paging struct {
	Cursor string `query:"cursor" doc:"The cursor of the page before."`
	Limit  int    `query:"limit" min:"1" max:"100" default:"20" doc:"Most items on the page."`
}

// Page is one page of a list.
type Page[T any] struct {
	Data       []T        `json:"data"`
	Pagination Pagination `json:"pagination"`
}

// Pagination locates a page in its list.
type Pagination struct {
	Cursor  *string `json:"cursor" doc:"Opaque; send it back to get the next page. Null on the last one."`
	HasMore bool    `json:"hasMore"`
	Total   int     `json:"total,omitempty" doc:"Items of the whole list; left out of tickets, and where there are none."`
}

// readPage reads a page. purpose binds its cursor to the list; convert converts what is on the page.
func readPage[From, To any](s *Service, p Paging, purpose []string,
	read func(parley.PageRequest) (parley.Page[From], error), convert func([]From) ([]To, error)) (Page[To], error) {
	cursors := httpapi.Cursors{Key: s.CursorKey}
	name := "member " + string(s.ownAccount()) + " " + strings.Join(purpose, " ")
	after, err := cursors.Open(name, p.Cursor)
	if err != nil {
		return Page[To]{}, err
	}
	page, err := read(parley.PageRequest{Limit: p.Limit, After: after})
	if err != nil {
		return Page[To]{}, err
	}
	items, err := convert(page.Items)
	next := Pagination{Cursor: cursors.Seal(name, page.Next), HasMore: page.Next != nil, Total: page.Total}
	return Page[To]{items, next}, err
}

// eachBy returns a function that converts a list item by item.
func eachBy[From, To any](convert func(*From) To) func([]From) ([]To, error) {
	return func(list []From) ([]To, error) { return httpapi.ConvertList(list, convert), nil }
}

// ConversationPageQuery asks for a page of an agent's conversations.
type ConversationPageQuery struct {
	AgentID string `path:"agentId"`
	UserID  string `query:"userId" doc:"The end user, by your own id."`
	Paging
}

func (s *Service) listConversationPage(ctx context.Context, in ConversationPageQuery) (Page[Conversation], error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Page[Conversation]{}, err
	}
	filter := store.ConversationFilter{User: parley.EndUserID(in.UserID)}
	read := func(p parley.PageRequest) (parley.Page[parley.Conversation], error) {
		return s.DB.Conversations(ctx, ref, filter, p)
	}
	return readPage(s, in.Paging, []string{"conversations", in.AgentID, in.UserID}, read, eachBy(newConversation))
}

// TicketPageQuery asks for a page of an agent's tickets.
type TicketPageQuery struct {
	AgentID    string   `path:"agentId"`
	Categories []string `query:"statusCategories" max:"50" item:"enum=@statusCategory,name=TicketCategory" doc:"None: all"`
	Channels   []string `query:"channels" max:"50" item:"enum=@ticketChannel,name=TicketChannel" doc:"None: all"`
	Assignee   string   `query:"assignee" doc:"E-mail address, or none."`
	AssigneeID string   `query:"assigneeId" max:"100" doc:"A member in place of an e-mail address, or none."`
	Team       string   `query:"team" doc:"Id, key or name, or none."`
	Customer   string   `query:"customer" doc:"E-mail address."`
	Overdue    bool     `query:"overdue" doc:"Only what is overdue, the longest first, whatever the order."`
	SortBy     string   `query:"sortBy" enum:"createdAt,updatedAt,lastMessageAt" default:"updatedAt"`
	Order      string   `query:"order" enum:"asc,desc" name:"SortOrder" default:"desc"`
	Query      string   `query:"query" max:"512" doc:"Words: nothing else counts, and the best come first, in one page."`
	Paging
}

func (s *Service) listTicketPage(ctx context.Context, in TicketPageQuery) (Page[Ticket], error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Page[Ticket]{}, err
	}
	if in.Query != "" {
		return s.searchTickets(ctx, ref, in)
	}
	filter, err := s.ticketFilter(ctx, ref, TicketQuery{Categories: in.Categories, Channels: in.Channels,
		Assignee: in.Assignee, Team: in.Team, Customer: in.Customer, Overdue: in.Overdue})
	if err != nil {
		return Page[Ticket]{}, err
	}
	filter.Sort, filter.Ascending = ticketSorts[in.SortBy], in.Order == "asc"
	filter.Assignee = cmp.Or(filter.Assignee, newAssigneeFilter(in.AssigneeID))
	read := func(p parley.PageRequest) (parley.Page[parley.Ticket], error) {
		return s.DB.Tickets(ctx, ref, filter, p)
	}
	convert := func(found []parley.Ticket) ([]Ticket, error) { return s.newTickets(ctx, ref, found) }
	return readPage(s, in.Paging, []string{"tickets", in.AgentID, strings.Join(in.Categories, ","),
		strings.Join(in.Channels, ","), in.Assignee, in.AssigneeID, in.Team, in.Customer,
		strconv.FormatBool(in.Overdue), in.SortBy, in.Order}, read, convert)
}

func (s *Service) searchTickets(ctx context.Context, ref parley.AgentRef, in TicketPageQuery) (Page[Ticket], error) {
	found, hasMore, err := s.Helpdesk.Search(ctx, ref, in.Query, in.Limit)
	if err != nil {
		return Page[Ticket]{}, err
	}
	list, err := s.newTickets(ctx, ref, found)
	return Page[Ticket]{list, Pagination{HasMore: hasMore}}, err
}

// newAssigneeFilter returns the member whose tickets are listed: nil for all tickets, and empty for those that nobody
// has.
func newAssigneeFilter(id string) *parley.UserID {
	switch id {
	case "":
		return nil
	case None:
		return new(parley.UserID)
	}
	return new(parley.UserID(id))
}

// AccountTicketQuery asks for a page of the tickets of all agents of an account.
type AccountTicketQuery struct {
	AccountID  string   `path:"accountId" json:"-"`
	Categories []string `query:"statusCategories" max:"50" item:"enum=@statusCategory,name=TicketCategory" doc:"None: all"`
	AssigneeID string   `query:"assigneeId" max:"100" doc:"A member, or none for the tickets that nobody has."`
	Overdue    bool     `query:"overdue" doc:"Only what is overdue, the longest first, whatever the order."`
	SortBy     string   `query:"sortBy" enum:"createdAt,updatedAt,lastMessageAt" default:"updatedAt"`
	Order      string   `query:"order" enum:"asc,desc" name:"SortOrder" default:"desc"`
	Query      string   `query:"query" max:"512" doc:"Words: nothing else counts, and the best come first, in one page."`
	Paging
}

// AccountTicket is a ticket in a list over all agents.
type AccountTicket struct {
	Ticket
	AgentName    string `json:"agentName"`
	AssigneeName string `json:"assigneeName,omitempty" doc:"Empty of somebody who has left the account."`
}

var ticketSorts = map[string]store.TicketSort{"createdAt": store.SortByCreated, "updatedAt": store.SortByUpdated,
	"lastMessageAt": store.SortByLastMessage}

func (s *Service) listAccountTickets(ctx context.Context, in AccountTicketQuery) (Page[AccountTicket], error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return Page[AccountTicket]{}, err
	}
	if in.Query != "" {
		return s.searchAccountTickets(ctx, account, in)
	}
	filter := store.TicketFilter{Sort: ticketSorts[in.SortBy], Ascending: in.Order == "asc"}
	for _, name := range in.Categories {
		filter.Categories = append(filter.Categories, parley.StatusCategory(name))
	}
	if in.Overdue {
		filter.OverdueAt = new(s.Now())
	}
	filter.Assignee = newAssigneeFilter(in.AssigneeID)
	read := func(p parley.PageRequest) (parley.Page[parley.Ticket], error) {
		return s.DB.AccountTickets(ctx, account, filter, p)
	}
	convert := func(found []parley.Ticket) ([]AccountTicket, error) { return s.newAccountTickets(ctx, account, found) }
	return readPage(s, in.Paging, []string{"account tickets", strings.Join(in.Categories, ","), in.AssigneeID, in.SortBy,
		in.Order, strconv.FormatBool(in.Overdue)}, read, convert)
}

func (s *Service) searchAccountTickets(ctx context.Context, account parley.AccountID,
	in AccountTicketQuery) (Page[AccountTicket], error) {
	found, hasMore, err := s.Helpdesk.SearchAccount(ctx, account, in.Query, in.Limit)
	if err != nil {
		return Page[AccountTicket]{}, err
	}
	list, err := s.newAccountTickets(ctx, account, found)
	return Page[AccountTicket]{list, Pagination{HasMore: hasMore}}, err
}

// newAccountTickets returns tickets of several agents, each with its agent's names. All names are read at once.
func (s *Service) newAccountTickets(ctx context.Context, account parley.AccountID,
	found []parley.Ticket) ([]AccountTicket, error) {
	names, err := s.DB.SubjectNames(ctx, account, ticketSubjects(found))
	if err != nil {
		return nil, err
	}
	emails, err := s.DB.MemberEmails(ctx, account, assigneesOf(found))
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(found, func(t *parley.Ticket) AccountTicket {
		row := newTicketRow(t)
		row.Status, row.Team = names[row.StatusID], names[row.TeamID]
		row.Assignee = emails[t.AssigneeID]
		return AccountTicket{row, names[row.AgentID], names[row.AssigneeID]}
	}), nil
}

// assigneesOf returns the ids of those to whom tickets are assigned, each once.
func assigneesOf(list []parley.Ticket) (ids []string) {
	for i := range list {
		if id := list[i].AssigneeID; id != "" {
			ids = append(ids, string(id))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ticketSubjects returns the ids of what tickets name.
func ticketSubjects(list []parley.Ticket) (ids []string) {
	for i := range list {
		t := &list[i]
		ids = append(ids, string(t.AgentID), string(t.StatusID), string(t.TeamID), string(t.AssigneeID))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// CustomerPageQuery asks for a page of an agent's customers.
type CustomerPageQuery struct {
	AgentID string `path:"agentId"`
	Query   string `query:"query" max:"200" doc:"A part of the name, e-mail address, telephone number or user id."`
	Paging
}

func (s *Service) listCustomerPage(ctx context.Context, in CustomerPageQuery) (Page[Customer], error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Page[Customer]{}, err
	}
	if in.Query != "" && !access.SeesPersonalData(*s.member) { // what is found would tell what is masked
		return Page[Customer]{}, parley.NewError(parley.CodeInsufficientScope)
	}
	read := func(p parley.PageRequest) (parley.Page[parley.Person], error) {
		return s.DB.People(ctx, ref, in.Query, p)
	}
	return readPage(s, in.Paging, []string{"customers", in.AgentID, in.Query}, read, eachBy(newCustomer))
}

// LeadPageQuery asks for a page of an agent's leads.
type LeadPageQuery struct {
	AgentID string `path:"agentId"`
	Paging
}

func (s *Service) listLeads(ctx context.Context, in LeadPageQuery) (Page[Lead], error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Page[Lead]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[parley.Lead], error) {
		return s.DB.Leads(ctx, ref, store.LeadFilter{}, p)
	}
	return readPage(s, in.Paging, []string{"leads", in.AgentID}, read, eachBy(newLead))
}

// VoiceSessionPageQuery asks for a page of an agent's voice sessions.
type VoiceSessionPageQuery struct {
	AgentID string `query:"agentId" required:"true"`
	Live    bool   `query:"live" doc:"Only those that have not ended."`
	Paging
}

func (s *Service) listVoiceSessionPage(ctx context.Context, in VoiceSessionPageQuery) (Page[VoiceSession], error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Page[VoiceSession]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[parley.VoiceSession], error) {
		return s.DB.AgentVoiceSessions(ctx, ref, in.Live, p)
	}
	purpose := []string{"voice sessions", in.AgentID}
	if in.Live {
		purpose = append(purpose, "live")
	}
	return readPage(s, in.Paging, purpose, read, eachBy(newVoiceSession))
}

// DeliveryPageQuery asks for a page of the deliveries of a webhook.
type DeliveryPageQuery struct {
	WebhookID string `query:"webhookId" required:"true"`
	State     string `query:"state" enum:"@deliveryState"`
	Paging
}

func (s *Service) listDeliveryPage(ctx context.Context, in DeliveryPageQuery) (Page[Delivery], error) {
	hook, err := s.DB.Webhook(ctx, s.ownAccount(), parley.WebhookID(in.WebhookID))
	if err != nil {
		return Page[Delivery]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[parley.Delivery], error) {
		return s.DB.WebhookDeliveries(ctx, hook, parley.DeliveryState(in.State), p)
	}
	return readPage(s, in.Paging, []string{"deliveries", in.WebhookID, in.State}, read, eachBy(newDelivery))
}

var modelServerGroup = newModelServerGroups()

func newModelServerGroups() groups {
	g := newGroups("Model servers", reasonSecrets, parley.PermissionModelsRead, parley.PermissionModelsWrite)
	for _, group := range []*httpapi.Group{&g.read, &g.write} {
		group.Path, group.Errors = "/accounts/{accountId}/model-servers", errorCodes{parley.CodeAccountNotFound}
	}
	return g
}

// The operations on the servers of models that accounts connect. Their service records what is changed; a test and a
// listing are recorded as well, since they send a stored key.
var (
	ListModelServers = newOperation(modelServerGroup.read, "GET ", operation{
		Name:    "listModelServers",
		Summary: "List the servers of models that answer for an account, without their keys",
	}, (*Service).listModelServers)
	CreateModelServer = newOperation(modelServerGroup.write, "POST ", operation{
		Name:    "createModelServer",
		Summary: "Connect a server of models",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeInvalidBody},
	}, (*Service).createModelServer)
	TryModelServer = newOperation(modelServerGroup.write, "POST /test", operation{
		Name:    "tryModelServer",
		Summary: "Ask a server of models that is not stored whether it works",
		Errors:  errorCodes{parley.CodeInvalidBody, parley.CodeNotFound},
	}, (*Service).tryModelServer).recorded(func(in ModelServerTrial) change {
		return change{"model_server.test", in.StoredID, map[string]any{"kind": in.Kind, "url": in.URL, "model": in.Model}}
	})
	ListModelsOfServer = newOperation(modelServerGroup.write, "POST /models", operation{
		Name:    "listModelsOfServer",
		Summary: "Ask a server of models, which need not be stored, for the names of its models",
		Errors:  errorCodes{parley.CodeInvalidBody, parley.CodeNotFound},
	}, (*Service).listModelsOfServer).recorded(func(in ModelListQuery) change {
		return change{"model_server.models", in.StoredID, map[string]any{"kind": in.Kind, "url": in.URL}}
	})
	GetModelServer = newOperation(modelServerGroup.read, "GET /{modelServerId}", operation{
		Name:    "getModelServer",
		Summary: "Get a server of models, without its key",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).getModelServer)
	ChangeModelServer = newOperation(modelServerGroup.write, "PATCH /{modelServerId}", operation{
		Name:    "changeModelServer",
		Summary: "Change what is sent of a server of models",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidBody, parley.CodeModelServerChanged},
	}, (*Service).changeModelServer)
	RemoveModelServer = newOperation(modelServerGroup.write, "DELETE /{modelServerId}", operation{
		Name:    "removeModelServer",
		Summary: "Disconnect a server of models",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidBody},
	}, (*Service).removeModelServer)
	TryStoredModelServer = newOperation(modelServerGroup.write, "POST /{modelServerId}/test", operation{
		Name:    "tryStoredModelServer",
		Summary: "Ask a server of models whether it works",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).tryStoredModelServer).recorded(func(in ModelServerRef) change {
		return change{"model_server.test", in.ID, nil}
	})
)

var singleSignOnGroup = newSingleSignOnGroups()

func newSingleSignOnGroups() groups {
	g := newGroups("Members", ReasonPeople, parley.PermissionMembersRead, parley.PermissionAccountsWrite)
	for _, group := range []*httpapi.Group{&g.read, &g.write} {
		group.Path, group.Errors = "/accounts/{accountId}/single-sign-on", errorCodes{parley.CodeAccountNotFound}
	}
	return g
}

// The operations on the provider of single sign-on that an account sets itself. Their service records what is changed.
var (
	GetSingleSignOn = newOperation(singleSignOnGroup.read, "GET ", operation{
		Name:    "getSingleSignOn",
		Summary: "Get the provider of single sign-on that an account has set, without its secret, and the domains",
	}, (*Service).getSingleSignOn)
	SetSingleSignOn = newOperation(singleSignOnGroup.write, "PUT ", operation{
		Name:    "setSingleSignOn",
		Summary: "Set the provider of single sign-on of an account; it counts once an owner has come back from it",
		Errors:  errorCodes{parley.CodeInvalidBody},
	}, (*Service).setSingleSignOn)
	TrySingleSignOn = newOperation(singleSignOnGroup.write, "POST /test", operation{
		Name:    "trySingleSignOn",
		Summary: "Ask the provider of an account for its description and its keys",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).trySingleSignOn).recorded(func(in SingleSignOnRef) change {
		return change{"single-sign-on.ask", in.AccountID, nil}
	})
	RemoveSingleSignOn = newOperation(singleSignOnGroup.write, "DELETE ", operation{
		Name:    "removeSingleSignOn",
		Summary: "Remove the provider of single sign-on of an account",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidBody},
	}, (*Service).removeSingleSignOn)
	AddSignInDomain = newOperation(singleSignOnGroup.write, "POST /domains", operation{
		Name:    "addSignInDomain",
		Summary: "Name a domain whose people the provider of an account is to sign in",
		Errors:  errorCodes{parley.CodeAlreadyExists, parley.CodeInvalidBody},
	}, (*Service).addSignInDomain)
	ProveSignInDomain = newOperation(singleSignOnGroup.write, "POST /domains/{domain}/proof", operation{
		Name:    "proveSignInDomain",
		Summary: "Look for the TXT record that proves that a domain is the account's",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidBody},
	}, (*Service).proveSignInDomain)
	ConfirmSignInDomain = newOperation(singleSignOnGroup.write, "PUT /domains/{domain}/confirmation", operation{
		Name:       "confirmSignInDomain",
		Summary:    "Say for an account that a domain is its own, where no TXT record can be looked up",
		Errors:     errorCodes{parley.CodeInvalidBody},
		Permission: parley.PermissionServerWrite, // it is the operator's word
	}, (*Service).confirmSignInDomain)
	RemoveSignInDomain = newOperation(singleSignOnGroup.write, "DELETE /domains/{domain}", operation{
		Name:    "removeSignInDomain",
		Summary: "Remove a domain of an account",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidBody},
	}, (*Service).removeSignInDomain)
)
