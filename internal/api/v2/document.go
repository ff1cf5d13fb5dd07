package v2

import (
	"maps"
	"strings"

	"parley/internal/httpapi"
)

// Document returns the OpenAPI document of REST v2, as a server at baseURL serves it.
func Document(baseURL, filesURL string) ([]byte, error) {
	return renderDocument(newAPI(Config{}), baseURL, filesURL)
}

func renderDocument(api *httpapi.API, baseURL, filesURL string) ([]byte, error) {
	servers := []httpapi.Server{{URL: strings.TrimSuffix(baseURL, "/") + Base, Description: "This server"}}
	if filesURL != "" && filesURL != baseURL {
		servers = append(servers, httpapi.Server{URL: strings.TrimSuffix(filesURL, "/") + Base, Description: "File uploads"})
	}
	return api.OpenAPI(httpapi.Info{
		Title:         "Parley",
		Description:   introduction,
		Version:       "2.0.0",
		Contact:       "The operator of this server",
		Servers:       servers,
		Tags:          api.UsedTags(tagTexts),
		Docs:          operationDocs(),
		ParamExamples: parameterExamples,
	})
}

const introduction = "AI support agents that answer from their sources.\n\n" +
	"Send an API key as `Authorization: Bearer <key>`. Bodies are JSON. A failure is `{\"error\": {\"code\", " +
	"\"message\", \"details\"?}}`: look at `code`. " +
	"Every response names its request in `x-request-id` and tells the rate limit in the `X-RateLimit-*` headers; " +
	"429 and 503 say in `Retry-After` how many seconds to wait. " +
	"Lists come in pages: send `pagination.cursor` back as `cursor` until `hasMore` is false."

var tagTexts = map[string]string{
	"Service":       "Is the service up, and whose is the key?",
	"Agents":        "An agent answers messages from its sources. Its settings, its looks and its life.",
	"Chat":          "One message in, one answer out: as JSON or as a stream of events.",
	"Conversations": "What was said, who rated it, and who answers.",
	"Helpdesk":      "What customers ask of people: tickets, and the teams that answer them.",
	"Voice":         "Talk to the agent: a session that a browser joins.",
	"Sources":       "What an agent has read. A source trains as soon as it is written.",
}

// operationDocs returns the documentation of each operation. TestEveryOperationIsDocumented checks the examples against
// the schemas.
func operationDocs() map[string]httpapi.Doc {
	all := map[string]httpapi.Doc{}
	for _, part := range []map[string]httpapi.Doc{serviceDocs, agentDocs, chatDocs, conversationDocs, searchDocs,
		insightDocs, ticketDocs, voiceDocs, sourceDocs} {
		maps.Copy(all, part)
	}
	return all
}

// parameterExamples describes the parameters of paths.
var parameterExamples = map[string]httpapi.Example{
	"agentId":        {Text: "The agent, by its id.", Value: "5QHA6VB-DIAbBhxwqxfdi"},
	"conversationId": {Text: "The conversation, by its id.", Value: "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01"},
	"messageId":      {Text: "The message, by its id.", Value: "msg_V1StGXR8Z5jdHi6BmyT0aQ"},
	"sourceId":       {Text: "The source, by its id.", Value: "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50"},
	"ticketNumber":   {Text: "The ticket, by its number.", Value: "42"},
	"userId":         {Text: "The end user, by your own id.", Value: "customer-8421"},
}
