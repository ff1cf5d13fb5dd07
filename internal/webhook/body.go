package webhook

import (
	"encoding/json"
	"strings"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// eventBody returns what a webhook is sent of an event (docs/interface/webhooks.md#delivery).
func eventBody(e store.Event) (string, error) {
	payload := json.RawMessage(unescapeHTML.Replace(e.Payload))
	if !parley.IsSubmissionEvent(e.Kind) {
		return standardBody(e, payload)
	}
	text, err := httpapi.Marshal(struct {
		EventType parley.EventKind `json:"eventType"`
		ChatbotID parley.AgentID   `json:"chatbotId"`
		Payload   json.RawMessage  `json:"payload"`
	}{e.Kind, e.AgentID, payload})
	return string(text), err
}

// standardEvent is an event in the form of Standard Webhooks (docs/interface/webhooks.md#standard-webhooks).
type standardEvent struct {
	Type      parley.EventKind           `json:"type"`
	Timestamp string                     `json:"timestamp"`
	Data      map[string]json.RawMessage `json:"data"`
}

// timestampLayout is that of times in deliveries: ISO 8601 with milliseconds.
const timestampLayout = "2006-01-02T15:04:05.000Z"

// standardBody returns an event that names what has changed: its ids, and what was recorded with it.
func standardBody(e store.Event, payload json.RawMessage) (string, error) {
	data := map[string]json.RawMessage{}
	if err := json.Unmarshal(payload, &data); err != nil {
		return "", err
	}
	for _, named := range []struct{ name, id string }{{"agentId", string(e.AgentID)},
		{"conversationId", string(e.ConversationID)}, {subjectName(e.Kind), e.Subject}} {
		if named.id != "" {
			data[named.name], _ = json.Marshal(named.id) // a text always encodes
		}
	}
	text, err := httpapi.Marshal(standardEvent{e.Kind, e.At.UTC().Format(timestampLayout), data})
	return string(text), err
}

// subjectNames are the members that name what events are about, by the first word of their kinds.
var subjectNames = map[string]string{
	"agent": "agentId", "source": "sourceId", "conversation": "conversationId", "message": "messageId",
	"ticket": "ticketId", "voice": "voiceSessionId",
}

func subjectName(kind parley.EventKind) string {
	noun, _, _ := strings.Cut(string(kind), ".")
	return subjectNames[noun]
}

// testBody returns the body of a delivery that tells of nothing, in both forms.
func testBody(now time.Time) string {
	return `{"eventType":"webhook.test","chatbotId":"","payload":{},"type":"webhook.test","timestamp":"` +
		now.UTC().Format(timestampLayout) + `","data":{}}`
}

// unescapeHTML undoes what encoding/json does to the characters of HTML in the stored payload. An escaped backslash is
// a pair of its own, so that no text is taken for an escape.
var unescapeHTML = strings.NewReplacer(`\\`, `\\`, `\u003c`, `<`, `\u003e`, `>`, `\u0026`, `&`)
