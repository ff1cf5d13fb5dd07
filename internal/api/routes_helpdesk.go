package api

import (
	"net/http"

	"parley"
	"parley/internal/wire"
)

const (
	helpdeskPath = agentPath + "/helpdesk"
	ticketsPath  = helpdeskPath + "/tickets"
	ticketPath   = ticketsPath + "/{ticketNumber}"
)

// helpdeskRoutes is the part of the list that is about tickets (interface 4.2, facts 4.2).
func (s *server) helpdeskRoutes(f *wire.Face) {
	on(f, meta{Name: "createTicket", Method: post, Path: ticketsPath, Tag: "Helpdesk", Summary: "Open a ticket for a customer", Scope: parley.TicketsWrite,
		Status: http.StatusCreated, Errors: codes{parley.CodeAgentNotFound, parley.CodeTicketStatus, parley.CodeTicketTeam, parley.CodeTicketMember}}, s.createTicket)
	on(f, meta{Name: "listTickets", Method: get, Path: ticketsPath, Tag: "Helpdesk", Summary: "List an agent's tickets", Scope: parley.TicketsRead,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidCursor, parley.CodeInvalidDateRange}}, s.tickets)
	on(f, meta{Name: "searchTickets", Method: post, Path: ticketsPath + "/search", Tag: "Helpdesk", Summary: "Search an agent's tickets by words", Scope: parley.TicketsRead,
		Repeatable: true, Errors: codes{parley.CodeAgentNotFound}}, s.searchTickets)
	on(f, meta{Name: "getTicket", Method: get, Path: ticketPath, Tag: "Helpdesk", Summary: "Get a ticket", Scope: parley.TicketsRead,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeTicketNotFound}}, s.ticket)
	on(f, meta{Name: "listTicketStatuses", Method: get, Path: helpdeskPath + "/ticket-statuses", Tag: "Helpdesk", Summary: "List an agent's ticket statuses", Scope: parley.TicketsRead,
		Errors: codes{parley.CodeAgentNotFound}}, s.statuses)
	on(f, meta{Name: "listTeams", Method: get, Path: helpdeskPath + "/teams", Tag: "Helpdesk", Summary: "List an agent's teams", Scope: parley.TicketsRead,
		Errors: codes{parley.CodeAgentNotFound}}, s.teams)
}
