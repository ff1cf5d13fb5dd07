package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/testkit"
)

// Maintenance begins and ends at once on a running server, and applies when a server starts.
func TestMaintenanceFromTheCommandLine(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	key := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").APIKey
	requireState := func(command string, want bool) {
		t.Helper()
		if got := runJSON[admin.MaintenanceState](t, "maintenance", command); got.Enabled != want {
			t.Errorf("maintenance %s: %v", command, got.Enabled)
		}
	}
	requireState("status", false)
	requireState("on", true)
	requireState("status", true)
	s := startServer(t, "serve")
	status := func(want int) {
		t.Helper()
		if got, body := sendRequest(t, "GET", s.URL+"/api/v2/me", key, ""); got != want {
			t.Errorf("%d %s", got, body)
		}
	}
	status(http.StatusServiceUnavailable)
	requireState("off", false)
	status(http.StatusOK)
	requireState("on", true)
	status(http.StatusServiceUnavailable)
	if got, body := sendRequest(t, "GET", s.URL+"/openapi.json", "", ""); got != http.StatusOK {
		t.Errorf("%d %s", got, body)
	}
	requireState("off", false)
	requireState("status", false)
	if code, out, errs := runCommand(t, "maintenance", "status"); code != 0 || out != "Maintenance mode is off.\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// An index can be rebuilt without a server, and with one that uses the old index meanwhile.
func TestReindex(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	indexed := func(want int64) {
		t.Helper()
		got := runJSON[[]reindexResult](t, "reindex")
		if len(got) != 1 || got[0].AccountID != created.AccountID || got[0].Conversations != want {
			t.Errorf("indexed %+v, want %d", got, want)
		}
	}
	indexed(0)
	s := startServer(t, "serve")
	_, body := sendRequest(t, "POST", s.URL+"/api/v2/agents", created.APIKey, `{"name": "Shop"}`)
	agent := s.URL + "/api/v2/agents/" + responseID(t, body)
	if status, body := sendRequest(t, "POST", agent+"/chat", created.APIKey,
		`{"message": "Where is the lighthouse?"}`); status != http.StatusOK {
		t.Fatal(status, body)
	}
	found := func() bool {
		_, body := sendRequest(t, "GET", agent+"/conversations/search?query=lighthouse", created.APIKey, "")
		return strings.Contains(body, "snippet")
	}
	testkit.Eventually(t, "found", found)
	indexed(1)
	if !found() {
		t.Error("not found any more")
	}
	if status, out, errs := runCommand(t, "reindex", "--account", created.AccountID); status != 0 ||
		out != "Indexed 1 conversation of 1 account.\n" {
		t.Error(status, out, errs)
	}
	if status, _, errs := runCommand(t, "reindex", "--account", "nobody"); status != 1 ||
		!strings.Contains(errs, "Account not found") {
		t.Error(status, errs)
	}
}
