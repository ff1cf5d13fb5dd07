package console_test

import (
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/internal/console"
	"parley/internal/server"
	"parley/internal/testkit"
)

// writingAddresses lists every operation that may change something, as "POST /console/api/v1/session".
func writingAddresses() (list []string) {
	own, members, rest := console.Operations()
	for _, op := range append(own, members...) {
		if op.Method != http.MethodGet {
			list = append(list, op.Method+" "+v1Base+unknownIDs.Substitute(op.Path))
		}
	}
	for _, op := range rest {
		if op.Method != http.MethodGet {
			list = append(list, op.Method+" "+v2Base+unknownIDs.Substitute(op.Path))
		}
	}
	return list
}

// No other site can have a browser write anything, not even a page of a sibling host, whatever the browser tells of
// where a request comes from.
func TestOtherSitesCannotWrite(t *testing.T) { forEachConsole(t, checkOtherSitesCannotWrite) }

func checkOtherSitesCannotWrite(ct *consoleTest) {
	t := ct.t
	b := ct.newMember(ct.Account, parley.RoleOwner, "kim@shop.example")
	for name, change := range map[string]func(h http.Header){
		"from another site":         func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") },
		"from a sibling host":       func(h http.Header) { h.Set("Sec-Fetch-Site", "same-site") },
		"of another origin":         func(h http.Header) { h.Del("Sec-Fetch-Site"); h.Set("Origin", "https://evil.example") },
		"of no origin":              func(h http.Header) { h.Del("Sec-Fetch-Site"); h.Set("Origin", "null") },
		"without the header":        func(h http.Header) { h.Del("Parley-Console") },
		"with another header":       func(h http.Header) { h.Set("Parley-Console", "0") },
		"as a form":                 func(h http.Header) { h.Set("Content-Type", "application/x-www-form-urlencoded") },
		"as text":                   func(h http.Header) { h.Set("Content-Type", "text/plain;charset=UTF-8") },
		"without a type of content": func(h http.Header) { h.Del("Content-Type") },
	} {
		for _, address := range writingAddresses() {
			ct.clock.Advance(time10s / 100)
			method, path, _ := strings.Cut(address, " ")
			r := b.newRequest(method, path, "{}")
			change(r.Header)
			got := (&browser{ct: ct}).serve(r)
			if code := got.code(); code != "403 AUTH_ORIGIN_NOT_ALLOWED" && code != "400 VALIDATION_INVALID_JSON" ||
				got.header.Get("Set-Cookie") != "" {
				t.Errorf("%s %s: %s", address, name, got)
			}
		}
	}
	b.want("200", "GET /v1/me", "")
}

// No other site can have a browser read anything, for which it would learn nothing but use up a person's requests and
// streams.
func TestOtherSitesCannotRead(t *testing.T) {
	ct := openConsole(t)
	b := ct.newMember(ct.Account, parley.RoleOwner, "kim@shop.example")
	read := func(path, site string) reply {
		r := b.newRequest(http.MethodGet, path, "")
		r.Header.Del("Parley-Console")
		if site != "" {
			r.Header.Set("Sec-Fetch-Site", site)
		}
		return b.serve(r)
	}
	for _, path := range readingAddresses() {
		for _, site := range []string{"cross-site", "same-site", ""} {
			if got := read(path, site); got.code() != "403 AUTH_ORIGIN_NOT_ALLOWED" {
				t.Errorf("%s from %q: %s", path, site, got)
			}
		}
	}
	for range 600 { // a person's limit
		read(v1Base+"/me", "same-site")
	}
	for _, site := range []string{"same-origin", "none"} {
		for _, path := range []string{v1Base + "/me", v2Base + "/agents", "/console/api/openapi.json"} {
			if got := read(path, site); got.status != http.StatusOK {
				t.Errorf("%s from %q: %s", path, site, got)
			}
		}
	}
}

