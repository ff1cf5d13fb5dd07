package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/api/v2"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/synonym"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

// sendRequest sends a request with the key and returns status and body.
func sendRequest(t *testing.T, method, url, key, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var text bytes.Buffer
	if _, err := text.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, text.String()
}

// Each command works without a server, holding the lock, and with one, through its socket.
func TestCommandsWithAndWithoutServer(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if database == "postgres" {
				t.Setenv("PARLEY_DATABASE_URL", dbs.SharedPostgres(t).NewStore(t))
			}
			t.Setenv("PARLEY_DATA", dir)
			first := testCommands(t, "Alone")
			s := startServer(t, "serve")
			second := testCommands(t, "Served")
			for _, key := range []string{first, second} {
				if status, body := sendRequest(t, "GET", s.URL+"/api/v2/me", key, ""); status != http.StatusOK {
					t.Errorf("a key of either way: %d %s", status, body)
				}
			}
			if list := runJSON[[]admin.Account](t, "account", "list"); len(list) != 2 || list[0].Name != "Alone" ||
				list[1].Name != "Served" {
				t.Errorf("accounts: %+v", list)
			}
		})
	}
}

// testCommands runs the commands on accounts, keys and members, and returns a key of the account.
func testCommands(t *testing.T, name string) (key string) {
	t.Helper()
	created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", name, "--plan", "standard", "--credits",
		"7")
	changed := runJSON[admin.Account](t, "account", "update", created.AccountID, "--plan", "pro", "--hipaa",
		"--credits", "9")
	if changed.Plan != "pro" || !changed.HIPAA || changed.Credits == nil || *changed.Credits != 9 {
		t.Errorf("changed account: %+v", changed)
	}
	same := runJSON[admin.Account](t, "account", "update", created.AccountID, "--plan", "pro")
	back := runJSON[admin.Account](t, "account", "update", created.AccountID, "--credits", "plan")
	if *same.Credits != 9 || back.Credits == nil || *back.Credits != 15000 {
		t.Errorf("credits: kept %v, then the plan's %v", same.Credits, back.Credits)
	}
	other := runJSON[admin.CreatedKey](t, "key", "create", "--account", created.AccountID, "--scopes",
		"agents:read, sources:read", "--expires", "90d")
	runJSON[admin.RevokedKey](t, "key", "revoke", other.KeyID)
	var states []string
	for _, k := range runJSON[[]admin.Key](t, "key", "list", "--account", created.AccountID) {
		states = append(states, k.State(time.Now()))
	}
	if strings.Join(states, " ") != "active revoked" {
		t.Errorf("keys are %v", states)
	}
	added := runJSON[admin.AddedMember](t, "member", "add", "--account", created.AccountID, "--email",
		name+"@example.com", "--name", "Somebody", "--role", "admin")
	if status, _, errs := runCommand(t, "member", "add", "--account", created.AccountID, "--email", name+"@EXAMPLE.com",
		"--name", "Again"); status != 1 || !strings.Contains(errs, added.UserID) {
		t.Errorf("a member twice: %d %s", status, errs)
	}
	members := runJSON[[]admin.Member](t, "member", "list", "--account", created.AccountID)
	if len(members) != 1 || members[0].UserID != added.UserID || members[0].Role != "admin" {
		t.Errorf("members: %+v", members)
	}
	return created.APIKey
}

func TestChangesApplyAtOnce(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	s := startServer(t, "serve")
	created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	extra := runJSON[admin.CreatedKey](t, "key", "create", "--account", created.AccountID)
	get := func(key string) int {
		status, _ := sendRequest(t, "GET", s.URL+"/api/v2/agents", key, "")
		return status
	}
	if a, b := get(created.APIKey), get(extra.APIKey); a != http.StatusOK || b != http.StatusOK {
		t.Fatalf("before: %d, %d", a, b)
	}
	runJSON[admin.RevokedKey](t, "key", "revoke", extra.KeyID)
	if got := get(extra.APIKey); got != http.StatusUnauthorized {
		t.Errorf("a revoked key: %d", got)
	}
	runJSON[admin.Account](t, "account", "update", created.AccountID, "--plan", "free")
	if got := get(created.APIKey); got != http.StatusForbidden {
		t.Errorf("a plan without API: %d", got)
	}
}

func TestTwoServersCannotShareADirectory(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	s := startServer(t, "serve")
	status, _, errs := runCommand(t, "serve", "--listen", "127.0.0.1:0")
	if status != 1 || !strings.Contains(errs, "in use by parley serve") {
		t.Errorf("status %d: %s", status, errs)
	}
	s.stopServer(t)
	startServer(t, "serve")
}

func TestCommandErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	status, _, errs := runCommand(t, "account", "list", "--data", dir)
	if status != 1 || !strings.Contains(errs, "There is no Parley data") {
		t.Errorf("account list: status %d, %q", status, errs)
	}
	if status, _, errs := runCommand(t, "account", "create", "--name", "A", "--data", dir); status != 0 {
		t.Fatal(errs)
	}
	for _, c := range []struct {
		args     string
		status   int
		wantText string
	}{
		{"account create", 2, "--name"},
		{"account create --name A --plan golden", 1, "plan: must be one of"},
		{"account update x", 2, "nothing to change"},
		{"account update x --credits=many", 2, "--credits"},
		{"account update 5f0ad0d5-7e5a-4b0c-9d3a-000000000000 --plan pro", 1, "Account not found"},
		{"key create --account 5f0ad0d5-7e5a-4b0c-9d3a-000000000000 --expires yesterday", 2, "--expires"},
		{"key create --account 5f0ad0d5-7e5a-4b0c-9d3a-000000000000", 1, "Account not found"},
		{"key create --account x --scopes=", 2, "--scopes"},
		{"key create --account x --scopes agents:read,,", 2, "--scopes"},
		{"serve --model llama", 2, "PARLEY_MODEL_URL"},
		{"serve --model-key secret", 2, "PARLEY_MODEL_URL"},
		{"serve --model-map auto=llama", 2, "PARLEY_MODEL_URL"},
		{"serve --model-url http://localhost:1/v1", 2, "PARLEY_MODEL"},
		{"ask --from . --model llama why", 2, "PARLEY_MODEL_URL"},
		{"", 2, "Create, change and list accounts."},
		{"account", 2, "account create"},
		{"key revoke nothing", 1, "API key not found"},
		{"trace 0192f000-0000-7000-8000-000000000000", 1, "No turn"},
		{"serve --rate-limit 0", 2, "--rate-limit"},
		{"serve --listen nowhere:x", 1, "--listen"},
		{"serve --model-url ftp://x", 2, "--model-url"},
		{"serve --log loud", 2, "--log"},
		{"archive export x.zip --account x --log loud", 2, "--log"},
		{"archive import x.zip --log loud", 2, "--log"},
		{"serve --plans /nonexistent.yaml", 2, "nonexistent.yaml"},
		{"ask --from /nonexistent why", 2, "nonexistent"},
		{"fly", 2, "fly"},
	} {
		if status, out, errs := runCommand(t, append(strings.Fields(c.args), "--data", dir)...); status != c.status ||
			!strings.Contains(errs, c.wantText) || out != "" {
			t.Errorf("%s: status %d, %q, %q", c.args, status, out, errs)
		}
	}
}

func TestConfigShowsOriginsAndHidesSecrets(t *testing.T) {
	t.Setenv("PARLEY_MODEL_KEY", "sesame-1")
	t.Setenv("PARLEY_DATABASE_URL", "postgres://parley:sesame-2@db.example.com/parley?sslpassword=sesame-3")
	t.Setenv("PARLEY_RATE_LIMIT", "")
	got := map[string]setting{}
	for _, s := range runJSON[[]setting](t, "config", "--listen", ":9000") {
		got[s.Name] = s
	}
	want := map[string]setting{
		"listen":     {"listen", ":9000", "flag", "PARLEY_LISTEN", "", ""},
		"rate-limit": {"rate-limit", "100", "default", "PARLEY_RATE_LIMIT", "", ""},
		"model-key":  {"model-key", "***", "env", "PARLEY_MODEL_KEY", "", ""},
	}
	for name, s := range want {
		if got[name] != s {
			t.Errorf("%s: %+v", name, got[name])
		}
	}
	if url := got["database-url"]; !strings.Contains(url.Value, "parley:***@db.example.com") {
		t.Errorf("database URL: %+v", url)
	}
	if base := got["base-url"]; base.Value != "http://localhost:9000" || got["files-url"].Value != base.Value ||
		base.Origin != "default" {
		t.Errorf("base URL: %+v", base)
	}
	if _, out, _ := runCommand(t, "config"); strings.Contains(out, "sesame") || fmt.Sprint(got) == "" ||
		strings.Contains(fmt.Sprint(got), "sesame") {
		t.Errorf("a secret shows:\n%s\n%v", out, got)
	}
}

