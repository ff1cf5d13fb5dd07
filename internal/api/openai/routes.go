package openai

import (
	"parley"
	"parley/internal/httpapi"
)

type (
	call       = httpapi.Call
	operation  = httpapi.Operation
	errorCodes = []parley.Code
)

// answerCodes are the failures of an operation that answers.
var answerCodes = errorCodes{parley.CodeAgentNotFound, parley.CodeModelNotAllowed, parley.CodeConversationBusy,
	parley.CodeCreditsExhausted, parley.CodeAgentCredits, parley.CodeChatStreaming}

// addRoutes adds everything that the API serves. This file is the one list of it. Each operation needs the scope of
// the most similar operation of REST v2.
func (s *server) addRoutes(api *httpapi.API) {
	chat, models := api.Groups("Chat", "").Account, api.Groups("Models", "").Account

	httpapi.Add(chat, "POST /chat/completions", operation{
		Name:      "createChatCompletion",
		Summary:   "Get the agent's answer to a conversation",
		Scope:     parley.ChatlogsWrite,
		Streaming: true,
		Errors:    answerCodes,
	}, s.createCompletion)

	httpapi.Add(chat, "POST /responses", operation{
		Name:      "createResponse",
		Summary:   "Get the agent's answer to a conversation, as items",
		Scope:     parley.ChatlogsWrite,
		Streaming: true,
		Errors:    answerCodes,
	}, s.createResponse)

	httpapi.Add(models, "GET /models", operation{
		Name:    "listModels",
		Summary: "List the account's agents",
		Scope:   parley.AgentsRead,
	}, s.listModels)

	httpapi.Add(models, "GET /models/{model}", operation{
		Name:    "retrieveModel",
		Summary: "Get one agent",
		Scope:   parley.AgentsRead,
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, s.retrieveModel)
}
