package v2

import "parley/internal/httpapi"

const agentExample = `{"id": "5QHA6VB-DIAbBhxwqxfdi", "name": "Help desk", "instructions": "Answer in one short paragraph.",
	"channelInstructions": {"email": "Sign with the name of the shop."}, "model": "auto", "autoRetrain": false, "temp": 0, "visibility": "private",
	"allowedDomains": ["shop.example"], "suggestedMessages": [{"type": "single", "text": "When are you open?", "order": 0}],
	"initialMessages": ["Hi! What can I help you with?"], "creditLimit": 5000, "creditsUsed": 212,
	"notificationsSettings": {"dailyLeadsCollected": {"active": true, "emails": ["team@shop.example"]},
		"dailyConversations": {"active": false, "emails": []}},
	"ipRateLimits": {"limit": 20, "timeframe": 240, "message": "Too many messages in a row"}, "voiceSettings": null,
	"styles": {"chat": {"theme": "light", "headerColor": "#1f4d3a", "displayName": "Help desk", "autoOpenChatWindowAfter": null, "messagePlaceholder": null,
		"footer": null, "dismissableNotice": null}, "centerStage": null}, "createdAt": "2026-11-02T09:00:00.000Z",
	"lastMessageAt": "2026-11-20T16:41:07.312Z", "lastTrainedAt": "2026-11-19T08:12:40.050Z", "status": "trained", "size": 48213}`

var agentDocs = map[string]httpapi.Doc{
	"listAgents": {
		Text:         "Newest first. `status` sums up the states of an agent's sources.",
		ReplyExample: `{"data": [` + agentExample + `], "pagination": {"cursor": null, "hasMore": false, "total": 1}}`,
	},
	"createAgent": {
		Text: "The agent exists from this reply on. `pendingSteps` names what could not be done at once and is to be tried again, such as adding `url` as a first source; " +
			"it is absent when everything was done.",
		RequestExample: `{"name": "Help desk", "instructions": "Answer in one short paragraph.", "visibility": "private"}`,
		ReplyExample:   `{"id": "5QHA6VB-DIAbBhxwqxfdi"}`,
	},
	"getAgent": {
		Text:         "The agent's settings, what it has used this month, and whether it has read its sources. Poll it to follow training as a whole.",
		ReplyExample: agentExample,
	},
	"updateAgent": {
		Text: "Fields that are not sent stay as they are; an empty object changes nothing. Null clears a field that may be null: `voiceSettings` null turns voice mode off. " +
			"`ipRateLimits` is changed by its own fields.",
		RequestExample: `{"instructions": "Answer in one short paragraph.", "creditLimit": 5000, "ipRateLimits": {"limit": 30}}`,
		ReplyExample:   `{"success": true}`,
	},
	"updateStyles": {
		Text: "Fields that are not sent keep their value, at every depth, and null clears a field that may be null. Reading the agent gives the looks with their defaults, " +
			"in the form of the agent's record.",
		RequestExample: `{"styles": {"chat": {"theme": "dark", "displayName": "Help desk"}, "centerStage": {"enabled": true, "accentColor": {"enabled": true, "color": "#1f4d3a"}}}}`,
		ReplyExample:   `{"success": true}`,
	},
	"setAutoRetrain": {
		Text:           "The agent's websites are read again every seven days, the first time a week after this was turned on. Turning it on needs a live source; turning it off is always possible.",
		RequestExample: `{"enabled": true}`,
		ReplyExample:   `{"success": true}`,
	},
	"cloneAgent": {
		Text: "The copy has the settings, sources, actions and procedures of the original, and an identity secret of its own. Conversations, leads and what was spent are not copied. " +
			"The sources of a large agent are copied after the reply; until they are there the copy's `status` is `training`. " +
			"`pendingSteps` names `ADD_SOURCE` when the sources stayed behind because they would outgrow the plan.",
		ReplyExample: `{"id": "w3rTq-9xVb2LmN0pKs4Ye"}`,
	},
	"trainAgent": {
		Text:         "Nothing is done: a source is trained as soon as it is written. Follow the source or the agent instead.",
		ReplyExample: `{"success": true, "deprecated": true, "message": "Nothing was done: sources are trained as soon as they are written. Get a source or the agent to follow it."}`,
	},
	"deleteAgent": {
		Text:         "The agent is gone at once, for good, with its sources and conversations. What it held is erased in the background.",
		ReplyExample: `{"success": true}`,
	},
}
