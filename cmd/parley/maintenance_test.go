package main

import (
	"net/http"
	"path/filepath"
	"testing"

	"parley/internal/admin"
)

// Maintenance begins and ends at once at a running server, and is there when one starts.
func TestMaintenanceFromTheCommandLine(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	key := must[admin.AccountCreated](t, "account", "create", "--name", "A").APIKey
	is := func(verb string, want bool) {
		t.Helper()
		if got := must[admin.MaintenanceState](t, "maintenance", verb); got.On != want {
			t.Errorf("maintenance %s: %v", verb, got.On)
		}
	}
	is("status", false)
	is("on", true)
	is("status", true)
	s := start(t, "serve")
	status := func(want int) {
		t.Helper()
		if got, body := ask(t, "GET", s.URL+"/api/v2/me", key, ""); got != want {
			t.Errorf("%d %s", got, body)
		}
	}
	status(http.StatusServiceUnavailable)
	is("off", false)
	status(http.StatusOK)
	is("on", true)
	status(http.StatusServiceUnavailable)
	if got, body := ask(t, "GET", s.URL+"/openapi.json", "", ""); got != http.StatusOK {
		t.Errorf("%d %s", got, body)
	}
	is("off", false)
	is("status", false)
	if code, out, errs := cli(t, "maintenance", "status"); code != 0 || out != "Maintenance mode is off.\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}