func TestPasswordsInAddressesAreHidden(t *testing.T) {
	for text, want := range map[string]string{
		"http://me:sesame@models.example.com/v1":         "http://me:***@models.example.com/v1",
		"https://models.example.com/v1?api_key=sesame":   "https://models.example.com/v1?api_key=***",
		"postgres://me:a%40b@db/parley?sslmode=disable":  "postgres://me:***@db/parley?sslmode=disable",
		"host=db user=me password=sesame dbname=parley":  "***",
		"postgres://me:sesame@db:port/parley":            "***",
		"http://models.example.com/v1":                   "http://models.example.com/v1",
		"postgres://db/parley?user=me&password=%zz":      "***",
		"postgres://db/parley?user=me&sslpassword=sesam": "postgres://db/parley?sslpassword=***&user=me",
	} {
		if got := withoutPassword(text); got != want {
			t.Errorf("%s shows as %s", text, got)
		}
	}
}

// If the plans file lacks a plan that accounts have, the list of accounts shows it, a starting server warns, and no
// account can get that plan.
func TestAccountsOfARemovedPlan(t *testing.T) {
	dir := t.TempDir()
	plans := filepath.Join(dir, "plans.yaml")
	text := "basic:\n  {api: true, voice: false, gpt4: false, agents: 1, storagePerAgent: 1 MB, creditsPerMonth: " +
		"9, creditsPerVoiceMinute: 5}\n"
	if err := os.WriteFile(plans, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PARLEY_DATA", filepath.Join(dir, "data"))
	runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A", "--plan", "pro")
	t.Setenv("PARLEY_PLANS", plans)
	if _, out, _ := runCommand(t, "account", "list"); !strings.Contains(out, "pro (plan unknown)") {
		t.Error(out)
	}
	if status, _, errs := runCommand(t, "account", "create", "--name", "B"); status != 1 ||
		!strings.Contains(errs, "no plan unlimited") || !strings.Contains(errs, "basic") {
		t.Errorf("%d %s", status, errs)
	}
	s := startServer(t, "serve")
	if log := s.errs.String(); !strings.Contains(log, "plan=pro accounts=1") {
		t.Error(log)
	}
	if !strings.Contains(s.out.String(), `"model":"the built-in model"`) {
		t.Error(s.out.String())
	}
}

// A restored copy of a database is often readable by all users.
func TestRestoredDatabaseBecomesPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	t.Setenv("PARLEY_DATA", dir)
	runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	file := filepath.Join(dir, server.SQLiteFile)
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, errs := runCommand(t, "account", "list")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(errs, "only its owner") {
		t.Errorf("%v %v %s", info.Mode(), err, errs)
	}
}

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
	s := startServer(t, "serve", "--rate-limit", "1000000") // it is asked until it has found
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

// A program without voice says which settings have no effect; those of dictation have.
func TestVoiceSettingsWithoutVoice(t *testing.T) {
	list := []setting{{Name: "listen"}, {Name: "voice-url"}, {Name: "voice-map"}, {Name: "livekit-key"}}
	markVoiceUnused(list)
	var out commandOutput
	if err := (&process{stdout: &out}).printUnused(list); err != nil {
		t.Fatal(err)
	}
	want := "\nWithout effect: voice-url, livekit-key, since this program was built without voice (tag novoice).\n"
	if out.String() != want {
		t.Errorf("%q instead of %q", out.String(), want)
	}
}

// What was backed up while the server ran is restored elsewhere, and found to be in order.
func TestBackupRestoreAndDoctorCommands(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	s := startServer(t, "serve")
	created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	folder := t.TempDir()
	first := runJSON[backupResult](t, "backup", folder)
	second := runJSON[backupResult](t, "backup", folder, "--archive", "--keep", "1")
	if len(second.Removed) != 1 || second.Removed[0] != first.Path || !strings.HasSuffix(second.Path, ".tar.gz") {
		t.Errorf("%+v and then %+v", first, second)
	}
	if status, _, errs := runCommand(t, "restore", second.Path); status != 1 || !strings.Contains(errs, "in use") {
		t.Errorf("restored below a server: %d %s", status, errs)
	}
	if _, _, errs := runCommand(t, "serve", "--listen", "127.0.0.1:0", "--json"); !strings.Contains(errs,
		`"code":"RESOURCE_ALREADY_EXISTS"`) {
		t.Errorf("a second server: %s", errs)
	}
	s.stopServer(t)

	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "new"))
	if status, out, errs := runCommand(t, "restore", second.Path); status != 0 || !strings.Contains(out, "Restored what") {
		t.Fatalf("restore: %d %s %s", status, out, errs)
	}
	s = startServer(t, "serve")
	if status, body := sendRequest(t, "GET", s.URL+"/api/v2/me", created.APIKey, ""); status != http.StatusOK {
		t.Errorf("a key of the backup: %d %s", status, body)
	}
	_, out, _ := runCommand(t, "doctor")
	for _, want := range []string{"ok       server: a server runs on the data", "ok       database: sqlite, whole"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q:\n%s", want, out)
		}
	}
	status, out, _ := runCommand(t, "doctor", "--rate-limit", "0")
	if status != 1 || !strings.Contains(out, "fault    settings: --rate-limit: 0 is not above 0\n         Correct") {
		t.Errorf("a fault: %d\n%s", status, out)
	}
}

