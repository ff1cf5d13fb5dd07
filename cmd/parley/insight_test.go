package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/api/v2"
	"parley/internal/testkit"
)

// Insights are counted without a server, and rebuilt with one.
func TestInsights(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	s := startServer(t, "serve")
	_, body := sendRequest(t, "POST", s.URL+"/api/v2/agents", created.APIKey, `{"name": "Shop"}`)
	_, rest, _ := strings.Cut(body, `"id":"`)
	id := rest[:21]
	agent := s.URL + "/api/v2/agents/" + id
	if got := runJSON[v2.Insights](t, "insights", id, "--by", "topic"); got.Totals.Conversations != 0 ||
		got.Resolution.Rate != nil || len(got.Series) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
	if status, body := sendRequest(t, "POST", agent+"/chat", created.APIKey,
		`{"message": "Do you repair accordions?"}`); status != http.StatusOK {
		t.Fatal(status, body)
	}
	got := runJSON[v2.Insights](t, "insights", id, "--rebuild")
	if got.Totals.Conversations != 1 || got.Totals.RefusedAnswers != 1 || len(got.Unanswered.Groups) != 1 ||
		len(got.Series) != 30 || *got.Resolution.Rate != 0 {
		t.Errorf("%+v", got)
	}
	testkit.Eventually(t, "found by its sentiment", func() bool {
		_, body := sendRequest(t, "GET", agent+"/conversations/search?sentiment=neutral", created.APIKey, "")
		return strings.Contains(body, `"title":"Do you repair accordions?"`)
	})
	var out, fault commandOutput
	if status := run(t.Context(), []string{"insights", id}, &out, &fault); status != 0 {
		t.Fatal(fault.String())
	}
	for _, want := range []string{"1 with 2 messages", "0 %: 0 of 1; 0 may still change", "Do you repair accordions?",
		"UNANSWERED"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if status := run(t.Context(), []string{"insights", "nobody"}, &out, &fault); status != 1 ||
		!strings.Contains(fault.String(), "Agent not found") {
		t.Error(status, fault.String())
	}
}
