package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

// typeInput has commands read the text from the standard input.
func typeInput(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = f
	t.Cleanup(func() {
		os.Stdin = before
		_ = f.Close()
	})
}

// An account that is refused leaves no data directory behind, where the next mistake would find an empty database.
func TestRefusedAccountMakesNoData(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	t.Setenv("PARLEY_DATA", data)
	for command, reason := range map[string]string{`account create --name ""`: "1 to 100 characters",
		"account create --name A --plan none": "must be one of", "account create --name A --credits=-1": "negative"} {
		requireFailure(t, 1, reason, command)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Error("there is a data directory:", err)
	}
}

// A database that is lost is not replaced by an empty one: no command makes any while uploaded files are there.
func TestLostDatabaseIsNotReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	t.Setenv("PARLEY_DATA", dir)
	account := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").AccountID
	exported := filepath.Join(t.TempDir(), "exported.zip")
	runAll(t, "archive", "export", exported, "--account", account)
	uploads := filepath.Join(dir, "blobs", "ab")
	check.Must(t, os.MkdirAll(uploads, 0o700))
	check.Must(t, os.WriteFile(filepath.Join(uploads, "ab"+strings.Repeat("0", 62)), []byte("whole"), 0o600))
	file := filepath.Join(dir, server.SQLiteFile)
	for _, damage := range []func() error{
		func() error { return os.Truncate(file, 0) }, func() error { return os.Remove(file) },
	} {
		check.Must(t, damage())
		for _, args := range [][]string{
			{"account", "list"}, {"account", "create", "--name", "B"}, {"backup", t.TempDir()},
			{"archive", "export", filepath.Join(t.TempDir(), "b.zip"), "--account", account},
			{"archive", "import", exported}, {"serve", "--listen", "127.0.0.1:0"},
		} {
			status, out, errs := runCommand(t, append(args, "--json")...)
			if status != 1 || out != "" || !strings.Contains(errs, "empty or missing") ||
				!strings.Contains(errs, "RESOURCE_NOT_FOUND") {
				t.Errorf("parley %s: %d %s%s", strings.Join(args, " "), status, out, errs)
			}
			if info, err := os.Stat(file); err == nil && info.Size() > 0 {
				t.Fatalf("parley %s made a database", strings.Join(args, " "))
			}
		}
	}
}

// Each command works without a server and with one. A server prints a link for the first person until somebody can sign
// in.
func TestSignInCommands(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	account := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").AccountID
	testSignInCommands(t, account, "kim@shop.example")
	s := startServer(t, "serve")
	if ready := s.out.String(); !strings.Contains(ready, `"http://localhost:`) ||
		!strings.Contains(ready, "/console/setup#") {
		t.Error("no link for the first person:", s.out.String())
	}
	testSignInCommands(t, account, "bo@shop.example")
	typeInput(t, "a quiet morning\n")
	changed := runJSON[admin.ChangedPassword](t, "member", "password", "--account", account, "--email", "bo@shop.example")
	if changed.Email != "bo@shop.example" {
		t.Errorf("%+v", changed)
	}
	s.stopServer(t)
	if s = startServer(t, "serve"); strings.Contains(s.out.String(), "setupUrl") {
		t.Error("a link for the first person, though somebody can sign in:", s.out.String())
	}
}

