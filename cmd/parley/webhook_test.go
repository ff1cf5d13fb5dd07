package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
)

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
