package v2

import "parley/internal/httpapi"

const summaryExample = `"id": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01", "title": "When does the shop close on Saturdays?", "createdAt": 1790000000,
	"updatedAt": 1790000004, "userId": "customer-8421", "status": "ongoing"`

const questionExample = `{"id": "msg_8h2Kd0sVqLx3TnB7wYcR1e", "role": "user", "parts": [{"type": "text", "text": "When does the shop close on Saturdays?"}],
	"createdAt": 1790000000}`

const answerExample = `{"id": "msg_V1StGXR8Z5jdHi6BmyT0aQ", "role": "assistant", "parts": [{"type": "text", "text": "On Saturdays the shop closes at noon."}],
	"createdAt": 1790000004, "feedback": "positive", "metadata": {"score": 0.92, "citations": []}}`

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

const metadataExample = `"userMessageId": "msg_8h2Kd0sVqLx3TnB7wYcR1e", "conversationId": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01", "userId": "customer-8421",
	"finishReason": "stop", "usage": {"credits": 1}, "score": 0.92,
	"citations": [{"sourceId": "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50", "name": "Opening hours", "url": null,
		"versionHash": "f242aadcbba4b42d3554c43b370a16272ebd81322a98749822013a28e3fc0aa8", "start": 48, "end": 85, "answerStart": 0, "answerEnd": 37}]`

const replyExample = `{"data": {"id": "msg_V1StGXR8Z5jdHi6BmyT0aQ", "role": "assistant",
	"parts": [{"type": "text", "text": "On Saturdays the shop closes at noon."}], "metadata": {` + metadataExample + `}}}`

// eventsExample is a whole stream: an event a line, each followed by an empty one.
const eventsExample = `data: {"type":"start","messageId":"msg_V1StGXR8Z5jdHi6BmyT0aQ","messageMetadata":{"userMessageId":"msg_8h2Kd0sVqLx3TnB7wYcR1e","conversationId":"01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01","userId":null}}

data: {"type":"start-step"}

data: {"type":"text-start","id":"t1"}

data: {"type":"text-delta","id":"t1","delta":"On Saturdays the shop "}

data: {"type":"text-delta","id":"t1","delta":"closes at noon."}

data: {"type":"text-end","id":"t1"}

data: {"type":"finish-step"}

data: {"type":"finish","finishReason":"stop","messageMetadata":{"messageId":"msg_V1StGXR8Z5jdHi6BmyT0aQ","userMessageId":"msg_8h2Kd0sVqLx3TnB7wYcR1e","conversationId":"01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01","userId":null,"finishReason":"stop","usage":{"credits":1},"score":0.92,"citations":[]}}

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
			{"value": "Saturdays", "isHit": true}, {"value": " the shop closes at noon.", "isHit": false}]}}], "pagination": {"cursor": null, "hasMore": false}}`,
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
			"unanswered": {"questions": 2, "withheld": false, "groups": [{"example": "Do you ship to Iceland?", "count": 2, "firstAsked": 1795255200, "lastAsked": 1795258800}]}}}`,
	},
}

const insightSumsExample = `{"conversations": 4, "messages": 18, "answers": 9, "refusedAnswers": 2, "escalated": ` +
	`1, "thumbsUp": 1, "thumbsDown": 0, "resolved": 3, "unresolved": 1}`
