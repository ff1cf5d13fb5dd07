package main

import (
	"net/http"
	"path/filepath"
	"testing"

	"parley/internal/api/admin"
)

// Maintenance begins and ends at once on a running server, and is in force when a server starts.
func TestMaintenanceFromTheCommandLine(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	key := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").APIKey
	is := func(command string, want bool) {
		t.Helper()
		if got := runJSON[admin.MaintenanceState](t, "maintenance", command); got.Enabled != want {
			t.Errorf("maintenance %s: %v", command, got.Enabled)
		}
	}
	is("status", false)
	is("on", true)
	is("status", true)
	s := startServer(t, "serve")
	status := func(want int) {
		t.Helper()
		if got, body := sendRequest(t, "GET", s.URL+"/api/v2/me", key, ""); got != want {
			t.Errorf("%d %s", got, body)
		}
	}
	status(http.StatusServiceUnavailable)
	is("off", false)
	status(http.StatusOK)
	is("on", true)
	status(http.StatusServiceUnavailable)
	if got, body := sendRequest(t, "GET", s.URL+"/openapi.json", "", ""); got != http.StatusOK {
		t.Errorf("%d %s", got, body)
	}
	is("off", false)
	is("status", false)
	if code, out, errs := runCommand(t, "maintenance", "status"); code != 0 || out != "Maintenance mode is off.\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}
