package v1

import (
	"net/http"

	"parley"
	"parley/internal/agents"
	"parley/internal/httpapi"
)

// maxContactsBytes is the largest JSON body of a request that writes contacts.
const maxContactsBytes = 4 << 20

type (
	call       = httpapi.Call
	operation  = httpapi.Operation
	errorCodes = []parley.Code
)

// addRoutes adds everything that REST v1 serves, in the order of the document. This file is the one list of it.
// Each operation needs the scope of the most similar operation of REST v2.
func (s *server) addRoutes(api *httpapi.API) {
	group := func(tag string) httpapi.Groups { return api.Groups(tag, "") }
	s.addConversationRoutes(group("Chat"), group("Conversations"))
	s.addChatbotRoutes(group("Chatbots"))
	s.addPictureRoutes(group("Chatbots"))
	s.addContactRoutes(group("Leads"), group("Contacts"))
	s.addAttributeRoutes(group("Contacts"))
	s.addWebhookRoutes(group("Webhooks"))
}

func (s *server) addConversationRoutes(chat, g httpapi.Groups) {
	httpapi.Add(chat.Agent, "POST /chat", operation{
		Name:      "chat",
		Summary:   "Get the chatbot's answer to a conversation",
		Scope:     parley.ChatlogsWrite,
		Streaming: true,
		Errors: errorCodes{parley.CodePlanFeature, parley.CodeModelNotAllowed, parley.CodeNotOngoing,
			parley.CodeConversationBusy, parley.CodeCreditsExhausted, parley.CodeAgentCredits,
			parley.CodeChatStreaming},
	}, s.createAnswer)

	httpapi.Add(g.CheckedAgent, "GET /get-conversations", operation{
		Name:    "getConversations",
		Summary: "List the conversations of a chatbot with their messages",
		Scope:   parley.ChatlogsExport,
		Errors:  errorCodes{parley.CodeInvalidDateRange},
	}, s.listConversations)
}

func (s *server) addChatbotRoutes(g httpapi.Groups) {
	httpapi.Add(g.Account, "POST /create-chatbot", operation{
		Name:         "createChatbot",
		Summary:      "Create a chatbot",
		Scope:        parley.AgentsWrite,
		MaxBodyBytes: maxContentBytes,
		Errors:       errorCodes{parley.CodeAgentLimit, parley.CodePlanFeature},
	}, s.createChatbot)

	httpapi.Add(g.Agent, "POST /update-chatbot-data", operation{
		Name:         "updateChatbotData",
		Summary:      "Replace what a chatbot reads",
		Scope:        parley.SourcesWrite,
		MaxBodyBytes: maxContentBytes,
		Errors:       errorCodes{parley.CodePlanFeature},
	}, s.updateChatbotData)

	httpapi.Add(g.Agent, "DELETE /delete-chatbot", operation{
		Name:    "deleteChatbot",
		Summary: "Delete a chatbot and everything it holds",
		Scope:   parley.AgentsDelete,
	}, s.deleteChatbot)

	httpapi.Add(g.Account, "GET /get-chatbots", operation{
		Name:    "getChatbots",
		Summary: "List the account's chatbots",
		Scope:   parley.AgentsRead,
	}, s.listChatbots)

	httpapi.Add(g.Agent, "POST /update-chatbot-settings", operation{
		Name:    "updateChatbotSettings",
		Summary: "Change the settings that are sent",
		Scope:   parley.AgentsWrite,
		Status:  http.StatusAccepted,
		Errors:  errorCodes{parley.CodePlanFeature},
	}, s.updateSettings)
}

// addPictureRoutes adds what changes and shows pictures. Everybody may see them: pages that embed the chatbot show
// them.
func (s *server) addPictureRoutes(g httpapi.Groups) {
	httpapi.Add(g.Agent, "POST /upload-chatbot-icon", operation{
		Name:    "uploadChatbotIcon",
		Summary: "Give a chatbot an icon",
		Scope:   parley.AgentsWrite,
		Form:    newPictureForm(iconPart),
	}, s.uploadPicture(agents.Icon, iconPart, "The icon was uploaded."))

	httpapi.Add(g.Agent, "POST /upload-chatbot-profile-picture", operation{
		Name:    "uploadChatbotProfilePicture",
		Summary: "Give a chatbot a profile picture",
		Scope:   parley.AgentsWrite,
		Form:    newPictureForm(profilePart),
	}, s.uploadPicture(agents.Profile, profilePart, "The profile picture was uploaded."))

	httpapi.Add(g.Agent, "DELETE /delete-chatbot-icon", operation{
		Name:         "deleteChatbotIcon",
		Summary:      "Take a chatbot's icon away",
		Scope:        parley.AgentsWrite,
		BodyOptional: true,
	}, s.removePicture(agents.Icon, "The icon was deleted."))

	httpapi.Add(g.Agent, "DELETE /delete-chatbot-profile-picture", operation{
		Name:         "deleteChatbotProfilePicture",
		Summary:      "Take a chatbot's profile picture away",
		Scope:        parley.AgentsWrite,
		BodyOptional: true,
	}, s.removePicture(agents.Profile, "The profile picture was deleted."))

	httpapi.Add(g.Account, "GET /chatbots/{chatbotId}/icon", operation{
		Name:     "showChatbotIcon",
		Summary:  "Show a chatbot's icon",
		Public:   true,
		Unlisted: true,
	}, s.showPicture(agents.Icon))

	httpapi.Add(g.Account, "GET /chatbots/{chatbotId}/profile-picture", operation{
		Name:     "showChatbotProfilePicture",
		Summary:  "Show a chatbot's profile picture",
		Public:   true,
		Unlisted: true,
	}, s.showPicture(agents.Profile))
}

