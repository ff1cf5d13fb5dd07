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
)

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
