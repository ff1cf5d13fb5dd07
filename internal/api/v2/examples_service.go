package v2

import "parley/internal/httpapi"

var serviceDocs = map[string]httpapi.Doc{
	"health": {
		Text:         "Answers as long as the server takes requests. It needs no key, asks no database and does not count against the rate limit, so that probes may use it.",
		ReplyExample: `{"status": "ok", "timestamp": 1790000000}`,
	},
	"me": {
		Text: "Names the account and the plan behind the API key, and what the key may do. Any valid key may ask; `permissions` is null for a key with full access.",
		ReplyExample: `{"workspace": {"id": "01998b2c-0a10-7d11-b9c3-5e6f70819203", "name": "Example Ltd"}, "plan": "standard",
			"credential": {"source": null, "expiresAt": "2027-01-31T23:59:59.000Z", "permissions": ["agents:read", "chatlogs:write"]}}`,
	},
}
