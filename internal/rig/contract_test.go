package rig_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api"
	"parley/internal/rig"
)

type canned struct {
	status int
	body   string
	drop   string // a header that is missing
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{"Content-Type": {"application/json"}}
	for _, name := range []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"} {
		if name != c.drop {
			h.Set(name, "1")
		}
	}
	return &http.Response{StatusCode: c.status, Header: h, Body: io.NopCloser(strings.NewReader(c.body)), Request: r}, nil
}

// TestValidatingSeesWhatBreaksTheContract keeps the check honest that all other tests rely on.
func TestValidatingSeesWhatBreaksTheContract(t *testing.T) {
	doc, err := api.Document("http://localhost", "")
	if err != nil {
		t.Fatal(err)
	}
	const me = `{"workspace":{"id":"a","name":"b"},"plan":"free","credential":{"source":null,"expiresAt":null,"permissions":null}}`
	for name, c := range map[string]struct {
		path  string
		reply canned
		fine  bool
	}{
		"as documented":       {"/me", canned{200, me, ""}, true},
		"a documented error":  {"/me", canned{401, `{"error":{"code":"AUTH_INVALID_API_KEY","message":"x"}}`, ""}, true},
		"an unknown path":     {"/nowhere", canned{404, `{"error":{"code":"NOT_FOUND","message":"x"}}`, ""}, true},
		"a missing member":    {"/me", canned{200, `{"plan":"free"}`, ""}, false},
		"a wrong type":        {"/me", canned{200, strings.Replace(me, `"free"`, "5", 1), ""}, false},
		"no JSON":             {"/me", canned{200, `<html>`, ""}, false},
		"another status":      {"/me", canned{418, me, ""}, false},
		"another code":        {"/me", canned{401, `{"error":{"code":"AGENT_NOT_FOUND","message":"x"}}`, ""}, false},
		"no envelope":         {"/nowhere", canned{404, `{"message":"x"}`, ""}, false},
		"no request id":       {"/me", canned{200, me, "X-Request-Id"}, false},
		"no rate":             {"/nowhere", canned{404, `{"error":{"code":"NOT_FOUND","message":"x"}}`, "X-RateLimit-Reset"}, false},
		"429 without a clock": {"/me", canned{429, `{"error":{"code":"RATE_LIMIT_TOO_MANY_REQUESTS","message":"x"}}`, "Retry-After"}, false},
	} {
		var broken error
		v, err := rig.Validating("/api/v2", doc, c.reply, func(err error) { broken = err })
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
			t.Errorf("%s: the body did not come through: %q, %v", name, b, err)
		}
		if (broken == nil) != c.fine {
			t.Errorf("%s: %v", name, broken)
		}
	}
}
