package v2

import (
	"parley/internal/httpapi"
)

const summaryExample = `"id": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01", "title": "When does the shop close on Saturdays?",
	"createdAt": 1790000000,
	"updatedAt": 1790000004, "userId": "customer-8421", "status": "ongoing"`

const questionExample = `{"id": "msg_8h2Kd0sVqLx3TnB7wYcR1e", "role": "user", "parts": [{"type": "text",
	"text": "When does the shop close on Saturdays?"}],
	"createdAt": 1790000000}`

const answerExample = `{"id": "msg_V1StGXR8Z5jdHi6BmyT0aQ", "role": "assistant", "parts": [{"type": "text",
	"text": "On Saturdays the shop closes at noon."}],
	"createdAt": 1790000004, "feedback": "positive", ` +
	`"metadata": {"score": 0.92, "answerState": "answered", "citations": []}}`

const lastPageExample = `"pagination": {"cursor": null, "hasMore": false, "total": 2}`

const singlePageExample = `"pagination": {"cursor": null, "hasMore": false, "total": 1}`

var conversationDocs = map[string]httpapi.Doc{
	"listConversations": {
		Text:         "Summaries, newest first. Conversations of other origins, such as the widget, are in the export.",
		ReplyExample: `{"data": [{` + summaryExample + `}], ` + singlePageExample + `}`,
	},
	"getConversation": {
		Text: "Only conversations that began through the API are read here; for one of another origin the " +
			"message of the 404 names the origin and points to the export. " +
			"The cursor leads to older messages in the list of messages.",
		ReplyExample: `{"data": {` + summaryExample + `, "messages": [` + questionExample + `, ` + answerExample +
			`]}, ` + lastPageExample + `}`,
	},
	"listUserConversations": {
		Text: "Summaries, newest first, of what this end user has begun through the API. A user that " +
			"nobody has heard of has begun nothing.",
		ReplyExample: `{"data": [{` + summaryExample + `}], ` + singlePageExample + `}`,
	},
	"exportConversations": {
		Text: "Every conversation of the agent, whatever its origin, newest first, each with its full history. " +
			"Tool calls are without their input. A page can be large: " +
			"it is written while it is read, and a smaller limit keeps it small. With conversationId the page " +
			"holds only that one, and an unknown id gives an empty page.",
		ReplyExample: `{"data": [{` + summaryExample +
			`, "source": "Widget or Iframe", "embedOrigin": "https://shop.example/opening-hours",
			"messages": [` + questionExample + `, ` + answerExample + `]}], ` + singlePageExample + `}`,
	},
	"rateMessage": {
		Text: "Only the assistant's messages can be rated. Null takes a rating back. The body may hold " +
			"nothing else.",
		RequestExample: `{"feedback": "positive"}`,
		ReplyExample:   `{"data": ` + answerExample + `}`,
	},
	"pauseConversation": {
		Text: "While a conversation is paused the agent does not answer, and what the customer writes " +
			"is kept. Everywhere else its status stays ongoing.",
		RequestExample: `{"paused": true}`,
		ReplyExample:   `{"data": {"id": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01", "status": "paused"}}`,
	},
	"writeMessage": {
		Text: "While a person has taken the conversation over, the customer writes here; the person's " +
			"replies come as events of the conversation.",
		RequestExample: `{"message": "When does the shop close on Saturdays?"}`,
		ReplyExample:   `{"data": ` + questionExample + `}`,
	},
	"followConversation": {
		Text: "Server-sent events: status with how the conversation stands, first and after each change, and " +
			"message with each message that is written from now on. The id of a message event is its number; sent " +
			"back in the header Last-Event-ID, it brings the messages behind it. The stream ends once ended was " +
			"told; a comment every 15 seconds shows that it lives.",
		EventsExample: "event: status\ndata: {\"status\":\"taken_over\"}\n\nevent: message\nid: 3\n" +
			"data: " +
			"{\"id\":\"msg_V1StGXR8Z5jdHi6BmyT0aQ\",\"role\":\"assistant\"," +
			"\"parts\":[{\"type\":\"text\",\"text\":\"Hello, this is Kim.\"}]," +
			"\"createdAt\":1790000300,\"feedback\":null,\"metadata\":{\"score\":null,\"citations\":[]}}\n\n",
	},
	"listMessages": {
		Text: "The first page holds the newest messages and each further one the next older; within a " +
			"page messages run from old to new.",
		ReplyExample: `{"data": [` + questionExample + `, ` + answerExample + `], ` + lastPageExample + `}`,
	},
}

