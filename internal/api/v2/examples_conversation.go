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
		Text: "Only conversations that began through the API are read here; for one of another origin the message of the 404 names the origin and points to the export. " +
			"The cursor leads to older messages in the list of messages.",
		ReplyExample: `{"data": {` + summaryExample + `, "messages": [` + questionExample + `, ` + answerExample + `]}, ` + lastPageExample + `}`,
	},
	"listUserConversations": {
		Text:         "Summaries, newest first, of what this end user has begun through the API. A user that nobody has heard of has begun nothing.",
		ReplyExample: `{"data": [{` + summaryExample + `}], ` + singlePageExample + `}`,
	},
	"exportConversations": {
		Text: "Every conversation of the agent, whatever its origin, newest first, each with its full history. Tool calls are without their input. A page can be large: " +
			"it is written while it is read, and a smaller limit keeps it small. With conversationId the page holds only that one, and an unknown id gives an empty page.",
		ReplyExample: `{"data": [{` + summaryExample + `, "source": "Widget or Iframe", "embedOrigin": "https://shop.example/opening-hours",
			"messages": [` + questionExample + `, ` + answerExample + `]}], ` + singlePageExample + `}`,
	},
	"rateMessage": {
		Text:           "Only the assistant's messages can be rated. Null takes a rating back. The body may hold nothing else.",
		RequestExample: `{"feedback": "positive"}`,
		ReplyExample:   `{"data": ` + answerExample + `}`,
	},
	"pauseConversation": {
		Text:           "While a conversation is paused the agent does not answer, and what the customer writes is kept. Everywhere else its status stays ongoing.",
		RequestExample: `{"paused": true}`,
		ReplyExample:   `{"data": {"id": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01", "status": "paused"}}`,
	},
	"writeMessage": {
		Text:           "While a person has taken the conversation over, the customer writes here; the person's replies come as events of the conversation.",
		RequestExample: `{"message": "When does the shop close on Saturdays?"}`,
		ReplyExample:   `{"data": ` + questionExample + `}`,
	},
	"followConversation": {
		Text: "Server-sent events: status with how the conversation stands, first and after each change, and message with each message that is written from now on. " +
			"The id of a message event is its number; sent back in the header Last-Event-ID, it brings the messages behind it. The stream ends once ended was told; " +
			"a comment every 15 seconds shows that it lives.",
		EventsExample: "event: status\ndata: {\"status\":\"taken_over\"}\n\nevent: message\nid: 3\n" +
			"data: {\"id\":\"msg_V1StGXR8Z5jdHi6BmyT0aQ\",\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":\"Hello, this is Kim.\"}]," +
			"\"createdAt\":1790000300,\"feedback\":null,\"metadata\":{\"score\":null,\"citations\":[]}}\n\n",
	},
	"listMessages": {
		Text:         "The first page holds the newest messages and each further one the next older; within a page messages run from old to new.",
		ReplyExample: `{"data": [` + questionExample + `, ` + answerExample + `], ` + lastPageExample + `}`,
	},
}
