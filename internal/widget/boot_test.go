package widget_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
)

// boot returns what the boot script of an agent says of it; reason is empty where the chat is available.
func (f *fixture) boot(agent, page string, header ...string) (name, reason string) {
	f.Helper()
	r := f.get("/__cb/boot/"+agent+".js?page="+page, header...)
	text := readBody(f.T, r.Body)
	before, after := `window[Symbol.for("parley")]?.get("`+agent+`")?.boot(`, ");\n"
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) ||
		strings.Contains(text, "<") {
		f.Fatalf("%d %s", r.StatusCode, text)
	}
	var config struct {
		AgentID, Name, Reason string
		IsAvailable           bool
	}
	if err := json.Unmarshal([]byte(text[len(before):len(text)-len(after)]), &config); err != nil {
		f.Fatal(err)
	}
	if config.AgentID != agent || config.IsAvailable != (config.Reason == "") {
		f.Errorf("%+v", config)
	}
	return config.Name, config.Reason
}

func TestBootSaysWhetherTheAgentMayBeEmbedded(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		agent, page, origin, referer, reason string
	}{
		{f.open, "https://anywhere.example", "", "https://else.example/", ""},
		{f.open, "", "", "", ""},
		{f.shop, "", "", "", ""},
		{f.shop, "https://shop.example", "", "", ""},
		{f.shop, "https://www.shop.example/a?b", "", "https://www.shop.example/", ""},
		{f.shop, "http://localhost:3000", "null", "", ""},
		{f.shop, "https://evil.example", "", "", "domain"},
		{f.shop, "https://evilshop.example", "", "", "domain"},
		{f.shop, "https://shop.example", "", "https://evil.example/", "domain"},
		{f.shop, "https://shop.example", "https://evil.example", "", "domain"},
		{f.shop, "https://shop.example.evil.example", "", "", "domain"},
	} {
		name, reason := f.boot(c.agent, c.page, "Origin", c.origin, "Referer", c.referer)
		if reason != c.reason || (name == "") != (reason != "") {
			t.Errorf("%+v: %q, %q", c, name, reason)
		}
	}
}

// A script with another status is not run.
func TestBootCallsNothingWithoutAnAgent(t *testing.T) {
	f := newFixture(t)
	for _, agent := range []string{f.secret, "AAAAAAAAAAAAAAAAAAAAA", "x", "", `a")%0aalert(1)//`, "a/b"} {
		r := f.get("/__cb/boot/" + agent + ".js?page=https://shop.example")
		if text := readBody(t, r.Body); r.StatusCode != http.StatusNotFound || !strings.HasPrefix(text, "// ") ||
			strings.Contains(text, "alert") {
			t.Errorf("%q: %d %s", agent, r.StatusCode, text)
		}
		if r.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%q: %v", agent, r.Header)
		}
	}
}

// Nobody gets the chat from an address that the agent blocks.
func TestBlockedAddressesGetNoChat(t *testing.T) {
	f := newFixture(t)
	agent := f.open
	err := f.server.DB.UpdateAgent(t.Context(), parley.AccountID(f.server.Account).AgentRef(parley.AgentID(agent)),
		func(a *parley.Agent) error {
			a.WidgetLimits.BlockedRanges = []string{"192.0.2.0/24"} // of httptest.NewRequest
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/__cb/boot/" + agent + ".js", "/chatbot-iframe/" + agent, "/" + agent + "/help"} {
		r := f.get(path)
		if text := readBody(t, r.Body); r.StatusCode != http.StatusNotFound || strings.Contains(text, "isAvailable") {
			t.Errorf("%s: %d %s", path, r.StatusCode, text)
		}
	}
}

func TestAddressesAreLimited(t *testing.T) {
	f := newFixture(t, testkit.WithClock(clock.New()))
	for _, path := range []string{"/__cb/boot/" + f.open + ".js", "/chatbot-iframe/" + f.open, "/" + f.open + "/help"} {
		for range 20 {
			if r := f.get(path); r.StatusCode != http.StatusOK {
				t.Fatalf("%s: %d", path, r.StatusCode)
			}
		}
	}
	for _, path := range []string{"/__cb/boot/" + f.open + ".js", "/chatbot-iframe/" + f.open, "/" + f.open + "/help"} {
		if r := f.get(path); r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %v", path, r.StatusCode, r.Header)
		}
	}
	if r := f.get("/embed.min.js"); r.StatusCode != http.StatusOK {
		t.Errorf("a file: %d", r.StatusCode)
	}
}
