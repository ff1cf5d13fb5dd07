package v2_test

import (
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/internal/model/scripted"
	"parley/internal/testkit"
)

// TestIDsAreTheSameInEitherCase asks for what has a UUID with its letters in upper case. The ids of end users are the
// client's own: theirs are as they are written.
func TestIDsAreTheSameInEitherCase(t *testing.T) {
	h := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	ids := createResources(t, h, parley.AccountID(h.Account), h.Key)
	for _, route := range []string{
		"GET /agents/{agentId}/conversations/{conversationId}",
		"GET /agents/{agentId}/conversations/{conversationId}/messages",
		"GET /agents/{agentId}/conversations/export?conversationId={conversationId}",
		"GET /agents/{agentId}/sources/{sourceId}",
	} {
		plain := requestForComparison(t, h, route, "", ids)
		if !strings.HasPrefix(plain, "200 ") {
			t.Fatal(route, plain)
		}
		upper := ids.With("conversationId", strings.ToUpper(ids["conversationId"])).With("sourceId",
			strings.ToUpper(ids["sourceId"]))
		if got := requestForComparison(t, h, route, "", upper); got != plain {
			t.Errorf("%s: %s instead of %s", route, got, plain)
		}
	}
	body := map[string]any{"message": "Hello", "conversationId": strings.ToUpper(ids["conversationId"])}
	got := h.Do(t, "POST", "/agents/"+ids["agentId"]+"/chat", h.Key, body)
	if got.Status != http.StatusOK || !strings.Contains(string(got.Body), ids["conversationId"]) {
		t.Error(got.Status, string(got.Body))
	}
	const user = "0B6F7A52-0C5E-4B7D-9A54-6F1F3A1E2B10"
	h.Do(t, "POST", "/agents/"+ids["agentId"]+"/chat", h.Key, map[string]any{"message": "Hello", "userId": user})
	for id, total := range map[string]string{user: `"total":1`, strings.ToLower(user): `"total":0`} {
		if got := h.Do(t, "GET", "/agents/"+ids["agentId"]+"/users/"+id+"/conversations", h.Key,
			nil); !strings.Contains(string(got.Body), total) {
			t.Errorf("%s: %s", id, got.Body)
		}
	}
}

// TestACursorOfNulIsNone sends a cursor, an id and a date that hold nothing but NUL: they are wrong, not absent.
func TestACursorOfNulIsNone(t *testing.T) {
	h := testkit.Open(t)
	ids := createResources(t, h, parley.AccountID(h.Account), h.Key)
	for query, want := range map[string]string{
		"/agents?cursor=%00":                                                   "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/sources?cursor=%00":                                 "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/conversations?cursor=%00":                           "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/conversations?cursor=%ff":                           "VALIDATION_INVALID_CURSOR",
		"/agents?limit=%00":                                                    "must be an integer",
		"/agents/{agentId}/sources?type=%00":                                   "must be one of",
		"/agents/{agentId}/conversations?endDate=%00":                          "must be a day",
		"/agents/{agentId}/conversations/{conversationId}/messages?cursor=%00": "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/conversations/search?cursor=%00":                    "VALIDATION_INVALID_CURSOR",
		"/agents/{agentId}/helpdesk/tickets?cursor=%00":                        "VALIDATION_INVALID_CURSOR",
	} {
		if got := requestForComparison(t, h, "GET "+query, "", ids); !strings.HasPrefix(got, "400 ") ||
			!strings.Contains(got, want) {
			t.Errorf("%s: %s", query, got)
		}
	}
}

// TestAByteOrderMarkBeforeJSON sends what editors of another system write before a text.
func TestAByteOrderMarkBeforeJSON(t *testing.T) {
	h := testkit.Open(t)
	if status, body := sendAs(t, h, h.Key, "POST", "/agents",
		"\ufeff{\"name\": \"Marked\"}"); status != http.StatusCreated {
		t.Error(status, body)
	}
	if status, body := sendAs(t, h, h.Key, "POST", "/agents", "\ufeff"); status != http.StatusBadRequest ||
		!strings.Contains(body, "VALIDATION_INVALID_JSON") {
		t.Error(status, body)
	}
}
