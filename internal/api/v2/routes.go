package v2

import (
	"net/http"

	"parley"
	"parley/internal/httpapi"
)

const (
	methodGet    = http.MethodGet
	methodPost   = http.MethodPost
	methodPut    = http.MethodPut
	methodPatch  = http.MethodPatch
	methodDelete = http.MethodDelete
)

const (
	agentPath        = "/agents/{agentId}"
	sourcePath       = agentPath + "/sources/{sourceId}"
	conversationPath = agentPath + "/conversations/{conversationId}"
	messagePath      = conversationPath + "/messages/{messageId}"
	helpdeskPath     = agentPath + "/helpdesk"
	ticketsPath      = helpdeskPath + "/tickets"
	ticketPath       = ticketsPath + "/{ticketNumber}"
	attachmentPath   = "/helpdesk/attachments/{attachmentId}"
)

// maxTextBytes is the largest JSON body of a request that writes a source.
const maxTextBytes = 8 << 20

type (
	operation  = httpapi.Operation
	errorCodes = []parley.Code
)

// addRoutes adds everything that REST v2 serves. This file is the one list of it, in the order of the document.
func (s *server) addRoutes(api *httpapi.API) {
	s.addServiceRoutes(api)
	s.addAgentRoutes(api)
	s.addAgentSettingsRoutes(api)
	s.addChatRoutes(api)
	s.addConversationRoutes(api)
	s.addMessageRoutes(api)
	s.addConversationQueryRoutes(api)
	s.addTicketRoutes(api)
	s.addHelpdeskRoutes(api)
	s.addVoiceRoutes(api)
	s.addSourceRoutes(api)
	s.addSourceQueryRoutes(api)
}

func addRoute[In, Out any](api *httpapi.API, op operation, handle httpapi.Handler[In, Out]) {
	httpapi.Handle(api, httpapi.TypedOperation[In, Out]{Operation: op, Handler: handle})
}

func (s *server) addServiceRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:       "health",
		Method:     methodGet,
		Path:       "/health",
		Tag:        "Service",
		Summary:    "Is the service up?",
		Public:     true,
		RateExempt: true,
	}, s.getHealth)

	addRoute(api, operation{
		Name:    "me",
		Method:  methodGet,
		Path:    "/me",
		Tag:     "Service",
		Summary: "Who the API key belongs to",
	}, s.getIdentity)
}

func (s *server) addAgentRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:    "listAgents",
		Method:  methodGet,
		Path:    "/agents",
		Tag:     "Agents",
		Summary: "List the account's agents",
		Scope:   parley.AgentsRead,
		Errors:  errorCodes{parley.CodeInvalidCursor},
	}, s.listAgents)

	addRoute(api, operation{
		Name:    "createAgent",
		Method:  methodPost,
		Path:    "/agents",
		Tag:     "Agents",
		Summary: "Create an agent",
		Scope:   parley.AgentsWrite,
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAgentLimit},
	}, s.createAgent)

	addRoute(api, operation{
		Name:    "getAgent",
		Method:  methodGet,
		Path:    agentPath,
		Tag:     "Agents",
		Summary: "Get an agent",
		Scope:   parley.AgentsRead,
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, s.getAgent)

	addRoute(api, operation{
		Name:    "deleteAgent",
		Method:  methodDelete,
		Path:    agentPath,
		Tag:     "Agents",
		Summary: "Delete an agent and everything it holds",
		Scope:   parley.AgentsDelete,
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, s.deleteAgent)

	addRoute(api, operation{
		Name:    "cloneAgent",
		Method:  methodPost,
		Path:    agentPath + "/clone",
		Tag:     "Agents",
		Summary: "Copy an agent with all its sources",
		Scope:   parley.AgentsWrite,
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAgentNotFound, parley.CodeAgentLimit},
	}, s.cloneAgent)
}

