package chatapi

import (
	"strings"

	"parley/internal/httpapi"
)

// Document returns the OpenAPI document of the public chat API, as a server at baseURL serves it.
func Document(baseURL string) ([]byte, error) {
	api := New(Config{})
	return api.OpenAPI(httpapi.Info{
		Title:         "Parley for visitors",
		Description:   introduction,
		Version:       "1.0.0",
		Contact:       "The operator of this server",
		Servers:       []httpapi.Server{{URL: strings.TrimSuffix(baseURL, "/") + Base, Description: "This server"}},
		Tags:          []httpapi.Tag{{Name: "Chat", Description: "What the widget of an agent calls for a visitor."}},
		ParamExamples: parameterExamples,
	})
}

const introduction = "What the widget calls: visitors, their conversations and the answers to them. " +
	"A visitor's token goes into `Authorization: Visitor <token>`. " +
	"A failure is `{\"error\": {\"code\", \"message\", \"details\"?}}`: look at `code`; " +
	"429 says in `Retry-After` how many seconds to wait."

// parameterExamples describes the parameters of paths and queries.
var parameterExamples = map[string]httpapi.Example{
	"agentId":        {Text: "The agent, by its id."},
	"conversationId": {Text: "The conversation, by its id."},
	"messageId":      {Text: "The message, by its id."},
	"turnId":         {Text: "The answer, by the id that the start of its stream has."},
	"toolCallId":     {Text: "The call of the tool, by its id."},
	"fileId":         {Text: "The file, by its id."},
}
