package v2

import "parley/internal/httpapi"

var searchDocs = map[string]httpapi.Doc{
	"searchConversations": {
		Text: "Conversations of all origins that were created since the first day of the month twelve months ago. With query, each word must stand in some message or in the " +
			"title, in any case and with or without accents; the best matches come first, each with an excerpt. Without query, the latest active come first. Different filters must " +
			"all match; of the values of one filter any may. New messages are found after a few seconds. To page, repeat every parameter and add the cursor until hasMore is false: " +
			"a page may hold fewer than limit, even none. An account may search ten times a second. Messages are read through the export, with conversationId.",
		ReplyExample: `{"data": [{` + summaryExample + `, "source": "Widget or Iframe", "parentConversationId": null, "parentSummary": null,
			"embedOrigin": "https://shop.example/opening-hours", "snippet": {"speaker": "assistant", "highlights": [{"value": "On ", "isHit": false},
			{"value": "Saturdays", "isHit": true}, {"value": " the shop closes at noon.", "isHit": false}]}}], "pagination": {"cursor": null, "hasMore": false}}`,
	},
}
