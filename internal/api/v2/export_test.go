package v2_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/api/v2"
	"parley/internal/testkit"
)

// startExport asks for an export without the client that reads replies to their end to check them.
func startExport(t *testing.T, h *testkit.Server, agent, conversation string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET",
		h.URL+v2.Base+"/agents/"+agent+"/conversations/export?conversationId="+conversation, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// TestExportThatBreaksOffIsSeen takes the table away while the client reads: what has come must not look like all.
func TestExportThatBreaksOffIsSeen(t *testing.T) {
	h := testkit.Open(t)
	agent, conversation := h.NewLongConversation(t, 40_000)
	res := startExport(t, h, agent, conversation)
	begun := make([]byte, 1000)
	if _, err := io.ReadFull(res.Body, begun); err != nil {
		t.Fatal(err)
	}
	if _, err := h.DB.SQL().Exec(t.Context(), `alter table messages rename to elsewhere`); err != nil {
		t.Fatal(err) // also: nothing holds the database while the client takes its time
	}
	rest, err := io.ReadAll(res.Body)
	if err == nil || json.Valid(slices.Concat(begun, rest)) {
		t.Errorf("%d bytes came to an end: %v", len(rest), err)
	}
	if _, err := h.DB.SQL().Exec(t.Context(), `alter table elsewhere rename to messages`); err != nil {
		t.Fatal(err)
	}
}

// TestExportKnowsNobodyElsesConversations asks for ids in the query, which the isolation test does not reach.
func TestExportKnowsNobodyElsesConversations(t *testing.T) {
	h := testkit.Open(t)
	ours, theirs := createResources(t, h, parley.AccountID(h.Account), h.Key),
		createResources(t, h, parley.AccountID(h.OtherAccount), h.OtherKey)
	const path = "GET /agents/{agentId}/conversations/export?conversationId={conversationId}"
	unknown := requestForComparison(t, h, path, "", ours.With("conversationId", "01900000-0000-7000-8000-000000000000"))
	if !strings.HasPrefix(unknown, `200 {"data":[],`) {
		t.Error(unknown)
	}
	for _, id := range append([]string{theirs["conversationId"], "", "%20"}, malformedIDs...) {
		if got := requestForComparison(t, h, path, "", ours.With("conversationId", id)); got != unknown {
			t.Errorf("%q: %s", id, got)
		}
	}
}

// TestExportNamesEveryOrigin holds the query's list of origins against the server's.
func TestExportNamesEveryOrigin(t *testing.T) {
	h := testkit.Open(t)
	agent := createAgent(t, h)
	for _, c := range parley.Channels() {
		if status, body := sendAs(t, h, h.Key, "GET", "/agents/"+agent+"/conversations/export?source="+
			strings.ReplaceAll(string(c), " ", "%20"), ""); status != 200 {
			t.Errorf("%s: %d %s", c, status, body)
		}
	}
}
