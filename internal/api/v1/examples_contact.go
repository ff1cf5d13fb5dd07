package v1

import "parley/internal/httpapi"

const contactExample = `{"id": "0199a1f0-6a5e-4c1b-9a57-2f0b6f1c7d10", "external_id": "user-42", "name": "Ann Example", "email": "ann@example.org", "phonenumber": "+44 20 7946 0000",
	"stripe_accounts": [{"label": "Main", "stripe_id": "cus_42"}], "custom_attributes": {"plan": "gold", "seats": 5}, "created_at": 1790000000, "updated_at": 1790000000}`

const attributeExample = `{"name": "plan", "label": "Plan", "type": "text", "description": "What they pay for", "archived": false, "created_at": 1790000000, "updated_at": 1790000000}`

var contactDocs = map[string]httpapi.Doc{
	"getLeads": {
		Text: "Lists the customers who left a name, an e-mail address or a telephone number, newest first. Days are of UTC, and both count whole.",
		ReplyExample: `{"collectedCustomers": [{"id": "0199a1f0-6a5e-4c1b-9a57-2f0b6f1c7d10", "name": "Ann Example", "email": "ann@example.org", "phone": null,
			"created_at": "2026-11-20T12:00:00.000Z", "chatbot_id": "5QHA6VB-DIAbBhxwqxfdi", "account_id": "01998b2c-0a10-7d11-b9c3-5e6f70819203"}]}`,
	},
	"saveContacts": {
		Text: "Adds up to 1000 contacts, or changes those whose `external_id` is known: all of them, or none when one is wrong. What is left out stays, and null clears it. " +
			"A person who is known by the e-mail address alone, such as the customer of a ticket, becomes the contact that has it. " +
			"An e-mail address that belongs to another contact, a value that does not fit its attribute, and an attribute that is archived are 400.",
		RequestExample: `{"users": [{"external_id": "user-42", "name": "Ann Example", "email": "ann@example.org", "custom_attributes": {"plan": "gold", "seats": 5}}]}`,
		ReplyExample:   `{"message": "The contacts have been saved.", "data": [` + contactExample + `]}`,
	},
	"listContacts": {
		Text:         "Lists the contacts of a chatbot, newest first. A page holds 10 to 100.",
		ReplyExample: `{"message": "The contacts of the chatbot.", "data": [` + contactExample + `], "total": 1, "pages": {"page": 1, "per_page": 10, "total_pages": 1}}`,
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
		Text: "Deletes a contact and answers with what it was. Conversations stay, and are nobody's. The customer of a ticket stays as such, with name and e-mail address, " +
			"and is no contact any more.",
		ReplyExample: `{"message": "The contact has been deleted.", "data": ` + contactExample + `}`,
	},
	"createCustomAttribute": {
		Text:           "Gives the contacts of a chatbot a new attribute. Values of a `date` are a day (YYYY-MM-DD) or an ISO 8601 time.",
		RequestExample: `{"name": "plan", "label": "Plan", "type": "text", "description": "What they pay for"}`,
		ReplyExample:   `{"message": "The custom attribute has been created.", "data": ` + attributeExample + `}`,
	},
	"listCustomAttributes": {
		Text:         "Lists the custom attributes of a chatbot's contacts by name, archived ones too.",
		ReplyExample: `{"message": "The custom attributes of the chatbot.", "data": [` + attributeExample + `]}`,
	},
	"updateCustomAttribute": {
		Text:           "Changes label and description of an attribute, or archives it: contacts keep their values, and take no new ones. Name and type cannot be changed.",
		RequestExample: `{"label": "Plan", "archived": false}`,
		ReplyExample:   `{"message": "The custom attribute has been changed.", "data": ` + attributeExample + `}`,
	},
}
