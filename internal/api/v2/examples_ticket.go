package v2

import "parley/internal/httpapi"

const ticketSummaryExample = `"ticketNumber": 42, "subject": "Parcel 4711 has not arrived", "statusCategory": "new", "statusId": "5b0a1f2e-6c1d-4e8a-9b53-2d7c7a1e0f11",
	"assigneeId": "0c9f6b1a-2f74-4d0e-8a86-91d5e3b7c240", "customer": {"id": "7d3c2a90-51be-4f6a-b0c8-4e2f9a6d1b05",
	"name": "Jo Smith", "email": "jo@example.com", "phoneNumber": null},
	"channel": "api", "conversationId": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01",
	"teamId": "e1a4c8d2-0b6f-4c93-9d27-6f5b3a8e7c14", "priority": "normal",
	"createdAt": "2026-09-21T14:13:20.000Z", "updatedAt": "2026-09-21T14:13:20.000Z", "lastMessageAt": "2026-09-21T14:13:20.000Z"`

const ticketExample = `{` + ticketSummaryExample +
	`, "description": "It was due on Monday. Where is it?", "metadata": {}}`

const ticketReplyExample = `"id": "msg_V1StGXR8Z5jdHi6BmyT0aQ", "type": "reply",
	"sender": {"type": "agent", "id": "0c9f6b1a-2f74-4d0e-8a86-91d5e3b7c240", "name": "Kim", "email": "kim@shop.example"},
	"content": "<p>It is <strong>on its way</strong>.</p>", "contentText": "It is on its way.", "createdAt": "2026-09-21T15:02:11.000Z"`

const complaintExample = `{"id": "msg_8h2Kd0sVqLx3TnB7wYcR1e", "type": "reply",
	"sender": {"type": "customer", "id": "7d3c2a90-51be-4f6a-b0c8-4e2f9a6d1b05", "name": "Jo Smith",
	"email": "jo@example.com"},
	"content": "<p>It was due on Monday. Where is it?</p>", "contentText": "It was due on Monday. Where is it?", "attachments": [], "createdAt": "2026-09-21T14:13:20.000Z"}`

var ticketDocs = map[string]httpapi.Doc{
	"createTicket": {
		Text: "On behalf of a customer, who is found by e-mail address or made. Without an assignee field and " +
			"without teamId, the agent's routing rules find the team and the assignee. With teamId alone, the " +
			"team's strategy picks the assignee. With any assignee field, null too, nobody is picked. The " +
			"description becomes the first message of the ticket's conversation, from the customer.",
		RequestExample: `{"subject": "Parcel 4711 has not arrived", "description": "It was due on Monday. Where ` +
			`is it?", "customer": {"email": "jo@example.com", "name": "Jo Smith"}, "priority": "normal"}`,
		ReplyExample: ticketExample,
	},
	"listTickets": {
		Text: "Without description and metadata, those that changed last first unless sortBy and order say " +
			"otherwise. Different filters must all match; of the values of one filter " +
			"any may. A cursor works with the filters and the order that it came with.",
		ReplyExample: `{"data": [{` + ticketSummaryExample + `}], "pagination": {"cursor": null, "hasMore": false}}`,
	},
	"searchTickets": {
		Text: "By words of the subject, the customer, the description and what was said, in any case and with or " +
			"without accents. Each word must be there; the last one may be the beginning of one. The number of a " +
			"ticket, with or without #, finds it first. There is no second page: ask for more, or more precisely.",
		RequestExample: `{"query": "parcel 4711", "limit": 20}`,
		ReplyExample:   `{"data": [{` + ticketSummaryExample + `}], "pagination": {"cursor": null, "hasMore": false}}`,
	},
	"getTicket": {
		Text:         "A ticket, by its number.",
		ReplyExample: ticketExample,
	},
	"updateTicket": {
		Text: "Changes what is sent; an empty object changes nothing. Any status of the agent may follow any other. " +
			"Each change leaves an event among the ticket's messages. Another team leaves the assignee in place.",
		RequestExample: `{"statusCategory": "on_hold", "assigneeId": null, "priority": "high"}`,
		ReplyExample:   ticketExample,
	},
	"listTicketMessages": {
		Text: "From the oldest, unless order is desc. Events, such as a change of the status, come when types asks " +
			"for them. The address of an attachment needs no key and leads to one that works for 120 seconds.",
		ReplyExample: `{"data": [` + complaintExample + `, {` + ticketReplyExample +
			`, "attachments": []}], "pagination": {"cursor": null, "hasMore": false, "total": 2}}`,
	},
	"createTicketMessage": {
		Text: "A reply to the customer, or a note that only the team reads, from a member of the account. The " +
			"content is Markdown. A reply reaches those who follow the " +
			"conversation, and moves the ticket to on_customer; it needs a conversation that a person has taken " +
			"over. Files come as multipart/form-data, up to ten.",
		RequestExample: `{"type": "reply", "content": "It is **on its way**.", "authorEmail": "kim@shop.example"}`,
		ReplyExample:   `{` + ticketReplyExample + `}`,
	},
	"listTicketStatuses": {
		Text: "By category and position, without those that are archived.",
		ReplyExample: `[{"id": "5b0a1f2e-6c1d-4e8a-9b53-2d7c7a1e0f11", "category": "new", "externalLabel": "New", "internalLabel": "New", "color": "#3b82f6", "isDefault": true, "position": 0},
			{"id": "9c4e7b60-3d1a-4f25-8e9b-5a0d6c2f7e38", "category": "on_you", "externalLabel": "Open", "internalLabel": "Waiting on you", "color": null, "isDefault": true, "position": 0}]`,
	},
	"listTeams": {
		Text: "In the order in which they were made. One of them is the default, which gets what no " +
			"routing rule takes.",
		ReplyExample: `[{"id": "e1a4c8d2-0b6f-4c93-9d27-6f5b3a8e7c14", "name": "General", "isDefault": true, ` +
			`"memberCount": 3}]`,
	},
}

var voiceDocs = map[string]httpapi.Doc{
	"createVoiceSession": {
		Text: "For a backend: it keeps the API key and gives `data` to the browser, where " +
			"`ServiceVoice.connect(data)` joins. The body is required; `{}` will do. A session that nobody joins " +
			"within two minutes is over. It ends when the end user leaves, after `maxDurationSeconds`, after the " +
			"silence that the agent's `voiceSettings` allow, or when the credits are used up. " +
			"`VOICE_LIMIT_EXCEEDED` names the limit in `details.reason`: `concurrent_exceeded`, " +
			"`per_user_exceeded`, `hourly_exceeded` or `daily_exceeded`. A server without power for one more " +
			"session answers 503 with `details.reason` `server_overloaded`.",
		RequestExample: `{"userId": "customer-8421", "timezone": "Europe/Berlin"}`,
		ReplyExample: `{"data": {"participantToken": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl", "sessionId": "3f6c1b52-8a0e-4c19-9d51-0c2b7e5a4f10",
	"roomName": "chatbot-5QHA6VB-DIAbBhxwqxfdi-01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01-3f6c1b52-8a0e-4c19-9d51-0c2b7e5a4f10",
	"maxDurationSeconds": 900,
	"conversationId": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01", "userId": "customer-8421"}}`,
	},
}