// An account moves to another installation with two commands, and both audit logs say so.
func TestArchiveCommands(t *testing.T) {
	old, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "shop.zip")
	t.Setenv("PARLEY_DATA", old)
	s := startServer(t, "serve")
	account := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "Shop").AccountID
	runJSON[admin.AgentDetails](t, "agent", "create", "Guide")
	exported := runJSON[archiveResult](t, "archive", "export", file, "--account", account)
	if exported.Agents != 1 || exported.AccountID != account || len(exported.LeftOut) == 0 {
		t.Errorf("%+v", exported)
	}
	if status, _, errs := runCommand(t, "archive", "import", file); status != 1 || !strings.Contains(errs, "in use") {
		t.Errorf("imported below a server: %d %s", status, errs)
	}
	status, _, errs := runCommand(t, "archive", "export", file+"2", "--account", "x")
	if status != 1 || !strings.Contains(errs, "parley account list") {
		t.Errorf("exported nobody: %d %s", status, errs)
	}
	s.stopServer(t)
	checkAudit(t, old, account, store.AccountExported)
	if status, _, errs := runCommand(t, "archive", "import", file); status != 1 || !strings.Contains(errs, "--new-ids") {
		t.Errorf("imported twice: %d %s", status, errs)
	}
	if copied := runJSON[archiveResult](t, "archive", "import", file, "--new-ids"); copied.AccountID == account ||
		copied.From != account {
		t.Errorf("%+v", copied)
	}

	empty := filepath.Join(t.TempDir(), "new")
	t.Setenv("PARLEY_DATA", empty)
	if status, out, errs := runCommand(t, "archive", "import", file); status != 0 ||
		!strings.Contains(out, "Imported the account "+account+": 1 agent, 0 messages, 0 files.") {
		t.Errorf("%d %s %s", status, out, errs)
	}
	checkAudit(t, empty, account, store.AccountImported)
	if agents := runJSON[[]any](t, "agent", "list"); len(agents) != 1 {
		t.Errorf("agents: %v", agents)
	}

	plans := writeFiles(t, map[string]string{"plans.yaml": "basic:\n  {api: true, voice: false, gpt4: false, agents: 1, " +
		"storagePerAgent: 1 MB, creditsPerMonth: 9, creditsPerVoiceMinute: 5}\n"})
	poorer := runJSON[archiveResult](t, "archive", "import", file, "--data", filepath.Join(t.TempDir(), "poorer"),
		"--plans", filepath.Join(plans, "plans.yaml"))
	if poorer.UnknownPlan != "unlimited" {
		t.Errorf("%+v", poorer)
	}
}

// Archives are read and written with the settings of the database.
func TestArchivesHaveTheSettingsOfTheDatabase(t *testing.T) {
	p := &process{Context: t.Context(), stdout: io.Discard, stderr: io.Discard}
	parser, err := p.newParser()
	if err == nil {
		p.kong, err = parser.Parse([]string{"archive", "import", "x.zip"})
	}
	if err != nil {
		t.Fatal(err)
	}
	p.commandLine.StorageConfig = server.StorageConfig{Data: "d", DatabaseURL: "u", AllowAsyncCommit: true,
		DatabaseQuota: 7}
	in, err := p.archiver()
	if err != nil || in.Data != "d" || in.DatabaseURL != "u" || !in.AllowAsyncCommit || in.MaxPages != 7 {
		t.Errorf("%+v %v", in, err)
	}
}

// checkAudit fails unless the last act on an account was the operator's of that name.
func checkAudit(t *testing.T, data, account, act string) {
	t.Helper()
	db, err := store.Open(t.Context(), sqldb.Config{URL: filepath.Join(data, server.SQLiteFile)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	acts, err := db.AuditEvents(t.Context(), parley.AccountID(account), 0, 100)
	if err != nil || len(acts) == 0 || acts[len(acts)-1].Action != act || acts[len(acts)-1].Actor != "operator" {
		t.Errorf("audit: %+v %v", acts, err)
	}
}
