package v1

import "parley/internal/httpapi"

var chatbotDocs = map[string]httpapi.Doc{
	"createChatbot": {
		Text: "The chatbot exists from this reply on and reads what it was given; `get-chatbots` tells when it is ready. It is made with all of its content or not at all: an address that " +
			"cannot be read is 400, and a text beyond the plan's storage is 403.",
		RequestExample: `{"chatbotName": "Help desk", "sourceText": "We deliver within three days.", "urlsToScrape": ["https://shop.example/returns"]}`,
		ReplyExample:   `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
	},
	"updateChatbotData": {
		Text: "Puts text and pages in the place of all texts and links that the chatbot has; files and Q&A stay. What it had answers until the new content is read, and stays where none of that " +
			"can be read.",
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi", "sourceText": "We deliver within two days."}`,
		ReplyExample:   `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
	},
	"deleteChatbot": {
		Text:         "The chatbot is gone with everything it holds: what it has read, its conversations, its settings and its pictures.",
		ReplyExample: `{"message": "The chatbot was deleted."}`,
	},
	"getChatbots": {
		Text: "All chatbots of the account, newest first. `status` is `training` while something is being read, `failed` when something could not be read, and else `ready`.",
		ReplyExample: `{"chatbots": [{"id": "5QHA6VB-DIAbBhxwqxfdi", "name": "Help desk", "status": "ready", "model": "gpt-4", "instructions": "Answer in one short paragraph.",
			"visibility": "can_be_embedded", "created_at": "2026-11-02T09:00:00.000Z", "updated_at": "2026-11-19T08:12:40.050Z",
			"icon_url": "https://parley.example/api/v1/chatbots/5QHA6VB-DIAbBhxwqxfdi/icon?v=0192f3a4", "profile_picture_url": null}]}`,
	},
	"updateChatbotSettings": {
		Text: "Settings that are not sent stay as they are. `styles` and `collectCustomerInformation` are changed by their members; lists are replaced whole. Version 2 shows the same settings in its own words.",
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi", "name": "Help desk", "instructions": "Answer in one short paragraph.", "initialMessages": ["Hi! What can I help you with?"],
			"suggestedMessages": ["When are you open?"], "visibility": "can_be_embedded", "onlyAllowOnAddedDomains": true, "domains": ["shop.example"],
			"ipLimit": 20, "ipLimitTimeframe": 240, "ipLimitMessage": "Too many messages in a row", "model": "gpt-4", "temp": 0.2,
			"collectCustomerInformation": {"title": "Let us know how to reach you", "name": {"label": "Name", "active": true}, "email": {"label": "E-mail", "active": true}},
			"styles": {"theme": "light", "userMessageColor": "#1f4d3a", "buttonColor": "#1f4d3a", "displayName": "Help desk", "autoOpenChatWindowAfter": 5, "alignChatButton": "right"}}`,
		ReplyExample: `{"message": "The settings were changed."}`,
	},
	"uploadChatbotIcon": {
		Text: "The image on the button that opens the chat, as the part `chatbotIconFile` of a form in `multipart/form-data`. It replaces the one before. `get-chatbots` tells where everybody finds it.",
		// The form stands beside; JSON alone is refused.
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
		ReplyExample:   `{"message": "The icon was uploaded."}`,
	},
	"uploadChatbotProfilePicture": {
		Text:           "The image beside the answers, as the part `profilePictureFile` of a form in `multipart/form-data`. It replaces the one before. `get-chatbots` tells where everybody finds it.",
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
		ReplyExample:   `{"message": "The profile picture was uploaded."}`,
	},
	"deleteChatbotIcon": {
		Text:           "The chatbot is named in the query or in a JSON body. That it has no icon is no failure.",
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
		ReplyExample:   `{"message": "The icon was deleted."}`,
	},
	"deleteChatbotProfilePicture": {
		Text:           "The chatbot is named in the query or in a JSON body. That it has no profile picture is no failure.",
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
		ReplyExample:   `{"message": "The profile picture was deleted."}`,
	},
}
