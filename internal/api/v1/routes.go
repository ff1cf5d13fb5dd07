package v1

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
	chatbotPath    = "/chatbots/{chatbotId}"
	contactsPath   = chatbotPath + "/contacts"
	contactPath    = contactsPath + "/{externalId}"
	attributesPath = chatbotPath + "/custom-attributes"
)

// maxContactsBytes is the largest JSON body of a request that writes contacts.
const maxContactsBytes = 4 << 20

type (
	operation  = httpapi.Operation
	errorCodes = []parley.Code
)

// addRoutes adds everything that REST v1 serves, in the order of the document. This file is the one list of it.
// Each operation needs the scope of the most similar operation of REST v2.
func (s *server) addRoutes(api *httpapi.API) {
	s.addConversationRoutes(api)
	s.addChatbotRoutes(api)
	s.addPictureRoutes(api)
	s.addContactRoutes(api)
	s.addAttributeRoutes(api)
	s.addWebhookRoutes(api)
}

func addRoute[In, Out any](api *httpapi.API, op operation, handle httpapi.Handler[In, Out]) {
	httpapi.Handle(api, httpapi.TypedOperation[In, Out]{Operation: op, Handler: handle})
}

func (s *server) addConversationRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:      "chat",
		Method:    methodPost,
		Path:      "/chat",
		Tag:       "Chat",
		Summary:   "Get the chatbot's answer to a conversation",
		Scope:     parley.ChatlogsWrite,
		Streaming: true,
		Errors: errorCodes{
			parley.CodeAgentNotFound,
			parley.CodePlanFeature,
			parley.CodeModelNotAllowed,
			parley.CodeNotOngoing,
			parley.CodeConversationBusy,
			parley.CodeCreditsExhausted,
			parley.CodeAgentCredits,
			parley.CodeChatStreaming,
		},
	}, s.createAnswer)

	addRoute(api, operation{
		Name:          "getConversations",
		Method:        methodGet,
		Path:          "/get-conversations",
		Tag:           "Conversations",
		Summary:       "List the conversations of a chatbot with their messages",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidDateRange},
	}, s.listConversations)
}

func (s *server) addChatbotRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:         "createChatbot",
		Method:       methodPost,
		Path:         "/create-chatbot",
		Tag:          "Chatbots",
		Summary:      "Create a chatbot",
		Scope:        parley.AgentsWrite,
		MaxBodyBytes: maxContentBytes,
		Errors:       errorCodes{parley.CodeAgentLimit, parley.CodePlanFeature},
	}, s.createChatbot)

	addRoute(api, operation{
		Name:         "updateChatbotData",
		Method:       methodPost,
		Path:         "/update-chatbot-data",
		Tag:          "Chatbots",
		Summary:      "Replace what a chatbot reads",
		Scope:        parley.SourcesWrite,
		MaxBodyBytes: maxContentBytes,
		Errors:       errorCodes{parley.CodeAgentNotFound, parley.CodePlanFeature},
	}, s.updateChatbotData)

	addRoute(api, operation{
		Name:    "deleteChatbot",
		Method:  methodDelete,
		Path:    "/delete-chatbot",
		Tag:     "Chatbots",
		Summary: "Delete a chatbot and everything it holds",
		Scope:   parley.AgentsDelete,
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, s.deleteChatbot)

	addRoute(api, operation{
		Name:    "getChatbots",
		Method:  methodGet,
		Path:    "/get-chatbots",
		Tag:     "Chatbots",
		Summary: "List the account's chatbots",
		Scope:   parley.AgentsRead,
	}, s.listChatbots)

	addRoute(api, operation{
		Name:    "updateChatbotSettings",
		Method:  methodPost,
		Path:    "/update-chatbot-settings",
		Tag:     "Chatbots",
		Summary: "Change the settings that are sent",
		Scope:   parley.AgentsWrite,
		Status:  http.StatusAccepted,
		Errors:  errorCodes{parley.CodeAgentNotFound, parley.CodePlanFeature},
	}, s.updateSettings)
}

