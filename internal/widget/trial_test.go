package widget_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/testkit"
	"parley/internal/testkit/clock"
)

// trial returns the address of an agent's test page.
func (f *fixture) trial(agent string) string {
	f.Helper()
	_, ticket, _ := strings.Cut(f.preview(agent), "?preview=")
	return "/demo/widget/" + agent + "?ticket=" + ticket
}

// Who has a ticket sees the agent's chat on a page with the snippet, and nobody else does.
func TestTestPageHasTheSnippet(t *testing.T) {
	now := clock.New()
	f := newFixture(t, testkit.WithClock(now))
	address := f.trial(f.open)
	r := f.get(address)
	page, all := readBody(t, r.Body), directives(r.Header)
	_, script, _ := strings.Cut(page, "<script>")
	script, _, found := strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	switch {
	case r.StatusCode != http.StatusOK || !found || strings.Contains(page, "</script><b>"):
		t.Errorf("%d %s", r.StatusCode, page)
	case !strings.Contains(script, `script.src="http://parley.example/embed.min.js";script.id="`+f.open+`";`):
		t.Error(script)
	case all["script-src"] != "'self' 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'":
		t.Error(all["script-src"])
	case all["connect-src"] != "" || !strings.HasPrefix(all["frame-src"], "http://parley.example/chatbot-iframe/ ") ||
		all["frame-ancestors"] != "'none'" || all["trusted-types"] != "default":
		t.Error(all)
	}
	checkConsoleIsOutOfReach(t, address, r.Header)
	for _, each := range []string{"/demo/widget/", "/demo/widget/" + f.open, address + "x",
		strings.Replace(address, f.open, f.shop, 1)} {
		r := f.get(each)
		if r.StatusCode != http.StatusNotFound || strings.Contains(readBody(t, r.Body), "<script") {
			t.Errorf("%s: %d", each, r.StatusCode)
		}
	}
	now.Advance(11 * time.Minute)
	if r := f.get(address); r.StatusCode != http.StatusNotFound {
		t.Errorf("after ten minutes: %d", r.StatusCode)
	}
}

func TestTestPageSaysWhyThereIsNoChat(t *testing.T) {
	f := newFixture(t)
	for agent, want := range map[string]string{
		f.secret: "The agent is private",
		f.shop:   "add parley.example to them",
	} {
		r := f.get(f.trial(agent))
		page := readBody(t, r.Body)
		if r.StatusCode != http.StatusOK || !strings.Contains(page, want) || strings.Contains(page, "<script>") {
			t.Errorf("%d %s", r.StatusCode, page)
		}
	}
}
