package v2_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"parley/internal/model/scripted"
	"parley/internal/testkit"
)

// TestSearchesAreCounted checks that an account may search ten times a second, exactly, whatever its keys and agents.
func TestSearchesAreCounted(t *testing.T) {
	clock := testkit.NewClock()
	h := testkit.Open(t, testkit.WithModel(&scripted.Model{}), testkit.WithClock(clock))
	path := "/agents/" + createAgent(t, h) + "/conversations/search?query="
	for i := range 10 {
		if got := h.Do(t, "GET", path+fmt.Sprint("word", i), h.Key, nil); got.Status != http.StatusOK {
			t.Fatal(i, got.Status, string(got.Body))
		}
	}
	got := h.Do(t, "GET", path, h.Key, nil)
	if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "1" {
		t.Error(got.Status, got.Header, string(got.Body))
	}
	reset := strconv.FormatInt(clock.Now().Add(2*time.Second-1).Unix(), 10) // a second from now, rounded up
	for name, want := range map[string]string{"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0",
		"X-RateLimit-Reset": reset} {
		if is := got.Header.Get(name); is != want {
			t.Errorf("%s: %s instead of %s", name, is, want)
		}
	}
	if got := h.Do(t, "GET", path+"&source=Fax", h.Key, nil); got.Status != http.StatusBadRequest {
		t.Error("what is wrong is no search:", got.Status)
	}
	clock.Advance(time.Second)
	if got := h.Do(t, "GET", path, h.Key, nil); got.Status != http.StatusOK {
		t.Error(got.Status, string(got.Body))
	}
}

// TestNaughtySearches checks that no text of a client breaks a search, in whichever parameter it stands.
func TestNaughtySearches(t *testing.T) {
	clock := testkit.NewClock()
	h := testkit.Open(t, testkit.WithModel(&scripted.Model{}), testkit.WithClock(clock))
	h.Search.Allow = nil
	agent := createAgent(t, h)
	for _, s := range naughtyStrings(t) {
		for _, name := range []string{"query", "source", "topic", "userId", "tool", "startDate", "cursor", "hasVoice"} {
			got := h.Do(t, "GET", "/agents/"+agent+"/conversations/search?"+name+"="+url.QueryEscape(s), h.Key, nil)
			if got.Status != http.StatusOK && got.Status != http.StatusBadRequest {
				t.Errorf("%s %q: %d %s", name, s, got.Status, got.Body)
			}
		}
	}
}

// TestSearchIsFresh checks that what was written is found a moment later, without anybody asking the index for it.
func TestSearchIsFresh(t *testing.T) {
	h := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	h.Search.Allow = nil
	agent := createAgent(t, h)
	h.Do(t, "POST", "/agents/"+agent+"/chat", h.Key, map[string]string{"message": "Where is the lighthouse?"})
	testkit.Eventually(t, "found", func() bool {
		var page struct{ Data []struct{ ID string } }
		h.Do(t, "GET", "/agents/"+agent+"/conversations/search?query=lighthouse", h.Key, nil).Decode(t, http.StatusOK, &page)
		return len(page.Data) == 1
	})
}