func (s *server) addAgentSettingsRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:    "updateAgent",
		Method:  methodPut,
		Path:    agentPath,
		Tag:     "Agents",
		Summary: "Change the settings that are sent",
		Scope:   parley.AgentsWrite,
		Errors:  errorCodes{parley.CodeAgentNotFound, parley.CodePlanFeature},
	}, s.updateAgent)

	addRoute(api, operation{
		Name:    "updateStyles",
		Method:  methodPut,
		Path:    agentPath + "/styles",
		Tag:     "Agents",
		Summary: "Change how the chat widget and center stage look",
		Scope:   parley.AgentsWrite,
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, s.updateStyles)

	addRoute(api, operation{
		Name:    "setAutoRetrain",
		Method:  methodPut,
		Path:    agentPath + "/auto-retrain",
		Tag:     "Agents",
		Summary: "Turn the weekly re-sync of websites on or off",
		Scope:   parley.SourcesWrite,
		Errors:  errorCodes{parley.CodeAgentNotFound, parley.CodeAgentNotTrained},
	}, s.setAutoRetrain)

	addRoute(api, operation{
		Name:          "trainAgent",
		Method:        methodPost,
		Path:          agentPath + "/train",
		Tag:           "Agents",
		Summary:       "Do nothing: sources train when they are written",
		Scope:         parley.AgentsWrite,
		Deprecated:    true,
		Repeatable:    true,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.trainAgent)
}

func (s *server) addChatRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:      "chat",
		Method:    methodPost,
		Path:      agentPath + "/chat",
		Tag:       "Chat",
		Summary:   "Send a message and get the agent's answer",
		Scope:     parley.ChatlogsWrite,
		Streaming: true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeConversationNotFound,
			parley.CodeNotOngoing,
			parley.CodeConversationBusy,
			parley.CodeCreditsExhausted,
			parley.CodeAgentCredits,
			parley.CodeModelNotAllowed,
			parley.CodeChatStreaming,
		},
	}, s.createAnswer)

	addRoute(api, operation{
		Name:          "retry",
		Method:        methodPost,
		Path:          conversationPath + "/retry",
		Tag:           "Chat",
		Summary:       "Answer a message again",
		Scope:         parley.ChatlogsWrite,
		RequiresAgent: true,
		Streaming:     true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeConversationNotFound,
			parley.CodeResourceNotFound,
			parley.CodeRetryNotFound,
			parley.CodeRetryNoUser,
			parley.CodeNotOngoing,
			parley.CodeConversationBusy,
			parley.CodeCreditsExhausted,
			parley.CodeAgentCredits,
			parley.CodeModelNotAllowed,
			parley.CodeChatStreaming,
		},
	}, s.retryAnswer)

	addRoute(api, operation{
		Name:          "sendToolResult",
		Method:        methodPost,
		Path:          conversationPath + "/tool-result",
		Tag:           "Chat",
		Summary:       "Send the result of a tool call that ran at the client",
		Scope:         parley.ChatlogsWrite,
		RequiresAgent: true,
		StrictBody:    true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeConversationNotFound,
			parley.CodeResourceNotFound,
			parley.CodeToolCallNotFound,
		},
	}, s.submitToolResult)
}

func (s *server) addConversationRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:          "listConversations",
		Method:        methodGet,
		Path:          agentPath + "/conversations",
		Tag:           "Conversations",
		Summary:       "List the conversations that began through the API",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeInvalidCursor,
			parley.CodeInvalidDateRange,
		},
	}, s.listConversations)

	addRoute(api, operation{
		Name:          "getConversation",
		Method:        methodGet,
		Path:          conversationPath,
		Tag:           "Conversations",
		Summary:       "Get a conversation with its newest messages",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeResourceNotFound},
	}, s.getConversation)

	addRoute(api, operation{
		Name:          "pauseConversation",
		Method:        methodPatch,
		Path:          conversationPath,
		Tag:           "Conversations",
		Summary:       "Pause a conversation, or let it go on",
		Scope:         parley.ChatlogsWrite,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeResourceNotFound, parley.CodeNotOngoing},
	}, s.pauseConversation)

	addRoute(api, operation{
		Name:          "followConversation",
		Method:        methodGet,
		Path:          conversationPath + "/events",
		Tag:           "Conversations",
		Summary:       "Follow a conversation as it happens",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Streaming:     true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeResourceNotFound},
	}, s.followConversation)
}

func (s *server) addMessageRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:          "listMessages",
		Method:        methodGet,
		Path:          conversationPath + "/messages",
		Tag:           "Conversations",
		Summary:       "List a conversation's messages, walking backward",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeResourceNotFound,
			parley.CodeInvalidCursor,
		},
	}, s.listMessages)

	addRoute(api, operation{
		Name:          "rateMessage",
		Method:        methodPatch,
		Path:          messagePath + "/feedback",
		Tag:           "Conversations",
		Summary:       "Rate an answer",
		Scope:         parley.ChatlogsWrite,
		RequiresAgent: true,
		StrictBody:    true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeConversationNotFound,
			parley.CodeResourceNotFound,
			parley.CodeMessageNotFound,
			parley.CodeNotAssistant,
		},
	}, s.rateMessage)

	addRoute(api, operation{
		Name:          "writeMessage",
		Method:        methodPost,
		Path:          conversationPath + "/messages",
		Tag:           "Conversations",
		Summary:       "Write to the person who has taken the conversation over",
		Scope:         parley.ChatlogsWrite,
		RequiresAgent: true,
		Status:        http.StatusCreated,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeResourceNotFound,
			parley.CodeNotTakenOver,
		},
	}, s.storeCustomerMessage)
}

