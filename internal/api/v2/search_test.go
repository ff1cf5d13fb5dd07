package v2_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/v2"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/scripted"
)

// TestSearchesAreCounted checks that an account may search ten times a second, exactly, whatever its keys and agents.
func TestSearchesAreCounted(t *testing.T) {
	clock := clock.New()
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}), testkit.WithClock(clock))
	path := "/agents/" + createAgent(t, srv) + "/conversations/search?query="
	for i := range 10 {
		if got := srv.Do(t, "GET", path+fmt.Sprint("word", i), srv.Key, nil); got.Status != http.StatusOK {
			t.Fatal(i, got.Status, string(got.Body))
		}
	}
	got := srv.Do(t, "GET", path, srv.Key, nil)
	if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "1" {
		t.Error(got.Status, got.Header, string(got.Body))
	}
	reset := strconv.FormatInt(clock.Now().Add(2*time.Second-1).Unix(), 10) // a second from now, rounded up
	for name, want := range map[string]string{"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0",
		"X-RateLimit-Reset": reset} {
		if value := got.Header.Get(name); value != want {
			t.Errorf("%s: %s instead of %s", name, value, want)
		}
	}
	if got := srv.Do(t, "GET", path+"&source=Fax", srv.Key, nil); got.Status != http.StatusBadRequest {
		t.Error("what is wrong is no search:", got.Status)
	}
	clock.Advance(time.Second)
	if got := srv.Do(t, "GET", path, srv.Key, nil); got.Status != http.StatusOK {
		t.Error(got.Status, string(got.Body))
	}
}

// TestHostileSearchesAreAnswered checks that no text of a client breaks a search, in whichever parameter it is.
func TestHostileSearchesAreAnswered(t *testing.T) {
	clock := clock.New()
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}), testkit.WithClock(clock))
	srv.Search.Allow = nil
	agent := createAgent(t, srv)
	for _, s := range hostileStrings(t) {
		for _, name := range []string{"query", "source", "topic", "userId", "tool", "startDate", "cursor", "hasVoice"} {
			got := srv.Do(t, "GET", "/agents/"+agent+"/conversations/search?"+name+"="+url.QueryEscape(s), srv.Key, nil)
			if got.Status != http.StatusOK && got.Status != http.StatusBadRequest {
				t.Errorf("%s %q: %d %s", name, s, got.Status, got.Body)
			}
		}
	}
}

// TestSearchIsFresh checks that what was written is found a moment later, without anybody asking the index for it.
func TestSearchIsFresh(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	srv.Search.Allow = nil
	agent := createAgent(t, srv)
	srv.Do(t, "POST", "/agents/"+agent+"/chat", srv.Key, map[string]string{"message": "Where is the lighthouse?"})
	testkit.Eventually(t, "found", func() bool {
		var page struct{ Data []struct{ ID string } }
		srv.Do(t, "GET", "/agents/"+agent+"/conversations/search?query=lighthouse", srv.Key, nil).Decode(t,
			http.StatusOK, &page)
		return len(page.Data) == 1
	})
}

// startExport asks for an export without the client that reads replies to their end to check them.
func startExport(t *testing.T, srv *testkit.Server, agent, conversation string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET",
		srv.URL+v2.Base+"/agents/"+agent+"/conversations/export?conversationId="+conversation, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+srv.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// TestInterruptedExportIsNoticed takes the table away while the client reads: what has come must not look like all.
func TestInterruptedExportIsNoticed(t *testing.T) {
	srv := testkit.Open(t)
	agent, conversation := srv.NewLongConversation(t, 40_000)
	res := startExport(t, srv, agent, conversation)
	begun := make([]byte, 1000)
	if _, err := io.ReadFull(res.Body, begun); err != nil {
		t.Fatal(err)
	}
	if _, err := srv.DB.SQL().Exec(t.Context(), `alter table messages rename to elsewhere`); err != nil {
		t.Fatal(err) // also: nothing holds the database while the client takes its time
	}
	rest, err := io.ReadAll(res.Body)
	if err == nil || json.Valid(slices.Concat(begun, rest)) {
		t.Errorf("%d bytes came to an end: %v", len(rest), err)
	}
	if _, err := srv.DB.SQL().Exec(t.Context(), `alter table elsewhere rename to messages`); err != nil {
		t.Fatal(err)
	}
}

// TestExportHidesOtherAccounts asks for ids in the query, which the isolation test does not reach.
func TestExportHidesOtherAccounts(t *testing.T) {
	srv := testkit.Open(t)
	ids, foreignIDs := createResources(t, srv, parley.AccountID(srv.Account), srv.Key),
		createResources(t, srv, parley.AccountID(srv.OtherAccount), srv.OtherKey)
	const path = "GET /agents/{agentId}/conversations/export?conversationId={conversationId}"
	unknown := requestForComparison(t, srv, path, "", ids.With("conversationId", "01900000-0000-7000-8000-000000000000"))
	if !strings.HasPrefix(unknown, `200 {"data":[],`) {
		t.Error(unknown)
	}
	for _, id := range append([]string{foreignIDs["conversationId"], "", "%20"}, malformedIDs...) {
		if got := requestForComparison(t, srv, path, "", ids.With("conversationId", id)); got != unknown {
			t.Errorf("%q: %s", id, got)
		}
	}
}

// TestExportNamesEveryOrigin holds the query's list of origins against the server's.
func TestExportNamesEveryOrigin(t *testing.T) {
	srv := testkit.Open(t)
	agent := createAgent(t, srv)
	for _, c := range parley.Channels() {
		if status, body := sendAs(t, srv, srv.Key, "GET", "/agents/"+agent+"/conversations/export?source="+
			strings.ReplaceAll(string(c), " ", "%20"), ""); status != 200 {
			t.Errorf("%s: %d %s", c, status, body)
		}
	}
}
