package v2

import (
	"net/http"

	"parley"
	"parley/internal/httpapi"
)

func (s *server) addChatRoutes(g httpapi.Groups) {
	httpapi.Add(g.Agent, "POST /chat", operation{
		Name:      "chat",
		Summary:   "Send a message and get the agent's answer",
		Scope:     parley.ChatlogsWrite,
		Streaming: true,
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeNotOngoing, parley.CodeConversationBusy,
			parley.CodeCreditsExhausted, parley.CodeAgentCredits, parley.CodeModelNotAllowed,
			parley.CodeChatStreaming},
	}, s.createAnswer)

	httpapi.Add(g.CheckedAgent, "POST /conversations/{conversationId}/retry", operation{
		Name:      "retry",
		Summary:   "Answer a message again",
		Scope:     parley.ChatlogsWrite,
		Streaming: true,
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeResourceNotFound, parley.CodeRetryNotFound,
			parley.CodeRetryNoUser, parley.CodeNotOngoing, parley.CodeConversationBusy, parley.CodeCreditsExhausted,
			parley.CodeAgentCredits, parley.CodeModelNotAllowed, parley.CodeChatStreaming},
	}, s.retryAnswer)

	httpapi.Add(g.CheckedAgent, "POST /conversations/{conversationId}/tool-result", operation{
		Name:       "sendToolResult",
		Summary:    "Send the result of a tool call that ran at the client",
		Scope:      parley.ChatlogsWrite,
		StrictBody: true,
		Errors:     errorCodes{parley.CodeConversationNotFound, parley.CodeResourceNotFound, parley.CodeToolCallNotFound},
	}, s.submitToolResult)
}

func (s *server) addConversationRoutes(g httpapi.Groups) {
	httpapi.Add(g.CheckedAgent, "GET /conversations", operation{
		Name:    "listConversations",
		Summary: "List the conversations that began through the API",
		Scope:   parley.ChatlogsExport,
		Errors:  errorCodes{parley.CodeInvalidCursor, parley.CodeInvalidDateRange},
	}, s.listConversations)

	httpapi.Add(g.CheckedAgent, "GET /conversations/{conversationId}", operation{
		Name:    "getConversation",
		Summary: "Get a conversation with its newest messages",
		Scope:   parley.ChatlogsExport,
		Errors:  errorCodes{parley.CodeResourceNotFound},
	}, s.getConversation)

	httpapi.Add(g.CheckedAgent, "PATCH /conversations/{conversationId}", operation{
		Name:    "pauseConversation",
		Summary: "Pause a conversation, or let it go on",
		Scope:   parley.ChatlogsWrite,
		Errors:  errorCodes{parley.CodeResourceNotFound, parley.CodeNotOngoing},
	}, s.pauseConversation)

	httpapi.Add(g.CheckedAgent, "GET /conversations/{conversationId}/events", operation{
		Name:      "followConversation",
		Summary:   "Follow a conversation as it happens",
		Scope:     parley.ChatlogsExport,
		Streaming: true,
		Errors:    errorCodes{parley.CodeResourceNotFound},
	}, s.followConversation)
}

func (s *server) addMessageRoutes(g httpapi.Groups) {
	httpapi.Add(g.CheckedAgent, "GET /conversations/{conversationId}/messages", operation{
		Name:    "listMessages",
		Summary: "List a conversation's messages, walking backward",
		Scope:   parley.ChatlogsExport,
		Errors:  errorCodes{parley.CodeResourceNotFound, parley.CodeInvalidCursor},
	}, s.listMessages)

	httpapi.Add(g.CheckedAgent, "PATCH /conversations/{conversationId}/messages/{messageId}/feedback", operation{
		Name:       "rateMessage",
		Summary:    "Rate an answer",
		Scope:      parley.ChatlogsWrite,
		StrictBody: true,
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeResourceNotFound,
			parley.CodeMessageNotFound, parley.CodeNotAssistant},
	}, s.rateMessage)

	httpapi.Add(g.CheckedAgent, "POST /conversations/{conversationId}/messages", operation{
		Name:    "writeMessage",
		Summary: "Write to the person who has taken the conversation over",
		Scope:   parley.ChatlogsWrite,
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeResourceNotFound, parley.CodeNotTakenOver},
	}, s.storeCustomerMessage)
}

// addConversationQueryRoutes adds what finds and counts conversations.
func (s *server) addConversationQueryRoutes(g httpapi.Groups) {
	httpapi.Add(g.CheckedAgent, "GET /users/{userId}/conversations", operation{
		Name:    "listUserConversations",
		Summary: "List what an end user has begun through the API",
		Scope:   parley.ChatlogsExport,
		Errors:  errorCodes{parley.CodeInvalidCursor},
	}, s.listUserConversations)

	httpapi.Add(g.CheckedAgent, "GET /conversations/export", operation{
		Name:    "exportConversations",
		Summary: "Export conversations of all origins with their messages",
		Scope:   parley.ChatlogsExport,
		Errors:  errorCodes{parley.CodeInvalidCursor, parley.CodeInvalidDateRange},
	}, s.exportConversations)

	httpapi.Add(g.Agent, "GET /conversations/search", operation{
		Name:    "searchConversations",
		Summary: "Search conversations of all origins by words and filters",
		Scope:   parley.ChatlogsExport,
		Errors: errorCodes{parley.CodeInvalidCursor, parley.CodeCursorMismatch, parley.CodeSearchWindow,
			parley.CodeInvalidDateRange, parley.CodeSearchUnavailable, parley.CodeSearchBusy},
	}, s.searchConversations)

	httpapi.Add(g.CheckedAgent, "GET /insights", operation{
		Name:    "getInsights",
		Summary: "Count what an agent's conversations came to",
		Scope:   parley.ChatlogsExport,
		Errors:  errorCodes{parley.CodeInvalidDateRange},
	}, s.getInsights)
}