// addPictureRoutes adds what changes and shows pictures. Everybody may see them: pages that embed the chatbot show
// them.
func (s *server) addPictureRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:    "uploadChatbotIcon",
		Method:  methodPost,
		Path:    "/upload-chatbot-icon",
		Tag:     "Chatbots",
		Summary: "Give a chatbot an icon",
		Scope:   parley.AgentsWrite,
		Form:    newPictureForm(iconPart),
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, s.uploadIcon)

	addRoute(api, operation{
		Name:    "uploadChatbotProfilePicture",
		Method:  methodPost,
		Path:    "/upload-chatbot-profile-picture",
		Tag:     "Chatbots",
		Summary: "Give a chatbot a profile picture",
		Scope:   parley.AgentsWrite,
		Form:    newPictureForm(profilePart),
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, s.uploadProfile)

	addRoute(api, operation{
		Name:         "deleteChatbotIcon",
		Method:       methodDelete,
		Path:         "/delete-chatbot-icon",
		Tag:          "Chatbots",
		Summary:      "Take a chatbot's icon away",
		Scope:        parley.AgentsWrite,
		BodyOptional: true,
		Errors:       errorCodes{parley.CodeAgentNotFound},
	}, s.deleteIcon)

	addRoute(api, operation{
		Name:         "deleteChatbotProfilePicture",
		Method:       methodDelete,
		Path:         "/delete-chatbot-profile-picture",
		Tag:          "Chatbots",
		Summary:      "Take a chatbot's profile picture away",
		Scope:        parley.AgentsWrite,
		BodyOptional: true,
		Errors:       errorCodes{parley.CodeAgentNotFound},
	}, s.deleteProfile)

	addRoute(api, operation{
		Name:     "showChatbotIcon",
		Method:   methodGet,
		Path:     chatbotPath + "/icon",
		Tag:      "Chatbots",
		Summary:  "Show a chatbot's icon",
		Public:   true,
		Unlisted: true,
	}, s.showIcon)

	addRoute(api, operation{
		Name:     "showChatbotProfilePicture",
		Method:   methodGet,
		Path:     chatbotPath + "/profile-picture",
		Tag:      "Chatbots",
		Summary:  "Show a chatbot's profile picture",
		Public:   true,
		Unlisted: true,
	}, s.showProfile)
}

func (s *server) addContactRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:          "getLeads",
		Method:        methodGet,
		Path:          "/get-leads",
		Tag:           "Leads",
		Summary:       "List the leads of a chatbot",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidDateRange},
	}, s.listLeads)

	addRoute(api, operation{
		Name:          "saveContacts",
		Method:        methodPost,
		Path:          contactsPath,
		Tag:           "Contacts",
		Summary:       "Add contacts, or change those that are there",
		Scope:         parley.ChatlogsWrite,
		RequiresAgent: true,
		MaxBodyBytes:  maxContactsBytes,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.putContacts)

	addRoute(api, operation{
		Name:          "listContacts",
		Method:        methodGet,
		Path:          contactsPath,
		Tag:           "Contacts",
		Summary:       "List the contacts of a chatbot",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.listContacts)

	addRoute(api, operation{
		Name:          "getContact",
		Method:        methodGet,
		Path:          contactPath,
		Tag:           "Contacts",
		Summary:       "Get a contact",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeNotFound},
	}, s.getContact)

	addRoute(api, operation{
		Name:          "updateContact",
		Method:        methodPatch,
		Path:          contactPath,
		Tag:           "Contacts",
		Summary:       "Change a contact",
		Scope:         parley.ChatlogsWrite,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeNotFound},
	}, s.changeContact)

	addRoute(api, operation{
		Name:          "deleteContact",
		Method:        methodDelete,
		Path:          contactPath,
		Tag:           "Contacts",
		Summary:       "Delete a contact",
		Scope:         parley.ChatlogsDelete,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeNotFound},
	}, s.deleteContact)
}

func (s *server) addAttributeRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:          "createCustomAttribute",
		Method:        methodPost,
		Path:          attributesPath,
		Tag:           "Contacts",
		Summary:       "Give contacts a new attribute",
		Scope:         parley.AgentsWrite,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.createAttribute)

	addRoute(api, operation{
		Name:          "listCustomAttributes",
		Method:        methodGet,
		Path:          attributesPath,
		Tag:           "Contacts",
		Summary:       "List the custom attributes of contacts",
		Scope:         parley.AgentsRead,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.listAttributes)

	addRoute(api, operation{
		Name:          "updateCustomAttribute",
		Method:        methodPut,
		Path:          attributesPath + "/{attributeName}",
		Tag:           "Contacts",
		Summary:       "Change or archive a custom attribute",
		Scope:         parley.AgentsWrite,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound, parley.CodeNotFound},
	}, s.changeAttribute)
}

func (s *server) addWebhookRoutes(api *httpapi.API) {
	addRoute(api, operation{
		Name:            "createWebhook",
		Method:          methodPost,
		Path:            "/webhooks",
		Tag:             "Webhooks",
		Summary:         "Have events sent to an address",
		Scope:           parley.ChatlogsExport,
		AdditionalScope: parley.AgentsWrite,
		Errors:          errorCodes{parley.CodeAgentNotFound},
	}, s.createWebhook)

	addRoute(api, operation{
		Name:          "listWebhooks",
		Method:        methodGet,
		Path:          "/webhooks",
		Tag:           "Webhooks",
		Summary:       "List the account's webhooks",
		Scope:         parley.ChatlogsExport,
		RequiresAgent: true,
		Errors:        errorCodes{parley.CodeAgentNotFound},
	}, s.listWebhooks)

	addRoute(api, operation{
		Name:            "deleteWebhook",
		Method:          methodDelete,
		Path:            "/webhooks/{webhookId}",
		Tag:             "Webhooks",
		Summary:         "Send no more to an address",
		Scope:           parley.ChatlogsExport,
		AdditionalScope: parley.AgentsWrite,
		Errors:          errorCodes{parley.CodeNotFound},
	}, s.deleteWebhook)
}
