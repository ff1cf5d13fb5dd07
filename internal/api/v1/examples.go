package v1

import "parley/internal/httpapi"

var chatDocs = map[string]httpapi.Doc{
	"chat": {
		Text: "Send the whole conversation so far; its last message of the user is answered. The service keeps " +
			"nothing of it unless `conversationId` is given: then what was saved under that id " +
			"is replaced by these messages, and the answer is added.\n\nWith `stream` the answer comes as events " +
			"that hold nothing but text, a piece each, and `[DONE]` at the end. " +
			"A stream that ends without `[DONE]` was cut short by a failure. Tools that run at the client are not offered here.",
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi", "messages": [{"role": "assistant", "content": ` +
			`"Hello! How can I help?"}, {"role": "user", "content": "When are you open?"}], "conversationId": ` +
			`"visitor-8421"}`,
		ReplyExample:  `{"text": "We are open from 9 to 5, Monday to Friday."}`,
		EventsExample: "data: We are open\n\ndata: from 9 to 5,\n\ndata: Monday to Friday.\n\ndata: [DONE]\n\n",
	},
	"getConversations": {
		Text: "Conversations of all origins with all their messages, newest first, a page at a time. One that " +
			"was begun by `POST /chat` has the id that its client gave it.\n\n" +
			"Its source is `API (stream)` or `API (non-stream)`, by how its answer was last asked for; `API` in " +
			"`filteredSources` stands for both.",
		ReplyExample: `{"data": [{"id": "visitor-8421", "created_at": "2026-01-31T09:15:00.000Z", "chatbot_id": ` +
			`"5QHA6VB-DIAbBhxwqxfdi", "customer": "", "source": "API (non-stream)", ` +
			`"messages": [{"role": "user", "content": "When are you open?"}, {"role": "assistant", "content": ` +
			`"We are open from 9 to 5, Monday to Friday."}]}]}`,
	},
}