func testSignInCommands(t *testing.T, account, email string) {
	t.Helper()
	invited := runJSON[admin.SignInLink](t, "member", "invite", "--account", account, "--email", "new-"+email, "--role",
		"viewer")
	if !strings.HasPrefix(invited.Link, "http://localhost") || !strings.Contains(invited.Link, "/console/redeem#") ||
		invited.Email != "new-"+email {
		t.Errorf("%+v", invited)
	}
	list := runJSON[[]admin.Invitation](t, "member", "invitations", "--account", account)
	i := slices.IndexFunc(list, func(i admin.Invitation) bool { return i.Email == "new-"+email })
	if i < 0 || list[i].Role != "viewer" || list[i].InvitedBy != "operator" {
		t.Fatalf("%+v", list)
	}
	if status, out, errs := runCommand(t, "member", "invitations", "--account", account, "--link",
		list[i].ID); status != 0 || !strings.Contains(out, "/console/redeem#") || strings.Contains(out, invited.Link) {
		t.Errorf("%d %s %s", status, out, errs)
	}
	if status, out, errs := runCommand(t, "member", "invitations", "--account", account, "--withdraw",
		list[i].ID); status != 0 || !strings.Contains(out, "new-"+email) {
		t.Errorf("%d %s %s", status, out, errs)
	}
	requireFailure(t, 1, `Invitation not found. "parley member invitations --account ID" lists`,
		"member invitations --account "+account+" --withdraw "+list[i].ID)
	if left := runJSON[[]admin.Invitation](t, "member", "invitations", "--account", account); len(left) != len(list)-1 {
		t.Errorf("%+v", left)
	}
	runJSON[admin.AddedMember](t, "member", "add", "--account", account, "--email", email, "--name", "Kim")
	if status, _, errs := runCommand(t, "member", "invite", "--account", account, "--email", email); status != 1 ||
		!strings.Contains(errs, "member of this account already") {
		t.Errorf("an invitation of a member: %d %s", status, errs)
	}
	status, out, errs := runCommand(t, "member", "link", "--account", account, "--email", email)
	if status != 0 || !strings.Contains(out, "/console/redeem#") || !strings.Contains(out, email) {
		t.Errorf("%d %s %s", status, out, errs)
	}
	typeInput(t, "password1234\n")
	if status, _, errs := runCommand(t, "member", "password", "--account", account, "--email", email); status != 1 ||
		!strings.Contains(errs, "guessed first") {
		t.Errorf("a common password: %d %s", status, errs)
	}
}

// The operator adds a webhook, lists dead deliveries, sends them again and removes the webhook.
func TestWebhookCommands(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	t.Setenv("PARLEY_DATA", data)
	account := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").AccountID
	add := []string{"webhook", "add", "--account", account, "--endpoint", "https://example.org/hook"}
	if status, _, errs := runCommand(t, add...); status != 1 || !strings.Contains(errs, "PARLEY_SECRET_KEY") {
		t.Errorf("without a key for secrets: %d %s", status, errs)
	}
	t.Setenv("PARLEY_SECRET_KEY", "sixteen bytes at least")
	created := runJSON[admin.CreatedWebhook](t, add...)
	if !strings.HasPrefix(created.Secret, "whsec_") || len(created.Secret) < 30 {
		t.Errorf("%+v", created)
	}
	createDeadDelivery(t, data, parley.AccountID(account), parley.WebhookID(created.WebhookID))
	_, list, _ := runCommand(t, "webhook", "list")
	_, dead, _ := runCommand(t, "webhook", "deliveries", "--state", "dead", "--webhook", created.WebhookID)
	if !strings.Contains(list, created.WebhookID) || !strings.Contains(list, "its secret") ||
		strings.Contains(list, created.Secret) || !strings.Contains(dead, "the endpoint answered with status 503") {
		t.Errorf("%s\n%s", list, dead)
	}
	if _, out, _ := runCommand(t, "webhook", "redeliver", "delivery-1"); out != "Delivery delivery-1 is sent again.\n" {
		t.Error(out)
	}
	again := runJSON[[]admin.Delivery](t, "webhook", "deliveries", "--account", account)
	if len(again) != 1 || again[0].State != "pending" || again[0].Attempts != 0 || again[0].NextAt == nil {
		t.Errorf("%+v", again)
	}
	for _, wrong := range []struct {
		args   []string
		status int
	}{{[]string{"webhook", "add", "--endpoint", "https://example.org"}, 2},
		{[]string{"webhook", "add", "--account", account, "--endpoint", "here"}, 1},
		{[]string{"webhook", "redeliver", "nothing"}, 1}, {[]string{"webhook", "remove", "nothing"}, 1},
		{[]string{"webhook", "deliveries", "--webhook", "nothing"}, 1},
		{[]string{"webhook", "deliveries", "--account", "nothing"}, 1},
		{[]string{"webhook", "list", "--account", "nothing"}, 1},
		{[]string{"webhook", "deliveries", "--state", "late"}, 2},
		{[]string{"webhook", "deliveries", "--limit", "0"}, 2}} {
		if status, _, errs := runCommand(t, wrong.args...); status != wrong.status || errs == "" {
			t.Errorf("%v: %d %s", wrong.args, status, errs)
		}
	}
	runJSON[admin.RemovedWebhook](t, "webhook", "remove", created.WebhookID)
	if _, out, _ := runCommand(t, "webhook", "list"); out != "No webhooks.\n" {
		t.Error(out)
	}
	if _, out, _ := runCommand(t, "webhook", "deliveries"); out != "No deliveries.\n" {
		t.Error(out)
	}
}

