package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/api/v2"
	"parley/internal/synonym"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

// The operator can list why sources have failed, with a running server and without one.
func TestSourcesShowWhyTheyFailed(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
			if database == "postgres" {
				t.Setenv("PARLEY_DATABASE_URL", dbs.SharedPostgres(t).NewStore(t))
			}
			created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
			s := startServer(t, "serve")
			agent := postJSON[struct{ ID string }](t, s.URL+"/api/v2/agents", created.APIKey, `{"name": "Shop"}`).ID
			for _, body := range []string{`{"type": "text", "name": "Hours", "content": "We open at nine."}`,
				`{"type": "text", "name": "Blank", "content": " "}`,
				`{"type": "link", "url": "http://127.0.0.1:9/", "linkType": "individual"}`} {
				postJSON[struct{ ID string }](t, s.URL+"/api/v2/agents/"+agent+"/sources", created.APIKey, body)
			}
			list := func() []admin.Source { return runJSON[[]admin.Source](t, "sources", "list", "--agent", agent) }
			testkit.Eventually(t, "the sources are done", func() bool {
				for _, s := range list() {
					if s.Status == "untrained" {
						return false
					}
				}
				return true
			})
			s.stopServer(t)
			got := list()
			if len(got) != 3 || got[2].Status != "trained" || !got[2].Answers || got[2].Reason != "" ||
				got[1].Reason != "the source holds no text" || got[1].Answers ||
				got[0].Status != "failed" || !strings.Contains(got[0].Reason, "not public") {
				t.Errorf("%+v", got)
			}
			if _, out, _ := runCommand(t, "sources", "list", "--agent", agent, "--limit", "2"); !strings.Contains(out,
				"the source holds no text") || strings.Contains(out, "Hours") {
				t.Error(out)
			}
			if status, _, errs := runCommand(t, "sources", "list", "--agent", agent, "--limit", "0"); status != 2 {
				t.Error(status, errs)
			}
		})
	}
}

// Insights are counted without a server, and rebuilt with one.
func TestInsights(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	s := startServer(t, "serve")
	_, body := sendRequest(t, "POST", s.URL+"/api/v2/agents", created.APIKey, `{"name": "Shop"}`)
	id := responseID(t, body)
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

// Questions that were refused in chats lead to a proposal, and once it is accepted they are answered. Without a server
// the commands work on the data directory.
func TestSynonymsComeFromRefusedQuestions(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	s := startServer(t, "serve")
	agents := s.URL + "/api/v2/agents"
	id := postJSON[struct{ ID string }](t, agents, created.APIKey, `{"name": "Shop"}`).ID
	for _, content := range []string{"# Payment\\n\\nYou can pay an invoice by card or by bank transfer.",
		"# Delivery\\n\\nYou can track a parcel with the number in the mail."} {
		postJSON[struct{ ID string }](t, agents+"/"+id+"/sources", created.APIKey,
			`{"type": "text", "name": "Guide", "content": "`+content+`"}`)
	}
	ask := func(question string) string {
		t.Helper()
		status, body := sendRequest(t, "POST", agents+"/"+id+"/chat", created.APIKey, `{"message": "`+question+`"}`)
		if status != http.StatusOK {
			t.Fatal(status, body)
		}
		return body
	}
	testkit.Eventually(t, "the sources are trained", func() bool {
		return strings.Contains(ask("track a parcel"), "number in")
	})
	for _, question := range []string{"How can I pay a factura?", "How do I pay my factura?"} {
		if strings.Contains(ask(question), "bank transfer") {
			t.Fatalf("%s is answered", question)
		}
	}
	runJSON[v2.Insights](t, "insights", id, "--rebuild")
	got := runJSON[synonym.Proposals](t, "synonyms", "propose", id)
	if len(got.Proposals) != 1 || !slices.Equal(got.Proposals[0].Words, []string{"factura", "invoice"}) {
		t.Fatalf("%+v", got)
	}
	if _, out, _ := runCommand(t, "synonyms", "propose", id); !strings.Contains(out, "factura = invoice") ||
		!strings.Contains(out, "bank transfer") || !strings.Contains(out, "parley synonyms accept "+id+" factura invoice\n") {
		t.Error(out)
	}
	if status, out, errs := runCommand(t, "synonyms", "accept", id, "factura", "invoice"); status != 0 ||
		!strings.Contains(out, "factura, invoice") {
		t.Fatal(status, out, errs)
	}
	if body := ask("How can I pay a factura?"); !strings.Contains(body, "bank transfer") {
		t.Error("not answered with the synonyms:", body)
	}
	s.stopServer(t)
	if groups := runJSON[admin.SynonymGroups](t, "synonyms", "accept", id, "bill", "invoice").Groups; len(groups) != 1 ||
		!slices.Equal(groups[0], []string{"factura", "invoice", "bill"}) {
		t.Errorf("%q", groups)
	}
	if status, _, errs := runCommand(t, "synonyms", "accept", id, "alone"); status != 1 ||
		!strings.Contains(errs, "synonyms") {
		t.Error(status, errs)
	}
}
