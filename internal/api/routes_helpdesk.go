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
	on(f, meta{Name: "updateTicket", Method: patch, Path: ticketPath, Tag: "Helpdesk", Summary: "Change a ticket's status, assignee, team or priority", Scope: parley.TicketsWrite,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeTicketNotFound, parley.CodeTicketStatus, parley.CodeTicketTeam, parley.CodeTicketMember}}, s.changeTicket)
	on(f, meta{Name: "listTicketMessages", Method: get, Path: ticketPath + "/messages", Tag: "Helpdesk", Summary: "List what was said about a ticket", Scope: parley.TicketsRead,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeTicketNotFound, parley.CodeInvalidCursor}}, s.ticketMessages)
	on(f, meta{Name: "createTicketMessage", Method: post, Path: ticketPath + "/messages", Tag: "Helpdesk", Summary: "Reply to a ticket's customer, or leave a note", Scope: parley.TicketsWrite,
		Status: http.StatusCreated, Form: ticketFiles, Errors: codes{parley.CodeAgentNotFound, parley.CodeTicketNotFound, parley.CodeNotTakenOver, parley.CodeMemberNotFound,
			parley.CodeNotRenderable}}, s.writeToTicket)
	on(f, meta{Name: "listTicketStatuses", Method: get, Path: helpdeskPath + "/ticket-statuses", Tag: "Helpdesk", Summary: "List an agent's ticket statuses", Scope: parley.TicketsRead,
		Errors: codes{parley.CodeAgentNotFound}}, s.statuses)
	on(f, meta{Name: "listTeams", Method: get, Path: helpdeskPath + "/teams", Tag: "Helpdesk", Summary: "List an agent's teams", Scope: parley.TicketsRead,
		Errors: codes{parley.CodeAgentNotFound}}, s.teams)

	// Links that messages hold: what is in them stands for the key.
	on(f, meta{Name: "getAttachment", Method: get, Path: "/helpdesk/attachments/{attachmentId}", Tag: "Helpdesk", Open: true, Unlisted: true, Status: http.StatusFound}, s.file)
	on(f, meta{Name: "getAttachmentContent", Method: get, Path: "/helpdesk/attachments/{attachmentId}/content", Tag: "Helpdesk", Open: true, Unlisted: true}, s.fileContent)
}
