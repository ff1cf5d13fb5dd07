package v1

import "parley/internal/httpapi"

const webhookExample = `{"id": "0199a1f0-6a5e-4c1b-9a57-2f0b6f1c7d10", "endpoint": "https://example.org/hooks/leads", "events": ["leads.submit"], "chatbotId": "5QHA6VB-DIAbBhxwqxfdi",
	"signedWith": "apiKey", "createdAt": "2026-11-20T12:00:00.000Z"}`

var webhookDocs = map[string]httpapi.Doc{
	"createWebhook": {
		Text: "Has events sent to an address, as POST with `{eventType, chatbotId, payload}`. The header `X-Chatbase-Signature` is the HMAC-SHA1 of the raw body, in hex; " +
			"`X-Parley-Signature` is `t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of `SECONDS.BODY`. Both are keyed with `secret`, or without one with the API key of this request. " +
			"`X-Parley-Delivery` names the delivery and is the same in every attempt. The server must have a `PARLEY_SECRET_KEY`.",
		RequestExample: `{"endpoint": "https://example.org/hooks/leads", "events": ["leads.submit"], "chatbotId": "5QHA6VB-DIAbBhxwqxfdi"}`,
		ReplyExample:   webhookExample,
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
