package apiv1

import (
	"maps"
	"strings"

	"parley/internal/wire"
)

// Document gives the OpenAPI document of REST v1, as a server at baseURL serves it.
func Document(baseURL string) ([]byte, error) { return document(newFace(Config{}), baseURL) }

func document(f *wire.Face, baseURL string) ([]byte, error) {
	return f.OpenAPI(wire.About{
		Title:       "Parley, version 1",
		Description: introduction,
		Version:     "1.0.0",
		Contact:     "The operator of this server",
		Servers:     []wire.Server{{URL: strings.TrimSuffix(baseURL, "/") + Base, Description: "This server"}},
		Tags:        tagsOf(f),
		Words:       told(),
		Params:      samples,
	})
}

const introduction = "The earlier interface, for integrations that were written for it; new ones use version 2. What is called an agent there is called a chatbot here.\n\n" +
	"Send an API key as `Authorization: Bearer <key>`. Bodies are JSON. A failure is `{\"message\"}`; where the request itself is wrong, `issues` names the fields."

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
	"Chat":          "The whole conversation in, one answer out: as JSON or as a stream of text.",
	"Conversations": "What was said.",
	"Chatbots":      "A chatbot answers messages from its content. Its settings, its pictures and its life.",
	"Leads":         "Customers who left their name, e-mail address or telephone number.",
	"Contacts":      "People that you know, with attributes of your own.",
	"Webhooks":      "Requests that this service sends when something happens.",
}

// told gathers what the document tells of each operation.
func told() map[string]wire.Words {
	all := map[string]wire.Words{}
	for _, part := range []map[string]wire.Words{chatWords, chatbotWords, contactWords, webhookWords} {
		maps.Copy(all, part)
	}
	return all
}

// samples are the parameters that say nothing of themselves.
var samples = map[string]wire.Sample{
	"externalId":    {Text: "The contact, by your id of it.", Example: "user-42"},
	"attributeName": {Text: "The custom attribute, by its name.", Example: "plan"},
	"webhookId":     {Text: "The webhook, by its id.", Example: "0199a1f0-6a5e-4c1b-9a57-2f0b6f1c7d10"},
	"per_page":      {Text: "Items of a page."},
	"chatbotId":     {Text: "The chatbot, by its id.", Example: "5QHA6VB-DIAbBhxwqxfdi"},
}
