package v2

import "parley/internal/httpapi"

// sourceExample is a source's record with a status.
func sourceExample(status string) string {
	return `{"id": "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50", "type": "text", "name": "Opening hours", "size": 85,
		"createdAt": "2026-11-19T08:12:39.900Z", "status": "` + status + `", "metadata": null}`
}

const (
	hashExample      = "5f0a1f4c7d0f8b0a9a51d6b1e2c34d5f60718293a4b5c6d7e8f90123456789ab"
	laterHashExample = "c2d19e8b7a6f5041322314059687a8b9cadbecfd0e1f2031425364758697a8b9"
)

var sourceDocs = map[string]httpapi.Doc{
	"listSources": {
		Text:         "Newest first. The record of a source never holds its content.",
		ReplyExample: `{"data": [` + sourceExample("trained") + `], ` + singlePageExample + `}`,
	},
	"createSource": {
		Text: "The source is kept when the reply comes and answers questions as soon as its status is `trained`: texts usually within a second, " +
			"websites while they are read. A site's `metadata` shows how far it is. Follow it with `getSource`. A file is sent as multipart/form-data; an account may upload 10 in a minute.",
		RequestExample: `{"type": "text", "name": "Opening hours", "content": "The shop is open from nine to five on weekdays. On Saturdays the shop closes at noon."}`,
		ReplyExample:   sourceExample("untrained"),
	},
	"getSource": {
		Text:         "Poll it until `status` is `trained` or `failed`. While a changed source is `updated`, its earlier version answers.",
		ReplyExample: sourceExample("trained"),
	},
	"summarizeSources": {
		Text: "What was found on a website counts with the website's source.",
		ReplyExample: `{"links": {"count": 0, "size": 0}, "files": {"count": 0, "size": 0}, "qnas": {"count": 0, "size": 0}, "notionPages": {"count": 0, "size": 0},
			"texts": {"count": 1, "size": 85}, "zendeskTickets": {"count": 0, "size": 0}, "salesforceCases": {"count": 0, "size": 0}, "shouldRetrain": false}`,
	},
	"updateSource": {
		Text: "Only the fields that are sent change. While the new version trains the earlier one answers. A change that changes nothing is not trained, " +
			"but a link is read again in any case. Fields that a source of the kind does not have are ignored.",
		RequestExample: `{"content": "The shop is open from nine to six on weekdays. On Saturdays the shop closes at noon."}`,
		ReplyExample:   sourceExample("updated"),
	},
	"restoreSource": {
		Text:         "Nothing is done: a deletion is final. Create the source again instead.",
		ReplyExample: `{"success": true, "deprecated": true, "message": "Nothing was done: a source is deleted at once and cannot be restored. Create it again."}`,
	},
	"checkPassage": {
		Text: "A citation names a source, the hash of a version and a byte span: ask with these. While the state is `holds`, the agent still answers from that very text. " +
			"It is `changed` when another version is live, and `gone` when the source is deleted; an earlier version is kept for some minutes only.",
		ReplyExample: `{"state": "changed", "text": "The shop is open from nine to five on weekdays.", "version": "` + hashExample + `",
			"liveVersion": "` + laterHashExample + `", "start": 0, "end": 47, "occurs": false}`,
	},
	"deleteSource": {
		Text:         "Final, and accepted while the source is in training too. From now on no answer rests on it.",
		ReplyExample: sourceExample("deleted"),
	},
}
