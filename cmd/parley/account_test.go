package main

import (
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
