package v2

import "parley/internal/httpapi"

const agentExample = `{"id": "5QHA6VB-DIAbBhxwqxfdi", "name": "Help desk",
	"instructions": "Answer in one short paragraph.",
	"channelInstructions": {"email": "Sign with the name of the shop."}, "model": "auto", "autoRetrain": false,
	"temp": 0, "visibility": "private",
	"allowedDomains": ["shop.example"], "suggestedMessages": [{"type": "single", "text": "When are you open?",
	"order": 0}],
	"initialMessages": ["Hi! What can I help you with?"], "creditLimit": 5000, "creditsUsed": 212,
	"notificationsSettings": {"dailyLeadsCollected": {"active": true, "emails": ["team@shop.example"]},
		"dailyConversations": {"active": false, "emails": []}},
	"ipRateLimits": {"limit": 20, "timeframe": 240, "message": "Too many messages in a row"}, "voiceSettings": null,
	"styles": {"chat": {"theme": "light", "headerColor": "#1f4d3a", "displayName": "Help desk",
	"autoOpenChatWindowAfter": null, "messagePlaceholder": null,
		"footer": null, "dismissableNotice": null}, "centerStage": null}, "createdAt": "2026-11-02T09:00:00.000Z",
	"lastMessageAt": "2026-11-20T16:41:07.312Z", "lastTrainedAt": "2026-11-19T08:12:40.050Z", "status": "trained",
	"size": 48213}`

var agentDocs = map[string]httpapi.Doc{
	"listAgents": {
		Text:         "Newest first. `status` sums up the states of an agent's sources.",
		ReplyExample: `{"data": [` + agentExample + `], "pagination": {"cursor": null, "hasMore": false, "total": 1}}`,
	},
	"createAgent": {
		Text: "The agent exists from this reply on. `pendingSteps` names what could not be done at once and is to " +
			"be tried again, such as adding `url` as a first source; it is absent when everything was done.",
		RequestExample: `{"name": "Help desk", "instructions": "Answer in one short paragraph.", "visibility": "private"}`,
		ReplyExample:   `{"id": "5QHA6VB-DIAbBhxwqxfdi"}`,
	},
	"getAgent": {
		Text: "The agent's settings, what it has used this month, and whether it has read its sources. " +
			"Poll it to follow training as a whole.",
		ReplyExample: agentExample,
	},
	"updateAgent": {
		Text: "Fields that are not sent stay as they are; an empty object changes nothing. Null clears a field that " +
			"may be null: `voiceSettings` null turns voice mode off. `ipRateLimits` is changed by its own fields.",
		RequestExample: `{"instructions": "Answer in one short paragraph.", "creditLimit": 5000, "ipRateLimits": ` +
			`{"limit": 30}}`,
		ReplyExample: `{"success": true}`,
	},
	"updateStyles": {
		Text: "Fields that are not sent keep their value, at every depth, and null clears a field that may be null. " +
			"Reading the agent gives the looks with their defaults, in the form of the agent's record.",
		RequestExample: `{"styles": {"chat": {"theme": "dark", "displayName": "Help desk"}, "centerStage": ` +
			`{"enabled": true, "accentColor": {"enabled": true, "color": "#1f4d3a"}}}}`,
		ReplyExample: `{"success": true}`,
	},
	"setAutoRetrain": {
		Text: "The agent's websites are read again every seven days, the first time a week after this " +
			"was turned on. Turning it on needs a live source; turning it off is always possible.",
		RequestExample: `{"enabled": true}`,
		ReplyExample:   `{"success": true}`,
	},
	"cloneAgent": {
		Text: "The copy has the settings, sources, actions and procedures of the original, and an identity " +
			"secret of its own. Conversations, leads and what was spent are not copied. " +
			"The sources of a large agent are copied after the reply; until they are there the copy's `status` is `training`. " +
			"`pendingSteps` names `ADD_SOURCE` when the sources stayed behind because they would outgrow the plan.",
		ReplyExample: `{"id": "w3rTq-9xVb2LmN0pKs4Ye"}`,
	},
	"trainAgent": {
		Text: "Nothing is done: a source is trained as soon as it is written. Follow the source or the agent instead.",
		ReplyExample: `{"success": true, "deprecated": true, "message": "Nothing was done: sources are trained ` +
			`as soon as they are written. Get a source or the agent to follow it."}`,
	},
	"deleteAgent": {
		Text: "The agent is gone at once, for good, with its sources and conversations. What it held is " +
			"erased in the background.",
		ReplyExample: `{"success": true}`,
	},
}