// readingAddresses lists every address that only reads.
func readingAddresses() (list []string) {
	own, members, rest := console.Operations()
	for _, op := range append(own, members...) {
		if op.Method == http.MethodGet {
			list = append(list, v1Base+unknownIDs.Substitute(op.Path))
		}
	}
	for _, op := range rest {
		if op.Method == http.MethodGet {
			list = append(list, v2Base+unknownIDs.Substitute(op.Path))
		}
	}
	return append(list, v1Base+"/nothing", "/console/api/openapi.json")
}

// Every answer of the console has the headers that keep other pages out of it.
func TestEveryAnswerHasThePolicy(t *testing.T) { forEachConsole(t, checkEveryAnswerHasThePolicy) }

func checkEveryAnswerHasThePolicy(ct *consoleTest) {
	t := ct.t
	b := ct.newMember(ct.Account, parley.RoleViewer, "kim@shop.example")
	for _, c := range []struct {
		by             *browser
		method, path   string
		status         int
		body, hostName string
	}{
		{b, "GET", v1Base + "/session", 200, "", host},
		{b, "HEAD", v1Base + "/session", 200, "", host},
		{b, "GET", v1Base + "/session", 200, "", "console.example"},
		{b, "GET", v1Base + "/me", 403, "", "console.example"},
		{b, "HEAD", v1Base + "/me", 200, "", host},
		{b, "GET", v1Base + "/nothing", 404, "", host},
		{b, "DELETE", v1Base + "/openapi.json", 405, "", host},
		{b, "GET", "/console/api/openapi.json", 200, "", host},
		{b, "GET", "/console/api", 404, "", host},
		{b, "GET", "/console/api/v3/x", 404, "", host},
		{b, "GET", "/console/api/v1/../v2/agents", 404, "", host},
		{&browser{ct: ct}, "GET", v1Base + "/me", 401, "", host},
		{b, "PATCH", v1Base + "/me", 400, `{"theme":1}`, host},
		{b, "POST", v2Base + "/agents", 403, `{"name":"x"}`, host},
		{b, "GET", v2Base + "/agents", 200, "", host},
		{b, "GET", v2Base + "/nothing", 404, "", host},
		{&browser{ct: ct}, "GET", v2Base + "/agents", 401, "", host},
		{b, "GET", "/console/", 200, "", host},
	} {
		r := c.by.newRequest(c.method, c.path, c.body)
		r.Host = c.hostName
		got := c.by.serve(r)
		if got.status != c.status {
			t.Errorf("%s %s: %s, want %d", c.method, c.path, got, c.status)
		}
		for name, want := range policies {
			if got.header.Get(name) != want {
				t.Errorf("%s %s: %s is %q", c.method, c.path, name, got.header.Get(name))
			}
		}
		isAPI := strings.HasPrefix(c.path, "/console/api")
		if isAPI && got.header.Get("Cache-Control") != "no-store" || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s: %v", c.method, c.path, got.header)
		}
	}
}

// Where the console has a host of its own, it is on no other, and nothing else is on that one.
func TestConsoleHost(t *testing.T) {
	ct := openConsole(t, testkit.WithConfig(func(c *server.Config) { c.ConsoleURL = "https://console.example" }))
	for _, c := range []struct {
		host, path, accept string
		status             int
	}{
		{"console.example", "/console/api/v1/session", "", 200},
		{"CONSOLE.example", "/console/", "", 200},
		{"console.example:443", "/console/", "", 200},
		{"console.example:8443", "/console/", "", 404},
		{"console.example", "/", "text/html", 303},
		{"console.example", "/api/v2/health", "", 404},
		{"console.example", "/openapi.json", "", 404},
		{"console.example", "/demo/voice", "", 404},
		{"console.example", "/rtc", "", 404},
		{"console.example", "/api/mcp", "", 404},
		{"www.example", "/console/api/v1/session", "", 404},
		{"www.example", "/console/", "", 404},
		{"www.example", "/", "text/html", 404},
		{"www.example", "/api/v2/health", "", 200},
	} {
		b := &browser{ct: ct}
		r := b.newRequest(http.MethodGet, c.path, "")
		r.Host = c.host
		r.Header.Set("Accept", c.accept)
		if got := b.serve(r); got.status != c.status {
			t.Errorf("%s%s: %s, want %d", c.host, c.path, got, c.status)
		}
	}
}
