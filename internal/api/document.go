package api

import (
	"maps"
	"strings"

	"parley/internal/wire"
)

// Document gives the OpenAPI document of REST v2, as a server at baseURL serves it.
func Document(baseURL, filesURL string) ([]byte, error) {
	return document(newFace(Config{}), baseURL, filesURL)
}

func document(f *wire.Face, baseURL, filesURL string) ([]byte, error) {
	servers := []wire.Server{{URL: strings.TrimSuffix(baseURL, "/") + Base, Description: "This server"}}
	if filesURL != "" && filesURL != baseURL {
		servers = append(servers, wire.Server{URL: strings.TrimSuffix(filesURL, "/") + Base, Description: "File uploads"})
	}
	return f.OpenAPI(wire.About{
		Title:       "Parley",
		Description: introduction,
		Version:     "2.0.0",
		Contact:     "The operator of this server",
		Servers:     servers,
		Tags:        tagsOf(f),
		Words:       told(),
		Params:      samples,
	})
}

const introduction = "AI support agents that answer from their sources.\n\n" +
	"Send an API key as `Authorization: Bearer <key>`. Bodies are JSON. A failure is `{\"error\": {\"code\", \"message\", \"details\"?}}`: look at `code`. " +
	"Every response names its request in `x-request-id` and tells the rate limit in the `X-RateLimit-*` headers; 429 and 503 say in `Retry-After` how many seconds to wait. " +
	"Lists come in pages: send `pagination.cursor` back as `cursor` until `hasMore` is false."

// tagsOf gives the tags in use, in the order of the routes.
func tagsOf(f *wire.Face) []wire.Tag {
	var list []wire.Tag
	seen := map[string]bool{}
	for _, op := range f.Operations() {
		if !seen[op.Tag] {
			seen[op.Tag] = true
			list = append(list, wire.Tag{Name: op.Tag, Description: tagTexts[op.Tag]})
		}
	}
	return list
}

var tagTexts = map[string]string{
	"Service":       "Is the service up, and whose is the key?",
	"Agents":        "An agent answers messages from its sources. Its settings, its looks and its life.",
	"Chat":          "One message in, one answer out: as JSON or as a stream of events.",
	"Conversations": "What was said, who rated it, and who answers.",
	"Helpdesk":      "What customers ask of people: tickets, and the teams that answer them.",
	"Voice":         "Talk to the agent: a session that a browser joins.",
	"Sources":       "What an agent has read. A source trains as soon as it is written.",
}

// told gathers what the document tells of each operation. TestEveryOperationIsTold holds the examples to their schemas.
func told() map[string]wire.Words {
	all := map[string]wire.Words{}
	for _, part := range []map[string]wire.Words{serviceWords, agentWords, chatWords, conversationWords, searchWords, insightWords, ticketWords, voiceWords, sourceWords} {
		maps.Copy(all, part)
	}
	return all
}

// samples are the parameters of paths.
var samples = map[string]wire.Sample{
	"agentId":        {Text: "The agent, by its id.", Example: "5QHA6VB-DIAbBhxwqxfdi"},
	"conversationId": {Text: "The conversation, by its id.", Example: "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01"},
	"messageId":      {Text: "The message, by its id.", Example: "msg_V1StGXR8Z5jdHi6BmyT0aQ"},
	"sourceId":       {Text: "The source, by its id.", Example: "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50"},
	"ticketNumber":   {Text: "The ticket, by its number.", Example: "42"},
	"userId":         {Text: "The end user, by your own id.", Example: "customer-8421"},
}
