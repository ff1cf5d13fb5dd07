package chatapi

import (
	"net/http"

	"parley"
	"parley/internal/httpapi"
)

// configOperation is the name of the one operation that also answers for an agent that is not there.
const configOperation = "getConfig"

// addRoutes adds the operations of the public chat API. Those that are Public take a visitor's token and need none.
func (s *server) addRoutes(api *httpapi.API) {
	g := httpapi.Group{API: api, Path: "/{agentId}", Tag: "Chat", Errors: errorCodes{parley.CodeAgentNotFound,
		parley.CodeAddressBlocked}}
	s.addConfigRoutes(g)
	s.addVisitorRoutes(g)
	s.addAnswerRoutes(g)
	s.addConversationRoutes(g)
	s.addPeopleRoutes(g)
}

func (s *server) addConfigRoutes(g httpapi.Group) {
	httpapi.Add(g, "GET /config", operation{
		Name:    configOperation,
		Summary: "Get what the chat frame has to know of the agent",
		Public:  true,
	}, s.getConfig)
}

func (s *server) addVisitorRoutes(g httpapi.Group) {
	httpapi.Add(g, "POST /visitor", operation{
		Name:         "beginVisitor",
		Summary:      "Get a visitor's token, or renew it",
		Public:       true,
		Repeatable:   true,
		BodyOptional: true,
	}, s.beginVisitor)

	httpapi.Add(g, "POST /identify", operation{
		Name:       "identifyVisitor",
		Summary:    "Show who the visitor is",
		Repeatable: true,
		Errors:     errorCodes{parley.CodeIdentityRefused},
	}, s.identifyVisitor)
}

func (s *server) addAnswerRoutes(g httpapi.Group) {
	failures := errorCodes{parley.CodeConversationNotFound, parley.CodeNotOngoing, parley.CodeConversationBusy,
		parley.CodeCreditsExhausted, parley.CodeAgentCredits, parley.CodeModelNotAllowed, parley.CodeChatStreaming}
	httpapi.Add(g, "POST /messages", operation{
		Name:         "sendMessage",
		Summary:      "Send a message and follow the agent's answer",
		Streaming:    true,
		MaxBodyBytes: maxBodyBytes,
		Errors:       append(errorCodes{parley.CodeDomainNotAllowed}, failures...),
	}, limitStreams(s, s.sendMessage))

	httpapi.Add(g, "POST /retry", operation{
		Name:      "retryAnswer",
		Summary:   "Answer a message again",
		Streaming: true,
		Errors:    append(errorCodes{parley.CodeRetryNotFound, parley.CodeRetryNoUser}, failures...),
	}, limitStreams(s, s.retryAnswer))

	httpapi.Add(g, "GET /turns/{turnId}/events", operation{
		Name:      "followAnswer",
		Summary:   "Follow an answer from its beginning, or from Last-Event-ID",
		Streaming: true,
		Errors:    errorCodes{parley.CodeConversationNotFound, parley.CodeChatStreaming},
	}, limitStreams(s, s.followAnswer))

	httpapi.Add(g, "POST /turns/{turnId}/stop", operation{
		Name:       "stopAnswer",
		Summary:    "Stop an answer; what there is of it stays",
		Repeatable: true,
		Errors:     errorCodes{parley.CodeConversationNotFound},
	}, s.stopAnswer)

	httpapi.Add(g, "POST /tool-result", operation{
		Name:         "sendToolResult",
		Summary:      "Send the result of a tool that ran in the page",
		MaxBodyBytes: maxBodyBytes,
		Errors:       errorCodes{parley.CodeConversationNotFound, parley.CodeToolCallNotFound},
	}, s.sendToolResult)

	httpapi.Add(g, "PATCH /messages/{messageId}/feedback", operation{
		Name:    "rateAnswer",
		Summary: "Rate an answer",
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeMessageNotFound,
			parley.CodeNotAssistant},
	}, s.rateAnswer)
}

func (s *server) addConversationRoutes(g httpapi.Group) {
	httpapi.Add(g, "GET /conversations", operation{
		Name:    "listConversations",
		Summary: "List the visitor's conversations, or search in them",
	}, s.listConversations)

	httpapi.Add(g, "GET /conversation/{conversationId}", operation{
		Name:    "getConversation",
		Summary: "Get a conversation with its messages",
		Errors:  errorCodes{parley.CodeConversationNotFound},
	}, s.getConversation)

	httpapi.Add(g, "POST /conversation/{conversationId}/messages", operation{
		Name:         "writeToPerson",
		Summary:      "Write to the person who has taken the conversation over",
		Status:       http.StatusCreated,
		MaxBodyBytes: maxBodyBytes,
		Errors:       errorCodes{parley.CodeConversationNotFound, parley.CodeNotTakenOver},
	}, s.writeToPerson)

	httpapi.Add(g, "GET /conversation/{conversationId}/events", operation{
		Name:      "followConversation",
		Summary:   "Follow a conversation as it happens",
		Streaming: true,
		Errors:    errorCodes{parley.CodeConversationNotFound},
	}, limitStreams(s, s.followConversation))
}