// sourceExample returns a source's record with the status.
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
		Text: "The source is kept when the reply comes and answers questions as soon as its status is `trained`: " +
			"texts usually within a second, websites while they are read. A site's `metadata` shows how far it is. " +
			"Follow it with `getSource`. A file is sent as multipart/form-data; an account may upload 10 in a minute.",
		RequestExample: `{"type": "text", "name": "Opening hours", "content": "The shop is open from nine to ` +
			`five on weekdays. On Saturdays the shop closes at noon."}`,
		ReplyExample: sourceExample("untrained"),
	},
	"getSource": {
		Text: "Poll it until `status` is `trained` or `failed`. While a changed source is `updated`, its " +
			"earlier version answers.",
		ReplyExample: sourceExample("trained"),
	},
	"summarizeSources": {
		Text: "What was found on a website counts with the website's source.",
		ReplyExample: `{"links": {"count": 0, "size": 0}, "files": {"count": 0, "size": 0}, "qnas": {"count": 0, "size": 0},
			"notionPages": {"count": 0, "size": 0},
			"texts": {"count": 1, "size": 85}, "zendeskTickets": {"count": 0, "size": 0}, "salesforceCases": {"count": 0,
			"size": 0}, "shouldRetrain": false}`,
	},
	"updateSource": {
		Text: "Only the fields that are sent change. While the new version trains the earlier one answers. A " +
			"change that changes nothing is not trained, " +
			"but a link is read again in any case. Fields that a source of the kind does not have are ignored.",
		RequestExample: `{"content": "The shop is open from nine to six on weekdays. On Saturdays the shop closes at noon."}`,
		ReplyExample:   sourceExample("updated"),
	},
	"restoreSource": {
		Text: "Nothing is done: a deletion is final. Create the source again instead.",
		ReplyExample: `{"success": true, "deprecated": true, "message": "Nothing was done: a source is deleted ` +
			`at once and cannot be restored. Create it again."}`,
	},
	"checkPassage": {
		Text: "A citation names a source, the hash of a version and a byte span: ask with these. While the state is " +
			"`holds`, the agent still answers from that very text. It is `changed` when another version is live, " +
			"and `gone` when the source is deleted; an earlier version is kept for some minutes only.",
		ReplyExample: `{"state": "changed", "text": "The shop is open from nine to five on weekdays.", "version": "` +
			hashExample + `",
			"liveVersion": "` + laterHashExample + `", "start": 0, "end": 47, "occurs": false}`,
	},
	"deleteSource": {
		Text:         "Final, and accepted while the source is in training too. From now on no answer rests on it.",
		ReplyExample: sourceExample("deleted"),
	},
}

var serviceDocs = map[string]httpapi.Doc{
	"health": {
		Text: "Answers as long as the server takes requests. It needs no key, asks no database and does " +
			"not count against the rate limit, so that probes may use it.",
		ReplyExample: `{"status": "ok", "timestamp": 1790000000}`,
	},
	"me": {
		Text: "Names the account and the plan behind the API key, and what the key may do. Any valid key may " +
			"ask; `permissions` is null for a key with full access.",
		ReplyExample: `{"workspace": {"id": "01998b2c-0a10-7d11-b9c3-5e6f70819203", "name": "Example Ltd"},
			"plan": "standard",
			"credential": {"source": null, "expiresAt": "2027-01-31T23:59:59.000Z", "permissions": ["agents:read",
			"chatlogs:write"]}}`,
	},
}
