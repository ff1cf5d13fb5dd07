package v1

import (
	"maps"
	"strings"

	"parley/internal/httpapi"
)

// Document returns the OpenAPI document of REST v1, as a server at baseURL serves it.
func Document(baseURL string) ([]byte, error) { return renderDocument(newAPI(Config{}), baseURL) }

func renderDocument(api *httpapi.API, baseURL string) ([]byte, error) {
	return api.OpenAPI(httpapi.Info{
		Title:         "Parley, version 1",
		Description:   introduction,
		Version:       "1.0.0",
		Contact:       "The operator of this server",
		Servers:       []httpapi.Server{{URL: strings.TrimSuffix(baseURL, "/") + Base, Description: "This server"}},
		Tags:          api.UsedTags(tagTexts),
		Docs:          operationDocs(),
		ParamExamples: parameterExamples,
	})
}

const introduction = "The earlier interface, for integrations that were written for it; new ones use version 2. " +
	"What is called an agent there is called a chatbot here.\n\n" +
	"Send an API key as `Authorization: Bearer <key>`. Bodies are JSON. A failure is `{\"message\"}`; where the " +
	"request itself is wrong, `issues` names the fields."

var tagTexts = map[string]string{
	"Chat":          "The whole conversation in, one answer out: as JSON or as a stream of text.",
	"Conversations": "What was said.",
	"Chatbots":      "A chatbot answers messages from its content. Its settings, its pictures and its life.",
	"Leads":         "Customers who left their name, e-mail address or telephone number.",
	"Contacts":      "People that you know, with attributes of your own.",
	"Webhooks":      "Requests that this service sends when something happens.",
}

// operationDocs returns the documentation of each operation.
func operationDocs() map[string]httpapi.Doc {
	all := map[string]httpapi.Doc{}
	for _, part := range []map[string]httpapi.Doc{chatDocs, chatbotDocs, contactDocs, webhookDocs} {
		maps.Copy(all, part)
	}
	return all
}

// parameterExamples describes the parameters without a doc tag.
var parameterExamples = map[string]httpapi.Example{
	"externalId":    {Text: "The contact, by your id of it.", Value: "user-42"},
	"attributeName": {Text: "The custom attribute, by its name.", Value: "plan"},
	"webhookId":     {Text: "The webhook, by its id.", Value: "0199a1f0-6a5e-4c1b-9a57-2f0b6f1c7d10"},
	"per_page":      {Text: "Items of a page."},
	"chatbotId":     {Text: "The chatbot, by its id.", Value: "5QHA6VB-DIAbBhxwqxfdi"},
}