func (s *server) addTicketRoutes(g httpapi.Groups) {
	httpapi.Add(g.CheckedAgent, "POST /helpdesk/tickets", operation{
		Name:    "createTicket",
		Summary: "Open a ticket for a customer",
		Scope:   parley.TicketsWrite,
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeTicketStatus, parley.CodeTicketTeam, parley.CodeTicketMember},
	}, s.createTicket)

	httpapi.Add(g.CheckedAgent, "GET /helpdesk/tickets", operation{
		Name:    "listTickets",
		Summary: "List an agent's tickets",
		Scope:   parley.TicketsRead,
		Errors:  errorCodes{parley.CodeInvalidCursor, parley.CodeInvalidDateRange},
	}, s.listTickets)

	httpapi.Add(g.CheckedAgent, "POST /helpdesk/tickets/search", operation{
		Name:       "searchTickets",
		Summary:    "Search an agent's tickets by words",
		Scope:      parley.TicketsRead,
		Repeatable: true,
	}, s.searchTickets)

	httpapi.Add(g.CheckedAgent, "GET /helpdesk/tickets/{ticketNumber}", operation{
		Name:    "getTicket",
		Summary: "Get a ticket",
		Scope:   parley.TicketsRead,
		Errors:  errorCodes{parley.CodeTicketNotFound},
	}, s.getTicket)

	httpapi.Add(g.CheckedAgent, "PATCH /helpdesk/tickets/{ticketNumber}", operation{
		Name:    "updateTicket",
		Summary: "Change a ticket's status, assignee, team or priority",
		Scope:   parley.TicketsWrite,
		Errors: errorCodes{parley.CodeTicketNotFound, parley.CodeTicketStatus, parley.CodeTicketTeam,
			parley.CodeTicketMember},
	}, s.changeTicket)
}

// addHelpdeskRoutes adds what belongs to tickets. The addresses of attachments are found in messages; they hold
// what stands for a key.
func (s *server) addHelpdeskRoutes(g httpapi.Groups) {
	httpapi.Add(g.CheckedAgent, "GET /helpdesk/tickets/{ticketNumber}/messages", operation{
		Name:    "listTicketMessages",
		Summary: "List what was said about a ticket",
		Scope:   parley.TicketsRead,
		Errors:  errorCodes{parley.CodeTicketNotFound, parley.CodeInvalidCursor},
	}, s.listTicketMessages)

	httpapi.Add(g.CheckedAgent, "POST /helpdesk/tickets/{ticketNumber}/messages", operation{
		Name:    "createTicketMessage",
		Summary: "Reply to a ticket's customer, or leave a note",
		Scope:   parley.TicketsWrite,
		Status:  http.StatusCreated,
		Form:    ticketFilesForm,
		Errors: errorCodes{parley.CodeTicketNotFound, parley.CodeNotTakenOver, parley.CodeMemberNotFound,
			parley.CodeNotRenderable},
	}, s.writeToTicket)

	httpapi.Add(g.CheckedAgent, "GET /helpdesk/ticket-statuses", operation{
		Name:    "listTicketStatuses",
		Summary: "List an agent's ticket statuses",
		Scope:   parley.TicketsRead,
	}, s.listStatuses)

	httpapi.Add(g.CheckedAgent, "GET /helpdesk/teams", operation{
		Name:    "listTeams",
		Summary: "List an agent's teams",
		Scope:   parley.TicketsRead,
	}, s.listTeams)

	httpapi.Add(g.Account, "GET /helpdesk/attachments/{attachmentId}", operation{
		Name:     "getAttachment",
		Public:   true,
		Unlisted: true,
		Status:   http.StatusFound,
	}, s.redirectToFile)

	httpapi.Add(g.Account, "GET /helpdesk/attachments/{attachmentId}/content", operation{
		Name:     "getAttachmentContent",
		Public:   true,
		Unlisted: true,
	}, s.serveFile)
}

func (s *server) addVoiceRoutes(g httpapi.Groups) {
	httpapi.Add(g.Agent, "POST /voice/sessions", operation{
		Name:      "createVoiceSession",
		Summary:   "Open a voice session for a browser to join",
		Scope:     parley.ChatlogsWrite,
		NoAPICode: parley.CodeVoiceWithoutAPI,
		Errors: errorCodes{parley.CodeVoiceNotAvailable, parley.CodeVoiceCredits, parley.CodeVoiceAgentCredits,
			parley.CodeConversationNotFound, parley.CodeUserMismatch, parley.CodeNotOngoing, parley.CodeVoiceLimit,
			parley.CodeSessionFailed},
	}, s.createVoiceSession)
}