// addConversationQueryRoutes adds what finds and counts conversations.
func (s *server) addConversationQueryRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:          "listUserConversations",
		Method:        methodGet,
		Path:          agentPath + "/users/{userId}/conversations",
		Tag:           "Conversations",
		Summary:       "List what an end user has begun through the API",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidCursor},
	}, s.listUserConversations)

	addRoute(api, operation{
		Name:          "exportConversations",
		Method:        methodGet,
		Path:          agentPath + "/conversations/export",
		Tag:           "Conversations",
		Summary:       "Export conversations of all origins with their messages",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeInvalidCursor,
			parley.CodeInvalidDateRange,
		},
	}, s.exportConversations)

	addRoute(api, operation{
		Name:    "searchConversations",
		Method:  methodGet,
		Path:    agentPath + "/conversations/search",
		Tag:     "Conversations",
		Summary: "Search conversations of all origins by words and filters",
		Scope:   parley.ChatlogsExport,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeInvalidCursor,
			parley.CodeCursorMismatch,
			parley.CodeSearchWindow,
			parley.CodeInvalidDateRange,
			parley.CodeSearchUnavailable,
			parley.CodeSearchBusy,
		},
	}, s.searchConversations)

	addRoute(api, operation{
		Name:          "getInsights",
		Method:        methodGet,
		Path:          agentPath + "/insights",
		Tag:           "Conversations",
		Summary:       "Count what an agent's conversations came to",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidDateRange},
	}, s.getInsights)
}

func (s *server) addTicketRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:          "createTicket",
		Method:        methodPost,
		Path:          ticketsPath,
		Tag:           "Helpdesk",
		Summary:       "Open a ticket for a customer",
		Scope:         parley.TicketsWrite,
		RequiresAgent: true,
		Status:        http.StatusCreated,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeTicketStatus,
			parley.CodeTicketTeam,
			parley.CodeTicketMember,
		},
	}, s.createTicket)

	addRoute(api, operation{
		Name:          "listTickets",
		Method:        methodGet,
		Path:          ticketsPath,
		Tag:           "Helpdesk",
		Summary:       "List an agent's tickets",
		Scope:         parley.TicketsRead,
		RequiresAgent: true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeInvalidCursor,
			parley.CodeInvalidDateRange,
		},
	}, s.listTickets)

	addRoute(api, operation{
		Name:          "searchTickets",
		Method:        methodPost,
		Path:          ticketsPath + "/search",
		Tag:           "Helpdesk",
		Summary:       "Search an agent's tickets by words",
		Scope:         parley.TicketsRead,
		Repeatable:    true,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.searchTickets)

	addRoute(api, operation{
		Name:          "getTicket",
		Method:        methodGet,
		Path:          ticketPath,
		Tag:           "Helpdesk",
		Summary:       "Get a ticket",
		Scope:         parley.TicketsRead,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeTicketNotFound},
	}, s.getTicket)

	addRoute(api, operation{
		Name:          "updateTicket",
		Method:        methodPatch,
		Path:          ticketPath,
		Tag:           "Helpdesk",
		Summary:       "Change a ticket's status, assignee, team or priority",
		Scope:         parley.TicketsWrite,
		RequiresAgent: true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeTicketNotFound,
			parley.CodeTicketStatus,
			parley.CodeTicketTeam,
			parley.CodeTicketMember,
		},
	}, s.changeTicket)
}