const metadataExample = `"userMessageId": "msg_8h2Kd0sVqLx3TnB7wYcR1e",
	"conversationId": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01", "userId": "customer-8421",
	"finishReason": "stop", "usage": {"credits": 1}, "score": 0.92, "answerState": "answered",
	"citations": [{"sourceId": "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50", "name": "Opening hours", "url": null,
		"versionHash": "f242aadcbba4b42d3554c43b370a16272ebd81322a98749822013a28e3fc0aa8", "start": 48, "end": 85,
		"answerStart": 0, "answerEnd": 37}]`

const replyExample = `{"data": {"id": "msg_V1StGXR8Z5jdHi6BmyT0aQ", "role": "assistant",
	"parts": [{"type": "text", "text": "On Saturdays the shop closes at noon."}], "metadata": {` + metadataExample + `}}}`

const turnIDsExample = `"userMessageId":"msg_8h2Kd0sVqLx3TnB7wYcR1e",` +
	`"conversationId":"01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01","userId":null`

// eventsExample is a whole stream: an event a line, each followed by an empty one.
const eventsExample = `data: {"type":"start","messageId":"msg_V1StGXR8Z5jdHi6BmyT0aQ","messageMetadata":{` +
	turnIDsExample + `}}

data: {"type":"start-step"}

data: {"type":"text-start","id":"t1"}

data: {"type":"text-delta","id":"t1","delta":"On Saturdays the shop "}

data: {"type":"text-delta","id":"t1","delta":"closes at noon."}

data: {"type":"text-end","id":"t1"}

data: {"type":"finish-step"}

data: {"type":"finish","finishReason":"stop","messageMetadata":{"messageId":"msg_V1StGXR8Z5jdHi6BmyT0aQ",` +
	turnIDsExample + `,"finishReason":"stop","usage":{"credits":1},"score":0.92,"answerState":"answered","citations":[]}}

data: [DONE]

`

var chatDocs = map[string]httpapi.Doc{
	"chat": {
		Text: "Without `conversationId` a new conversation begins; its id is in the metadata of the answer. With " +
			"`stream: true` the answer comes as server-sent events in the UI message stream of the AI SDK, ended by " +
			"`[DONE]`. A failure before the first word is a JSON error in either case. A turn goes on to its end " +
			"when the client leaves; a new message in the same conversation then takes its place.",
		RequestExample: `{"message": "When does the shop close on Saturdays?", "userId": "customer-8421"}`,
		ReplyExample:   replyExample,
		EventsExample:  eventsExample,
	},
	"retry": {
		Text: "The user's message before the named answer, or the named message of the user, is answered again. " +
			"The new answer takes the place of the old one and of everything behind it " +
			"once it is stored; when it fails, everything stays as it is. It costs what an answer costs.",
		RequestExample: `{"messageId": "msg_V1StGXR8Z5jdHi6BmyT0aQ"}`,
		ReplyExample:   replyExample,
		EventsExample:  eventsExample,
	},
	"sendToolResult": {
		Text: "For tools that run at the client: an answer whose `finishReason` is `tool-calls` waits for the " +
			"results of its calls. Send each, then chat again with the `conversationId` and without a message: the " +
			"agent goes on. A call that is not answered within 24 hours, or before the next message, is ignored.",
		RequestExample: `{"toolCallId": "call_k3J9sQ", "output": {"city": "Rome", "degrees": 31}}`,
		ReplyExample:   `{"data": {"success": true}}`,
	},
}

var searchDocs = map[string]httpapi.Doc{
	"searchConversations": {
		Text: "Conversations of all origins that were created since the first day of the month twelve months ago. " +
			"With query, each word must stand in some message or in the title, in any case and with or without " +
			"accents; the best matches come first, each with an excerpt. Without query, the latest active come " +
			"first. Different filters must all match; of the values of one filter any may. New messages are found " +
			"after a few seconds. To page, repeat every parameter and add the cursor until hasMore is false: a page " +
			"may hold fewer than limit, even none. An account may search ten times a second. Messages are read " +
			"through the export, with conversationId.",
		ReplyExample: `{"data": [{` + summaryExample +
			`, "source": "Widget or Iframe", "parentConversationId": null, "parentSummary": null,
			"embedOrigin": "https://shop.example/opening-hours", "snippet": {"speaker": "assistant",
			"highlights": [{"value": "On ", "isHit": false},
			{"value": "Saturdays", "isHit": true}, {"value": " the shop closes at noon.", "isHit": false}]}}],
			"pagination": {"cursor": null, "hasMore": false}}`,
	},
}

