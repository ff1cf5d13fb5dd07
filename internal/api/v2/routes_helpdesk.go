package v2

import (
	"net/http"

	"parley"
	"parley/internal/httpapi"
)

const (
	helpdeskPath = agentPath + "/helpdesk"
	ticketsPath  = helpdeskPath + "/tickets"
	ticketPath   = ticketsPath + "/{ticketNumber}"
)

// addHelpdeskRoutes is the part of the list that is about tickets (interface 4.2, facts 4.2).
func (s *server) addHelpdeskRoutes(f *httpapi.API) {
	addRoute(f, operation{Name: "createTicket", Method: methodPost, Path: ticketsPath, Tag: "Helpdesk", Summary: "Open a ticket for a customer", Scope: parley.TicketsWrite,
		Status: http.StatusCreated, Errors: errorCodes{parley.CodeAgentNotFound, parley.CodeTicketStatus, parley.CodeTicketTeam, parley.CodeTicketMember}}, s.createTicket)
	addRoute(f, operation{Name: "listTickets", Method: methodGet, Path: ticketsPath, Tag: "Helpdesk", Summary: "List an agent's tickets", Scope: parley.TicketsRead,
		Errors: errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidCursor, parley.CodeInvalidDateRange}}, s.listTickets)
	addRoute(f, operation{Name: "searchTickets", Method: methodPost, Path: ticketsPath + "/search", Tag: "Helpdesk", Summary: "Search an agent's tickets by words", Scope: parley.TicketsRead,
		Repeatable: true, Errors: errorCodes{parley.CodeAgentNotFound}}, s.searchTickets)
	addRoute(f, operation{Name: "getTicket", Method: methodGet, Path: ticketPath, Tag: "Helpdesk", Summary: "Get a ticket", Scope: parley.TicketsRead,
		Errors: errorCodes{parley.CodeAgentNotFound, parley.CodeTicketNotFound}}, s.getTicket)
	addRoute(f, operation{Name: "updateTicket", Method: methodPatch, Path: ticketPath, Tag: "Helpdesk", Summary: "Change a ticket's status, assignee, team or priority", Scope: parley.TicketsWrite,
		Errors: errorCodes{parley.CodeAgentNotFound, parley.CodeTicketNotFound, parley.CodeTicketStatus, parley.CodeTicketTeam, parley.CodeTicketMember}}, s.changeTicket)
	addRoute(f, operation{Name: "listTicketMessages", Method: methodGet, Path: ticketPath + "/messages", Tag: "Helpdesk", Summary: "List what was said about a ticket", Scope: parley.TicketsRead,
		Errors: errorCodes{parley.CodeAgentNotFound, parley.CodeTicketNotFound, parley.CodeInvalidCursor}}, s.listTicketMessages)
	addRoute(f, operation{Name: "createTicketMessage", Method: methodPost, Path: ticketPath + "/messages", Tag: "Helpdesk", Summary: "Reply to a ticket's customer, or leave a note", Scope: parley.TicketsWrite,
		Status: http.StatusCreated, Form: ticketFilesForm, Errors: errorCodes{parley.CodeAgentNotFound, parley.CodeTicketNotFound, parley.CodeNotTakenOver, parley.CodeMemberNotFound,
			parley.CodeNotRenderable}}, s.writeToTicket)
	addRoute(f, operation{Name: "listTicketStatuses", Method: methodGet, Path: helpdeskPath + "/ticket-statuses", Tag: "Helpdesk", Summary: "List an agent's ticket statuses", Scope: parley.TicketsRead,
		Errors: errorCodes{parley.CodeAgentNotFound}}, s.listStatuses)
	addRoute(f, operation{Name: "listTeams", Method: methodGet, Path: helpdeskPath + "/teams", Tag: "Helpdesk", Summary: "List an agent's teams", Scope: parley.TicketsRead,
		Errors: errorCodes{parley.CodeAgentNotFound}}, s.listTeams)

	// Links that messages hold: what is in them stands for the key.
	addRoute(f, operation{Name: "getAttachment", Method: methodGet, Path: "/helpdesk/attachments/{attachmentId}", Tag: "Helpdesk", Public: true, Unlisted: true, Status: http.StatusFound}, s.redirectToFile)
	addRoute(f, operation{Name: "getAttachmentContent", Method: methodGet, Path: "/helpdesk/attachments/{attachmentId}/content", Tag: "Helpdesk", Public: true, Unlisted: true}, s.serveFile)
}
