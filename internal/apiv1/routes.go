package apiv1

import (
	"net/http"

	"parley"
	"parley/internal/wire"
)

const (
	get   = http.MethodGet
	post  = http.MethodPost
	put   = http.MethodPut
	patch = http.MethodPatch
	del   = http.MethodDelete
)

const (
	chatbotPath    = "/chatbots/{chatbotId}"
	contactsPath   = chatbotPath + "/contacts"
	attributesPath = chatbotPath + "/custom-attributes"
)

// contactsLimit is the most bytes that contacts may take as JSON.
const contactsLimit = 4 << 20

type (
	meta  = wire.Meta
	codes = []parley.Code
)

// routes is the one list of what REST v1 serves, each with the scope it needs: that of its nearest relative in REST v2.
func (s *server) routes(f *wire.Face) {
	// Chat and conversations.
	on(f, meta{Name: "chat", Method: post, Path: "/chat", Tag: "Chat", Summary: "Get the chatbot's answer to a conversation", Scope: parley.ChatlogsWrite, Streams: true,
		Errors: codes{parley.CodeAgentNotFound, parley.CodePlanFeature, parley.CodeModelNotAllowed, parley.CodeNotOngoing, parley.CodeConversationBusy,
			parley.CodeCreditsExhausted, parley.CodeAgentCredits, parley.CodeChatStreaming}}, s.chat)
	on(f, meta{Name: "getConversations", Method: get, Path: "/get-conversations", Tag: "Conversations", Summary: "List the conversations of a chatbot with their messages",
		Scope: parley.ChatlogsExport, Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidDateRange}}, s.conversations)

	// Chatbots, settings and pictures.
	on(f, meta{Name: "createChatbot", Method: post, Path: "/create-chatbot", Tag: "Chatbots", Summary: "Create a chatbot", Scope: parley.AgentsWrite,
		Limit: mostContent, Errors: codes{parley.CodeAgentLimit, parley.CodePlanFeature}}, s.createChatbot)
	on(f, meta{Name: "updateChatbotData", Method: post, Path: "/update-chatbot-data", Tag: "Chatbots", Summary: "Replace what a chatbot reads", Scope: parley.SourcesWrite,
		Limit: mostContent, Errors: codes{parley.CodeAgentNotFound, parley.CodePlanFeature}}, s.updateChatbotData)
	on(f, meta{Name: "deleteChatbot", Method: del, Path: "/delete-chatbot", Tag: "Chatbots", Summary: "Delete a chatbot and everything it holds", Scope: parley.AgentsDelete,
		Errors: codes{parley.CodeAgentNotFound}}, s.deleteChatbot)
	on(f, meta{Name: "getChatbots", Method: get, Path: "/get-chatbots", Tag: "Chatbots", Summary: "List the account's chatbots", Scope: parley.AgentsRead}, s.chatbots)
	on(f, meta{Name: "updateChatbotSettings", Method: post, Path: "/update-chatbot-settings", Tag: "Chatbots", Summary: "Change the settings that are sent", Scope: parley.AgentsWrite,
		Status: http.StatusAccepted, Errors: codes{parley.CodeAgentNotFound, parley.CodePlanFeature}}, s.updateSettings)
	on(f, meta{Name: "uploadChatbotIcon", Method: post, Path: "/upload-chatbot-icon", Tag: "Chatbots", Summary: "Give a chatbot an icon", Scope: parley.AgentsWrite,
		Form: pictureForm(iconPart), Errors: codes{parley.CodeAgentNotFound}}, s.uploadIcon)
	on(f, meta{Name: "uploadChatbotProfilePicture", Method: post, Path: "/upload-chatbot-profile-picture", Tag: "Chatbots", Summary: "Give a chatbot a profile picture", Scope: parley.AgentsWrite,
		Form: pictureForm(profilePart), Errors: codes{parley.CodeAgentNotFound}}, s.uploadProfile)
	on(f, meta{Name: "deleteChatbotIcon", Method: del, Path: "/delete-chatbot-icon", Tag: "Chatbots", Summary: "Take a chatbot's icon away", Scope: parley.AgentsWrite,
		Bare: true, Errors: codes{parley.CodeAgentNotFound}}, s.deleteIcon)
	on(f, meta{Name: "deleteChatbotProfilePicture", Method: del, Path: "/delete-chatbot-profile-picture", Tag: "Chatbots", Summary: "Take a chatbot's profile picture away", Scope: parley.AgentsWrite,
		Bare: true, Errors: codes{parley.CodeAgentNotFound}}, s.deleteProfile)
	on(f, meta{Name: "showChatbotIcon", Method: get, Path: "/chatbots/{chatbotId}/icon", Tag: "Chatbots", Summary: "Show a chatbot's icon", Open: true, Unlisted: true}, s.showIcon)
	on(f, meta{Name: "showChatbotProfilePicture", Method: get, Path: "/chatbots/{chatbotId}/profile-picture", Tag: "Chatbots", Summary: "Show a chatbot's profile picture",
		Open: true, Unlisted: true}, s.showProfile)

	// Leads, contacts, custom attributes and webhooks.
	on(f, meta{Name: "getLeads", Method: get, Path: "/get-leads", Tag: "Leads", Summary: "List the leads of a chatbot", Scope: parley.ChatlogsExport,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidDateRange}}, s.leads)
	on(f, meta{Name: "saveContacts", Method: post, Path: contactsPath, Tag: "Contacts", Summary: "Add contacts, or change those that are there", Scope: parley.ChatlogsWrite,
		Limit: contactsLimit, Errors: codes{parley.CodeAgentNotFound}}, s.putContacts)
	on(f, meta{Name: "listContacts", Method: get, Path: contactsPath, Tag: "Contacts", Summary: "List the contacts of a chatbot", Scope: parley.ChatlogsExport,
		Errors: codes{parley.CodeAgentNotFound}}, s.contacts)
	on(f, meta{Name: "getContact", Method: get, Path: contactsPath + "/{externalId}", Tag: "Contacts", Summary: "Get a contact", Scope: parley.ChatlogsExport,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeNotFound}}, s.contact)
	on(f, meta{Name: "updateContact", Method: patch, Path: contactsPath + "/{externalId}", Tag: "Contacts", Summary: "Change a contact", Scope: parley.ChatlogsWrite,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeNotFound}}, s.changeContact)
	on(f, meta{Name: "createCustomAttribute", Method: post, Path: attributesPath, Tag: "Contacts", Summary: "Give contacts a new attribute", Scope: parley.AgentsWrite,
		Errors: codes{parley.CodeAgentNotFound}}, s.createAttribute)
	on(f, meta{Name: "listCustomAttributes", Method: get, Path: attributesPath, Tag: "Contacts", Summary: "List the custom attributes of contacts", Scope: parley.AgentsRead,
		Errors: codes{parley.CodeAgentNotFound}}, s.attributes)
	on(f, meta{Name: "updateCustomAttribute", Method: put, Path: attributesPath + "/{attributeName}", Tag: "Contacts", Summary: "Change or archive a custom attribute", Scope: parley.AgentsWrite,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeNotFound}}, s.changeAttribute)
	on(f, meta{Name: "deleteContact", Method: del, Path: contactsPath + "/{externalId}", Tag: "Contacts", Summary: "Delete a contact", Scope: parley.ChatlogsDelete,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeNotFound}}, s.deleteContact)
	on(f, meta{Name: "createWebhook", Method: post, Path: "/webhooks", Tag: "Webhooks", Summary: "Have events sent to an address",
		Scope: parley.ChatlogsExport, Also: parley.AgentsWrite,
		Errors: codes{parley.CodeAgentNotFound}}, s.createWebhook)
	on(f, meta{Name: "listWebhooks", Method: get, Path: "/webhooks", Tag: "Webhooks", Summary: "List the account's webhooks", Scope: parley.ChatlogsExport,
		Errors: codes{parley.CodeAgentNotFound}}, s.webhooks)
	on(f, meta{Name: "deleteWebhook", Method: del, Path: "/webhooks/{webhookId}", Tag: "Webhooks", Summary: "Send no more to an address",
		Scope: parley.ChatlogsExport, Also: parley.AgentsWrite,
		Errors: codes{parley.CodeNotFound}}, s.deleteWebhook)
}

func on[In, Out any](f *wire.Face, m meta, handle wire.Handler[In, Out]) {
	wire.Handle(f, wire.Op[In, Out]{Meta: m, Handler: handle})
}
