package main

import (
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

// The operator sees why a source has failed, with a running server and without one.
func TestSourcesTellWhyTheyFailed(t *testing.T) {
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
