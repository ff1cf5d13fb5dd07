package api

import "parley/internal/wire"

// sourceExample is a source's record with a status.
func sourceExample(status string) string {
	return `{"id": "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50", "type": "text", "name": "Opening hours", "size": 85,
		"createdAt": "2026-11-19T08:12:39.900Z", "status": "` + status + `", "metadata": null}`
}

var sourceWords = map[string]wire.Words{
	"listSources": {
		Text:  "Newest first. The record of a source never holds its content.",
		Reply: `{"data": [` + sourceExample("trained") + `], ` + singlePage + `}`,
	},
	"createSource": {
		Text:    "The source is kept when the reply comes and answers questions as soon as its status is `trained`, usually within a second. Follow it with `getSource`.",
		Request: `{"type": "text", "name": "Opening hours", "content": "The shop is open from nine to five on weekdays. On Saturdays the shop closes at noon."}`,
		Reply:   sourceExample("untrained"),
	},
	"getSource": {
		Text:  "Poll it until `status` is `trained` or `failed`. While a changed source is `updated`, its earlier version answers.",
		Reply: sourceExample("trained"),
	},
	"summarizeSources": {
		Text: "What was found on a website counts with the website's source.",
		Reply: `{"links": {"count": 0, "size": 0}, "files": {"count": 0, "size": 0}, "qnas": {"count": 0, "size": 0}, "notionPages": {"count": 0, "size": 0},
			"texts": {"count": 1, "size": 85}, "zendeskTickets": {"count": 0, "size": 0}, "salesforceCases": {"count": 0, "size": 0}, "shouldRetrain": false}`,
	},
	"updateSource": {
		Text:    "Only the fields that are sent change. While the new version trains the earlier one answers. A change that changes nothing is not trained.",
		Request: `{"content": "The shop is open from nine to six on weekdays. On Saturdays the shop closes at noon."}`,
		Reply:   sourceExample("updated"),
	},
	"restoreSource": {
		Text:  "Nothing is done: a deletion is final. Create the source again instead.",
		Reply: `{"success": true, "deprecated": true, "message": "Nothing was done: a source is deleted at once and cannot be restored. Create it again."}`,
	},
	"deleteSource": {
		Text:  "Final, and accepted while the source is in training too. From now on no answer rests on it.",
		Reply: sourceExample("deleted"),
	},
}