var chatbotDocs = map[string]httpapi.Doc{
	"createChatbot": {
		Text: "The chatbot exists from this reply on and reads what it was given; `get-chatbots` tells when it " +
			"is ready. It is made with all of its content or not at all: an address that " +
			"cannot be read is 400, and a text beyond the plan's storage is 403.",
		RequestExample: `{"chatbotName": "Help desk", "sourceText": "We deliver within three days.", ` +
			`"urlsToScrape": ["https://shop.example/returns"]}`,
		ReplyExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
	},
	"updateChatbotData": {
		Text: "Puts text and pages in the place of all texts and links that the chatbot has; files and Q&A stay. " +
			"What it had answers until the new content is read, and stays where none of that can be read.",
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi", "sourceText": "We deliver within two days."}`,
		ReplyExample:   `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
	},
	"deleteChatbot": {
		Text: "The chatbot is gone with everything it holds: what it has read, its conversations, its " +
			"settings and its pictures.",
		ReplyExample: `{"message": "The chatbot was deleted."}`,
	},
	"getChatbots": {
		Text: "All chatbots of the account, newest first. `status` is `training` while something is being read, " +
			"`failed` when something could not be read, and else `ready`.",
		ReplyExample: `{"chatbots": [{"id": "5QHA6VB-DIAbBhxwqxfdi", "name": "Help desk", "status": "ready", "model": "gpt-4",
			"instructions": "Answer in one short paragraph.",
			"visibility": "can_be_embedded", "created_at": "2026-11-02T09:00:00.000Z", "updated_at": "2026-11-19T08:12:40.050Z",
			"icon_url": "https://parley.example/api/v1/chatbots/5QHA6VB-DIAbBhxwqxfdi/icon?v=0192f3a4",
			"profile_picture_url": null}]}`,
	},
	"updateChatbotSettings": {
		Text: "Settings that are not sent stay as they are. `styles` and `collectCustomerInformation` are changed " +
			"by their members; lists are replaced whole. Version 2 shows the same settings in its own words.",
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi", "name": "Help desk",
			"instructions": "Answer in one short paragraph.", "initialMessages": ["Hi! What can I help you with?"],
			"suggestedMessages": ["When are you open?"], "visibility": "can_be_embedded", "onlyAllowOnAddedDomains": true,
			"domains": ["shop.example"],
			"ipLimit": 20, "ipLimitTimeframe": 240, "ipLimitMessage": "Too many messages in a row", "model": "gpt-4",
			"temp": 0.2,
			"collectCustomerInformation": {"title": "Let us know how to reach you", "name": {"label": "Name", "active": true},
			"email": {"label": "E-mail", "active": true}},
			"styles": {"theme": "light", "userMessageColor": "#1f4d3a", "buttonColor": "#1f4d3a", "displayName": "Help desk",
			"autoOpenChatWindowAfter": 5, "alignChatButton": "right"}}`,
		ReplyExample: `{"message": "The settings were changed."}`,
	},
	"uploadChatbotIcon": {
		Text: "The image on the button that opens the chat, as the part `chatbotIconFile` of a form in " +
			"`multipart/form-data`. It replaces the one before. `get-chatbots` tells where everybody finds it.",
		// The form is beside; JSON alone is refused.
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
		ReplyExample:   `{"message": "The icon was uploaded."}`,
	},
	"uploadChatbotProfilePicture": {
		Text: "The image beside the answers, as the part `profilePictureFile` of a form in " +
			"`multipart/form-data`. It replaces the one before. `get-chatbots` tells where everybody finds it.",
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

const contactExample = `{"id": "0199a1f0-6a5e-4c1b-9a57-2f0b6f1c7d10", "external_id": "user-42", "name": "Ann Example",
	"email": "ann@example.org", "phonenumber": "+44 20 7946 0000",
	"stripe_accounts": [{"label": "Main", "stripe_id": "cus_42"}], "custom_attributes": {"plan": "gold", "seats": 5},
	"created_at": 1790000000, "updated_at": 1790000000}`

const attributeExample = `{"name": "plan", "label": "Plan", "type": "text", "description": "What they pay for", ` +
	`"archived": false, "created_at": 1790000000, "updated_at": 1790000000}`

var contactDocs = map[string]httpapi.Doc{
	"getLeads": {
		Text: "Lists the customers who left a name, an e-mail address or a telephone number, newest first. Days " +
			"are of UTC, and both count whole.",
		ReplyExample: `{"collectedCustomers": [{"id": "0199a1f0-6a5e-4c1b-9a57-2f0b6f1c7d10", "name": "Ann Example",
			"email": "ann@example.org", "phone": null,
			"created_at": "2026-11-20T12:00:00.000Z", "chatbot_id": "5QHA6VB-DIAbBhxwqxfdi",
			"account_id": "01998b2c-0a10-7d11-b9c3-5e6f70819203"}]}`,
	},
	"saveContacts": {
		Text: "Adds up to 1000 contacts, or changes those whose `external_id` is known: all of them, or none when " +
			"one is wrong. What is left out stays, and null clears it. A person who is known by the e-mail address " +
			"alone, such as the customer of a ticket, becomes the contact that has it. An e-mail address that " +
			"belongs to another contact, a value that does not fit its attribute, and an attribute that is archived " +
			"are 400.",
		RequestExample: `{"users": [{"external_id": "user-42", "name": "Ann Example", "email": "ann@example.org",` +
			` "custom_attributes": {"plan": "gold", "seats": 5}}]}`,
		ReplyExample: `{"message": "The contacts have been saved.", "data": [` + contactExample + `]}`,
	},
	"listContacts": {
		Text: "Lists the contacts of a chatbot, newest first. A page holds 10 to 100.",
		ReplyExample: `{"message": "The contacts of the chatbot.", "data": [` + contactExample +
			`], "total": 1, "pages": {"page": 1, "per_page": 10, "total_pages": 1}}`,
	},
	"getContact": {
		Text:         "Finds a contact by your id of it.",
		ReplyExample: `{"message": "The contact.", "data": ` + contactExample + `}`,
	},
	"updateContact": {
		Text:           "Changes what is sent of a contact; null clears it. The `external_id` cannot be changed.",
		RequestExample: `{"data": {"name": "Ann Example", "custom_attributes": {"plan": "gold"}}}`,
		ReplyExample:   `{"message": "The contact has been changed.", "data": ` + contactExample + `}`,
	},
	"deleteContact": {
		Text: "Deletes a contact and answers with what it was. Conversations stay, and are nobody's. The customer " +
			"of a ticket stays as such, with name and e-mail address, and is no contact any more.",
		ReplyExample: `{"message": "The contact has been deleted.", "data": ` + contactExample + `}`,
	},
	"createCustomAttribute": {
		Text: "Gives the contacts of a chatbot a new attribute. Values of a `date` are a day " +
			"(YYYY-MM-DD) or an ISO 8601 time.",
		RequestExample: `{"name": "plan", "label": "Plan", "type": "text", "description": "What they pay for"}`,
		ReplyExample:   `{"message": "The custom attribute has been created.", "data": ` + attributeExample + `}`,
	},
	"listCustomAttributes": {
		Text:         "Lists the custom attributes of a chatbot's contacts by name, archived ones too.",
		ReplyExample: `{"message": "The custom attributes of the chatbot.", "data": [` + attributeExample + `]}`,
	},
	"updateCustomAttribute": {
		Text: "Changes label and description of an attribute, or archives it: contacts keep their " +
			"values, and take no new ones. Name and type cannot be changed.",
		RequestExample: `{"label": "Plan", "archived": false}`,
		ReplyExample:   `{"message": "The custom attribute has been changed.", "data": ` + attributeExample + `}`,
	},
}

const webhookExample = `{"id": "0199a1f0-6a5e-4c1b-9a57-2f0b6f1c7d10", "endpoint": "https://example.org/hooks/leads",
	"events": ["leads.submit"], "chatbotId": "5QHA6VB-DIAbBhxwqxfdi",
	"signedWith": "apiKey", "createdAt": "2026-11-20T12:00:00.000Z"}`

var webhookDocs = map[string]httpapi.Doc{
	"createWebhook": {
		Text: "Has events sent to an address, as POST with `{eventType, chatbotId, payload}`. The header " +
			"`X-Chatbase-Signature` is the HMAC-SHA1 of the raw body, in hex; `X-Parley-Signature` is " +
			"`t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of `SECONDS.BODY`. Both are keyed with `secret`, or " +
			"without one with the API key of this request. `X-Parley-Delivery` names the delivery and is the same " +
			"in every attempt. The server must have a `PARLEY_SECRET_KEY`.",
		RequestExample: `{"endpoint": "https://example.org/hooks/leads", "events": ["leads.submit"], ` +
			`"chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
		ReplyExample: webhookExample,
	},
	"listWebhooks": {
		Text:         "Lists the account's webhooks, oldest first; with `chatbotId` those of that chatbot alone.",
		ReplyExample: `{"webhooks": [` + webhookExample + `]}`,
	},
	"deleteWebhook": {
		Text:         "Sends no more to an address, also not what was still to be delivered.",
		ReplyExample: `{"message": "The webhook has been deleted."}`,
	},
}