var insightDocs = map[string]httpapi.Doc{
	"getInsights": {
		Text: "Sums over the conversations of all origins that began on the days from and to. A conversation is " +
			"judged when it has been quiet for half a minute or has ended, so the newest may be missing. What " +
			"counts as resolved is told in resolution.definition. Topics are those of the agent's manifest, or are " +
			"found where it has none; with the filters topic and sentiment the search finds their conversations.",
		ReplyExample: `{"data": {"from": "2026-11-21", "to": "2026-11-21", "groupBy": "day", "totals": ` +
			insightSumsExample + `,
			"resolution": {"rate": 0.75, "resolved": 3, "unresolved": 1, "settling": 3, "reasons": {"handedOver": 1,
			"thumbsDown": 0, "givenUp": 0, "askedAgain": 0}, "againDays": 3,
			"definition": "A conversation counts when a customer asked something in it."},
			"series": [{"key": "2026-11-21", ` + insightSumsExample[1:] + `],
			"topics": [{"name": "Returns", "parent": "Orders", ` + insightSumsExample[1:] + `],
			"unanswered": {"questions": 2, "withheld": false, "groups": [{"example": "Do you ship to Iceland?", "count": 2,
			"firstAsked": 1795255200, "lastAsked": 1795258800}]}}}`,
	},
}

const insightSumsExample = `{"conversations": 4, "messages": 18, "answers": 9, "refusedAnswers": 2, "escalated": ` +
	`1, "thumbsUp": 1, "thumbsDown": 0, "resolved": 3, "unresolved": 1}`

const ticketSummaryExample = `"ticketNumber": 42, "subject": "Parcel 4711 has not arrived", "statusCategory": "new",
	"statusId": "5b0a1f2e-6c1d-4e8a-9b53-2d7c7a1e0f11",
	"assigneeId": "0c9f6b1a-2f74-4d0e-8a86-91d5e3b7c240", "customer": {"id": "7d3c2a90-51be-4f6a-b0c8-4e2f9a6d1b05",
	"name": "Jo Smith", "email": "jo@example.com", "phoneNumber": null},
	"channel": "api", "conversationId": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01",
	"teamId": "e1a4c8d2-0b6f-4c93-9d27-6f5b3a8e7c14", "priority": "normal",
	"createdAt": "2026-09-21T14:13:20.000Z", "updatedAt": "2026-09-21T14:13:20.000Z",
	"lastMessageAt": "2026-09-21T14:13:20.000Z"`

const ticketExample = `{` + ticketSummaryExample +
	`, "description": "It was due on Monday. Where is it?", "metadata": {}}`

const ticketReplyExample = `"id": "msg_V1StGXR8Z5jdHi6BmyT0aQ", "type": "reply",
	"sender": {"type": "agent", "id": "0c9f6b1a-2f74-4d0e-8a86-91d5e3b7c240", "name": "Kim", "email": "kim@shop.example"},
	"content": "<p>It is <strong>on its way</strong>.</p>", "contentText": "It is on its way.",
	"createdAt": "2026-09-21T15:02:11.000Z"`

const complaintExample = `{"id": "msg_8h2Kd0sVqLx3TnB7wYcR1e", "type": "reply",
	"sender": {"type": "customer", "id": "7d3c2a90-51be-4f6a-b0c8-4e2f9a6d1b05", "name": "Jo Smith",
	"email": "jo@example.com"},
	"content": "<p>It was due on Monday. Where is it?</p>", "contentText": "It was due on Monday. Where is it?",
	"attachments": [], "createdAt": "2026-09-21T14:13:20.000Z"}`

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
		ReplyExample: `[{"id": "5b0a1f2e-6c1d-4e8a-9b53-2d7c7a1e0f11", "category": "new", "externalLabel": "New",
			"internalLabel": "New", "color": "#3b82f6", "isDefault": true, "position": 0},
			{"id": "9c4e7b60-3d1a-4f25-8e9b-5a0d6c2f7e38", "category": "on_you", "externalLabel": "Open",
			"internalLabel": "Waiting on you", "color": null, "isDefault": true, "position": 0}]`,
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
		ReplyExample: `{"data": {"participantToken": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl",
			"sessionId": "3f6c1b52-8a0e-4c19-9d51-0c2b7e5a4f10",
	"roomName": "chatbot-5QHA6VB-DIAbBhxwqxfdi-01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01-3f6c1b52-8a0e-4c19-9d51-0c2b7e5a4f10",
	"maxDurationSeconds": 900,
	"conversationId": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01", "userId": "customer-8421"}}`,
	},
}