// addHelpdeskRoutes adds what belongs to tickets. The addresses of attachments are found in messages; they hold
// what stands for a key.
func (s *server) addHelpdeskRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:          "listTicketMessages",
		Method:        methodGet,
		Path:          ticketPath + "/messages",
		Tag:           "Helpdesk",
		Summary:       "List what was said about a ticket",
		Scope:         parley.TicketsRead,
		RequiresAgent: true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeTicketNotFound,
			parley.CodeInvalidCursor,
		},
	}, s.listTicketMessages)

	addRoute(api, operation{
		Name:          "createTicketMessage",
		Method:        methodPost,
		Path:          ticketPath + "/messages",
		Tag:           "Helpdesk",
		Summary:       "Reply to a ticket's customer, or leave a note",
		Scope:         parley.TicketsWrite,
		RequiresAgent: true,
		Status:        http.StatusCreated,
		Form:          ticketFilesForm,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeTicketNotFound,
			parley.CodeNotTakenOver,
			parley.CodeMemberNotFound,
			parley.CodeNotRenderable,
		},
	}, s.writeToTicket)

	addRoute(api, operation{
		Name:          "listTicketStatuses",
		Method:        methodGet,
		Path:          helpdeskPath + "/ticket-statuses",
		Tag:           "Helpdesk",
		Summary:       "List an agent's ticket statuses",
		Scope:         parley.TicketsRead,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.listStatuses)

	addRoute(api, operation{
		Name:          "listTeams",
		Method:        methodGet,
		Path:          helpdeskPath + "/teams",
		Tag:           "Helpdesk",
		Summary:       "List an agent's teams",
		Scope:         parley.TicketsRead,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.listTeams)

	addRoute(api, operation{
		Name:     "getAttachment",
		Method:   methodGet,
		Path:     attachmentPath,
		Tag:      "Helpdesk",
		Public:   true,
		Unlisted: true,
		Status:   http.StatusFound,
	}, s.redirectToFile)

	addRoute(api, operation{
		Name:     "getAttachmentContent",
		Method:   methodGet,
		Path:     attachmentPath + "/content",
		Tag:      "Helpdesk",
		Public:   true,
		Unlisted: true,
	}, s.serveFile)
}

func (s *server) addVoiceRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:      "createVoiceSession",
		Method:    methodPost,
		Path:      agentPath + "/voice/sessions",
		Tag:       "Voice",
		Summary:   "Open a voice session for a browser to join",
		Scope:     parley.ChatlogsWrite,
		NoAPICode: parley.CodeVoiceWithoutAPI,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeVoiceNotAvailable,
			parley.CodeVoiceCredits,
			parley.CodeVoiceAgentCredits,
			parley.CodeConversationNotFound,
			parley.CodeUserMismatch,
			parley.CodeNotOngoing,
			parley.CodeVoiceLimit,
			parley.CodeSessionFailed,
		},
	}, s.createVoiceSession)
}

func (s *server) addSourceRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:         "createSource",
		Method:       methodPost,
		Path:         agentPath + "/sources",
		Tag:          "Sources",
		Summary:      "Give the agent a source to read",
		Scope:        parley.SourcesWrite,
		Status:       http.StatusCreated,
		MaxBodyBytes: maxTextBytes,
		Form:         newFileForm,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeSourceDuplicate,
			parley.CodeSourceSize,
			parley.CodeSourceNotFound,
		},
	}, s.createSource)

	addRoute(api, operation{
		Name:          "updateSource",
		Method:        methodPut,
		Path:          sourcePath,
		Tag:           "Sources",
		Summary:       "Change a source",
		Scope:         parley.SourcesWrite,
		RequiresAgent: true,
		MaxBodyBytes:  maxTextBytes,
		Form:          changedFileForm,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeSourceNotFound,
			parley.CodeSourcePendingDel,
			parley.CodeSourceDuplicate,
			parley.CodeSourceSize,
		},
	}, s.changeSource)

	addRoute(api, operation{
		Name:          "deleteSource",
		Method:        methodDelete,
		Path:          sourcePath,
		Tag:           "Sources",
		Summary:       "Delete a source",
		Scope:         parley.SourcesDelete,
		RequiresAgent: true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodeSourceNotFound,
			parley.CodeSourceAlreadyDel,
		},
	}, s.deleteSource)

	addRoute(api, operation{
		Name:          "restoreSource",
		Method:        methodPost,
		Path:          sourcePath + "/restore",
		Tag:           "Sources",
		Summary:       "Do nothing: a deletion is final",
		Scope:         parley.SourcesWrite,
		Deprecated:    true,
		Repeatable:    true,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeSourceNotFound},
	}, s.restoreSource)
}

func (s *server) addSourceQueryRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:          "listSources",
		Method:        methodGet,
		Path:          agentPath + "/sources",
		Tag:           "Sources",
		Summary:       "List an agent's sources",
		Scope:         parley.SourcesRead,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidCursor},
	}, s.listSources)

	addRoute(api, operation{
		Name:          "summarizeSources",
		Method:        methodGet,
		Path:          agentPath + "/sources/summary",
		Tag:           "Sources",
		Summary:       "Count an agent's sources by kind",
		Scope:         parley.SourcesRead,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.getSourcesSummary)

	addRoute(api, operation{
		Name:          "getSource",
		Method:        methodGet,
		Path:          sourcePath,
		Tag:           "Sources",
		Summary:       "Get a source, to follow its training",
		Scope:         parley.SourcesRead,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeSourceNotFound},
	}, s.getSource)

	addRoute(api, operation{
		Name:          "checkPassage",
		Method:        methodGet,
		Path:          sourcePath + "/passages",
		Tag:           "Sources",
		Summary:       "Check what a citation points at",
		Scope:         parley.SourcesRead,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeSourceNotFound},
	}, s.getPassage)
}