// createDeadDelivery writes a dead delivery into the database while no server has it open.
func createDeadDelivery(t *testing.T, data string, account parley.AccountID, hook parley.WebhookID) {
	t.Helper()
	db, err := store.Open(t.Context(), sqldb.Config{URL: filepath.Join(data, server.SQLiteFile)})
	if err != nil {
		t.Fatal(err)
	}
	d := &parley.Delivery{ID: "delivery-1", AccountID: account, WebhookID: hook, Event: parley.EventLeadsSubmit,
		Body: "{}", CreatedAt: time.Now(), DueAt: time.Now()}
	if err := db.AddDelivery(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	d.State, d.Attempts, d.LastStatus, d.LastError = parley.DeliveryDead, 8, 503, "the endpoint answered with status 503"
	if err := db.SaveDeliveryAttempt(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// An audit log is proved from the database and from an export, with a server and without one, and every edit shows.
func TestAuditCommands(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	t.Setenv("PARLEY_DATA", dir)
	account := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").AccountID
	runJSON[admin.CreatedKey](t, "key", "create", "--account", account, "--name", "ci")
	before := testAuditCommands(t, account, "")
	s := startServer(t, "serve")
	runJSON[admin.CreatedKey](t, "key", "create", "--account", account, "--name", "later")
	if proof := testAuditCommands(t, account, before.Hash); proof.Rows != before.Rows+4 { // three exports, and the key
		t.Errorf("%+v, before %+v", proof, before)
	}
	s.stopServer(t)
	editDatabase(t, dir, `update audit_events set actor = 'nobody' where seq = 2`)
	if status, out, _ := runCommand(t, "audit", "verify"); status != 1 || !strings.Contains(out, "BROKEN: row 2") {
		t.Errorf("%d %s", status, out)
	}
	editDatabase(t, dir, `update audit_events set actor = 'operator' where seq = 2`)
	editDatabase(t, dir, `update audit_events set at = at + 0.4 where seq = 2`)
	if status, out, errs := runCommand(t, "audit", "verify"); status != 1 || !strings.Contains(out, "BROKEN: row 2") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	editDatabase(t, dir, `update audit_events set at = cast(at as integer) where seq = 2`)
	editDatabase(t, dir, `delete from audit_events where seq = (select max(seq) from audit_events)`)
	if status, out, _ := runCommand(t, "audit", "verify"); status != 1 || !strings.Contains(out, "BROKEN") {
		t.Errorf("%d %s", status, out)
	}
}

// testAuditCommands proves the log of an account, which has a row with a hash unless that is empty.
func testAuditCommands(t *testing.T, account, hash string) auditProof {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	if status, out, errs := runCommand(t, "audit", "export", "--out", file); status != 0 || out+errs != "" {
		t.Fatalf("%d %s%s", status, out, errs)
	}
	printed := runAll(t, "audit", "export", "--account", account)
	content, err := os.ReadFile(file)
	last, isLonger := strings.CutPrefix(printed, string(content))
	if err != nil || !isLonger || strings.Count(last, "\n") != 1 || !strings.Contains(last, `"action":"audit.export"`) ||
		!strings.Contains(last, `"actor":"operator"`) {
		t.Errorf("the file has %q, and printed is %q: %v", content, printed, err)
	}
	file = filepath.Join(t.TempDir(), "printed.jsonl")
	if err := os.WriteFile(file, []byte(printed), 0o600); err != nil {
		t.Fatal(err)
	}
	proof := runJSON[auditProof](t, "audit", "verify", "--account", account)
	fromFile := runJSON[auditProof](t, "audit", "verify", "--file", file)
	if proof != fromFile || !proof.Intact || proof.Rows == 0 || len(proof.Hash) != 64 {
		t.Errorf("%+v, of the file %+v", proof, fromFile)
	}
	if hash != "" {
		runAll(t, "audit", "verify", "--hash", hash)
		runAll(t, "audit", "verify", "--file", file, "--hash", hash)
	}
	for _, args := range [][]string{nil, {"--file", file}} {
		args = append([]string{"audit", "verify", "--hash", strings.Repeat("0", 64)}, args...)
		if status, out, _ := runCommand(t, args...); status != 1 || !strings.Contains(out, "none has the hash") {
			t.Errorf("%v: %d %s", args, status, out)
		}
	}
	if table := runAll(t, "audit", "export", "--format", "csv", "--action", "key.create"); !strings.HasPrefix(table,
		"account,seq,at,actor,") || !strings.Contains(table, ",operator,key.create,") {
		t.Error(table)
	}
	if status, _, errs := runCommand(t, "audit", "export", "--out", file); status != 1 ||
		!strings.Contains(errs, "is there already") {
		t.Errorf("%d %s", status, errs)
	}
	checkEmptyExport(t)
	return proof
}

// checkEmptyExport fails if an export that fails leaves a file, or if a file without rows proves something.
func checkEmptyExport(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "none.jsonl")
	status, _, errs := runCommand(t, "audit", "export", "--account", "00000000-0000-0000-0000-000000000000", "--out", file)
	if _, err := os.Stat(file); status != 1 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%d %s, and the file: %v", status, errs, err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, errs := runCommand(t, "audit", "verify", "--file", file); status != 1 || out != "" ||
		!strings.Contains(errs, "holds no row") {
		t.Errorf("%d %s%s", status, out, errs)
	}
}

// runAll runs a command that must succeed, and returns what it prints.
func runAll(t *testing.T, args ...string) string {
	t.Helper()
	status, out, errs := runCommand(t, args...)
	if status != 0 {
		t.Errorf("parley %s: status %d: %s%s", strings.Join(args, " "), status, out, errs)
	}
	return out
}

// editDatabase changes the database of a data directory that no server has open.
func editDatabase(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), sqldb.Config{URL: filepath.Join(dir, server.SQLiteFile)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), statement); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// An account moves in from another running server; the key comes from the environment, a file or the standard input.
func TestImportFromAnotherServer(t *testing.T) {
	from := testkit.Open(t)
	agent := from.NewAgent(t, from.Key, "# Sky\n\nThe sky is blue.")
	var answer any
	from.Do(t, "POST", "/agents/"+agent+"/chat", from.Key, map[string]any{"message": "What colour is the sky?",
		"stream": false}).Decode(t, 200, &answer)
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	account := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").AccountID
	typeInput(t, from.Key+"\n")
	out := runAll(t, "import", "--from-api", from.URL)
	for _, want := range []string{"Took over 1 agent with 1 conversation.", "Not taken over of ",
		"parley source add --name NAME --text - --agent " + agent, "The interface does not give",
		"it is not taken over:\n  statuses and teams"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for _, want := range []string{"Erased 0 conversations", "Backups, archives made before, "} {
		if out := runAll(t, "person", "erase", "--account", account, "--user", "jo", "--yes"); !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	left := admin.MoveInLeftOut{AgentID: "a", Agent: "A", Kind: "source", Type: "text", Name: "One", Reason: "why"}
	other := left
	other.Name = "Two"
	want := "\nNot taken over of A (a):\n  text One: why\n  text Two: why\n" +
		"    parley source add --name NAME --text - --agent a\n"
	if text := leftOutText(admin.MoveInState{LeftOut: []admin.MoveInLeftOut{left, other}}); text != want {
		t.Errorf("%q", text)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(from.Key), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, "serve")
	if out := runAll(t, "import", "--from-api", from.URL, "--account", account, "--key-file", file); !strings.Contains(out,
		"Already here, and left as they are: 1 conversation.") {
		t.Error(out)
	}
	s.stopServer(t)
	t.Setenv("PARLEY_IMPORT_KEY", "wrong")
	if status, _, errs := runCommand(t, "import", "--from-api", from.URL); status != 1 ||
		!strings.Contains(errs, "key: is refused by the service with 401") {
		t.Errorf("%d %s", status, errs)
	}
	if list := runJSON[[]admin.Conversation](t, "conversations", "list", "--agent", agent); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}
