package v2

import "parley/internal/httpapi"

var insightDocs = map[string]httpapi.Doc{
	"getInsights": {
		Text: "Sums over the conversations of all origins that began on the days from and to. A conversation is judged when it has been quiet for half a minute or has ended, so " +
			"the newest may be missing. What counts as resolved is told in resolution.definition. Topics are those of the agent's manifest, or are found where it has none; with the " +
			"filters topic and sentiment the search finds their conversations.",
		ReplyExample: `{"data": {"from": "2026-11-21", "to": "2026-11-21", "groupBy": "day", "totals": ` + insightSumsExample + `,
			"resolution": {"rate": 0.75, "resolved": 3, "unresolved": 1, "settling": 3, "reasons": {"handedOver": 1, "thumbsDown": 0, "givenUp": 0, "askedAgain": 0}, "againDays": 3,
			"definition": "A conversation counts when a customer asked something in it."},
			"series": [{"key": "2026-11-21", ` + insightSumsExample[1:] + `],
			"topics": [{"name": "Returns", "parent": "Orders", ` + insightSumsExample[1:] + `],
			"unanswered": {"questions": 2, "withheld": false, "groups": [{"example": "Do you ship to Iceland?", "count": 2, "firstAsked": 1795255200, "lastAsked": 1795258800}]}}}`,
	},
}

const insightSumsExample = `{"conversations": 4, "messages": 18, "answers": 9, "refusedAnswers": 2, "escalated": 1, "thumbsUp": 1, "thumbsDown": 0, "resolved": 3, "unresolved": 1}`