func (s *server) addContactRoutes(leads, g httpapi.Groups) {
	httpapi.Add(leads.CheckedAgent, "GET /get-leads", operation{
		Name:    "getLeads",
		Summary: "List the leads of a chatbot",
		Scope:   parley.ChatlogsExport,
		Errors:  errorCodes{parley.CodeInvalidDateRange},
	}, s.listLeads)

	httpapi.Add(g.CheckedAgent, "POST /chatbots/{chatbotId}/contacts", operation{
		Name:         "saveContacts",
		Summary:      "Add contacts, or change those that are there",
		Scope:        parley.ChatlogsWrite,
		MaxBodyBytes: maxContactsBytes,
	}, s.putContacts)

	httpapi.Add(g.CheckedAgent, "GET /chatbots/{chatbotId}/contacts", operation{
		Name:    "listContacts",
		Summary: "List the contacts of a chatbot",
		Scope:   parley.ChatlogsExport,
	}, s.listContacts)

	httpapi.Add(g.CheckedAgent, "GET /chatbots/{chatbotId}/contacts/{externalId}", operation{
		Name:    "getContact",
		Summary: "Get a contact",
		Scope:   parley.ChatlogsExport,
		Errors:  errorCodes{parley.CodeNotFound},
	}, s.getContact)

	httpapi.Add(g.CheckedAgent, "PATCH /chatbots/{chatbotId}/contacts/{externalId}", operation{
		Name:    "updateContact",
		Summary: "Change a contact",
		Scope:   parley.ChatlogsWrite,
		Errors:  errorCodes{parley.CodeNotFound},
	}, s.changeContact)

	httpapi.Add(g.CheckedAgent, "DELETE /chatbots/{chatbotId}/contacts/{externalId}", operation{
		Name:    "deleteContact",
		Summary: "Delete a contact",
		Scope:   parley.ChatlogsDelete,
		Errors:  errorCodes{parley.CodeNotFound},
	}, s.deleteContact)
}

func (s *server) addAttributeRoutes(g httpapi.Groups) {
	httpapi.Add(g.CheckedAgent, "POST /chatbots/{chatbotId}/custom-attributes", operation{
		Name:    "createCustomAttribute",
		Summary: "Give contacts a new attribute",
		Scope:   parley.AgentsWrite,
	}, s.createAttribute)

	httpapi.Add(g.CheckedAgent, "GET /chatbots/{chatbotId}/custom-attributes", operation{
		Name:    "listCustomAttributes",
		Summary: "List the custom attributes of contacts",
		Scope:   parley.AgentsRead,
	}, s.listAttributes)

	httpapi.Add(g.CheckedAgent, "PUT /chatbots/{chatbotId}/custom-attributes/{attributeName}", operation{
		Name:    "updateCustomAttribute",
		Summary: "Change or archive a custom attribute",
		Scope:   parley.AgentsWrite,
		Errors:  errorCodes{parley.CodeNotFound},
	}, s.changeAttribute)
}

func (s *server) addWebhookRoutes(g httpapi.Groups) {
	httpapi.Add(g.Agent, "POST /webhooks", operation{
		Name:            "createWebhook",
		Summary:         "Have events sent to an address",
		Scope:           parley.ChatlogsExport,
		AdditionalScope: parley.AgentsWrite,
	}, s.createWebhook)

	httpapi.Add(g.CheckedAgent, "GET /webhooks", operation{
		Name:    "listWebhooks",
		Summary: "List the account's webhooks",
		Scope:   parley.ChatlogsExport,
	}, s.listWebhooks)

	httpapi.Add(g.Account, "DELETE /webhooks/{webhookId}", operation{
		Name:            "deleteWebhook",
		Summary:         "Send no more to an address",
		Scope:           parley.ChatlogsExport,
		AdditionalScope: parley.AgentsWrite,
		Errors:          errorCodes{parley.CodeNotFound},
	}, s.deleteWebhook)
}
