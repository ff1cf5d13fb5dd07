package v2

import "parley/internal/httpapi"

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
		Text: "Without `conversationId` a new conversation begins; its id is in the metadata of the answer. With `stream: true` the answer comes as server-sent events " +
			"in the UI message stream of the AI SDK, ended by `[DONE]`. A failure before the first word is a JSON error in either case. " +
			"A turn goes on to its end when the client leaves; a new message in the same conversation then takes its place.",
		RequestExample: `{"message": "When does the shop close on Saturdays?", "userId": "customer-8421"}`,
		ReplyExample:   replyExample,
		EventsExample:  eventsExample,
	},
	"retry": {
		Text: "The user's message before the named answer, or the named message of the user, is answered again. The new answer takes the place of the old one and of everything behind it " +
			"once it is stored; when it fails, everything stays as it is. It costs what an answer costs.",
		RequestExample: `{"messageId": "msg_V1StGXR8Z5jdHi6BmyT0aQ"}`,
		ReplyExample:   replyExample,
		EventsExample:  eventsExample,
	},
	"sendToolResult": {
		Text: "For tools that run at the client: an answer whose `finishReason` is `tool-calls` waits for the results of its calls. Send each, then chat again with the `conversationId` " +
			"and without a message: the agent goes on. A call that is not answered within 24 hours, or before the next message, is ignored.",
		RequestExample: `{"toolCallId": "call_k3J9sQ", "output": {"city": "Rome", "degrees": 31}}`,
		ReplyExample:   `{"data": {"success": true}}`,
	},
}
