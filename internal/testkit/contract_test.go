package testkit_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	v2 "parley/internal/api/v2"
	"parley/internal/testkit"
)

type cannedTransport struct {
	status        int
	body          string
	droppedHeader string // a header that is missing
}

func (c cannedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{"Content-Type": {"application/json"}}
	for _, name := range []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
		"Retry-After"} {
		if name != c.droppedHeader {
			h.Set(name, "1")
		}
	}
	return &http.Response{StatusCode: c.status, Header: h, Body: io.NopCloser(strings.NewReader(c.body)), Request: r}, nil
}

// All other tests rely on this check.
func TestValidatingTransportReportsViolations(t *testing.T) {
	doc, err := v2.Document("http://localhost", "")
	if err != nil {
		t.Fatal(err)
	}
	const me = `{"workspace":{"id":"a","name":"b"},"plan":"free","credential":{"source":null,"expiresAt":null,` +
		`"permissions":null}}`
	for name, c := range map[string]struct {
		path  string
		reply cannedTransport
		fine  bool
	}{
		"as documented": {"/me", cannedTransport{200, me, ""}, true},
		"a documented error": {"/me",
			cannedTransport{401, `{"error":{"code":"AUTH_INVALID_API_KEY","message":"x"}}`, ""}, true},
		"an unknown path":  {"/nowhere", cannedTransport{404, `{"error":{"code":"NOT_FOUND","message":"x"}}`, ""}, true},
		"a missing member": {"/me", cannedTransport{200, `{"plan":"free"}`, ""}, false},
		"a wrong type":     {"/me", cannedTransport{200, strings.Replace(me, `"free"`, "5", 1), ""}, false},
		"no JSON":          {"/me", cannedTransport{200, `<html>`, ""}, false},
		"another status":   {"/me", cannedTransport{418, me, ""}, false},
		"another code":     {"/me", cannedTransport{401, `{"error":{"code":"AGENT_NOT_FOUND","message":"x"}}`, ""}, false},
		"no envelope":      {"/nowhere", cannedTransport{404, `{"message":"x"}`, ""}, false},
		"no request id":    {"/me", cannedTransport{200, me, "X-Request-Id"}, false},
		"no rate": {"/nowhere",
			cannedTransport{404, `{"error":{"code":"NOT_FOUND","message":"x"}}`, "X-RateLimit-Reset"}, false},
		"429 without a clock": {"/me", cannedTransport{429,
			`{"error":{"code":"RATE_LIMIT_TOO_MANY_REQUESTS","message":"x"}}`, "Retry-After"}, false},
	} {
		var broken error
		v, err := testkit.NewValidatingTransport("/api/v2", doc, c.reply, func(err error) { broken = err })
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), "GET", "http://localhost/api/v2"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := v.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); err != nil || string(b) != c.reply.body {
			t.Errorf("%s: the body was not passed on: %q, %v", name, b, err)
		}
		if (broken == nil) != c.fine {
			t.Errorf("%s: %v", name, broken)
		}
	}
}
