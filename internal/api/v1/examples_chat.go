package v1

import "parley/internal/httpapi"

var chatDocs = map[string]httpapi.Doc{
	"chat": {
		Text: "Send the whole conversation so far; its last message of the user is answered. The service keeps nothing of it unless `conversationId` is given: then what was saved under that id " +
			"is replaced by these messages, and the answer is added.\n\nWith `stream` the answer comes as events that hold nothing but text, a piece each, and `[DONE]` at the end. " +
			"A stream that ends without `[DONE]` was cut short by a failure. Tools that run at the client are not offered here.",
		RequestExample: `{"chatbotId": "5QHA6VB-DIAbBhxwqxfdi", "messages": [{"role": "assistant", "content": "Hello! How can I help?"}, {"role": "user", "content": "When are you open?"}], "conversationId": "visitor-8421"}`,
		ReplyExample:   `{"text": "We are open from 9 to 5, Monday to Friday."}`,
		EventsExample:  "data: We are open\n\ndata: from 9 to 5,\n\ndata: Monday to Friday.\n\ndata: [DONE]\n\n",
	},
	"getConversations": {
		Text: "Conversations of all origins with all their messages, newest first, a page at a time. One that was begun by `POST /chat` has the id that its client gave it.\n\n" +
			"Its source is `API (stream)` or `API (non-stream)`, by how its answer was last asked for; `API` in `filteredSources` stands for both.",
		ReplyExample: `{"data": [{"id": "visitor-8421", "created_at": "2026-01-31T09:15:00.000Z", "chatbot_id": "5QHA6VB-DIAbBhxwqxfdi", "customer": "", "source": "API (non-stream)", ` +
			`"messages": [{"role": "user", "content": "When are you open?"}, {"role": "assistant", "content": "We are open from 9 to 5, Monday to Friday."}]}]}`,
	},
}
