package v2

import "parley/internal/httpapi"

var voiceDocs = map[string]httpapi.Doc{
	"createVoiceSession": {
		Text: "For a backend: it keeps the API key and gives `data` to the browser, where `ServiceVoice.connect(data)` joins. The body is required; `{}` will do. " +
			"A session that nobody joins within two minutes is over. It ends when the end user leaves, after `maxDurationSeconds`, after the silence that the agent's " +
			"`voiceSettings` allow, or when the credits are used up. `VOICE_LIMIT_EXCEEDED` names the limit in `details.reason`: `concurrent_exceeded`, `per_user_exceeded`, " +
			"`hourly_exceeded` or `daily_exceeded`. A server without power for one more session answers 503 with `details.reason` `server_overloaded`.",
		RequestExample: `{"userId": "customer-8421", "timezone": "Europe/Berlin"}`,
		ReplyExample: `{"data": {"participantToken": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl", "sessionId": "3f6c1b52-8a0e-4c19-9d51-0c2b7e5a4f10",
	"roomName": "chatbot-5QHA6VB-DIAbBhxwqxfdi-01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01-3f6c1b52-8a0e-4c19-9d51-0c2b7e5a4f10", "maxDurationSeconds": 900,
	"conversationId": "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01", "userId": "customer-8421"}}`,
	},
}
