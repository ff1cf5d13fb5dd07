package main

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Metrics are served on an address of their own, without a key, and nowhere else.
func TestMetricsHaveAnAddressOfTheirOwn(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	s := startServer(t, "serve", "--metrics-listen", "127.0.0.1:0")
	defer http.DefaultClient.CloseIdleConnections()
	var ready struct{ MetricsURL string }
	if err := json.Unmarshal([]byte(s.out.String()), &ready); err != nil {
		t.Fatal(err)
	}
	get := func(url string) (int, string) {
		t.Helper()
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	status, text := get(ready.MetricsURL)
	for _, want := range []string{`version="` + version + `"`, "parley_database_up 1", "process_cpu_seconds_total",
		"go_goroutines"} {
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d: %s is not in\n%s", status, want, text)
		}
	}
	if status, _ := get(strings.TrimSuffix(ready.MetricsURL, "metrics")); status != http.StatusNotFound {
		t.Error("beside the metrics: ", status)
	}
	if status, _ := get(s.URL + "/metrics"); status != http.StatusNotFound {
		t.Error("the public address: ", status)
	}
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "other"))
	taken := strings.TrimSuffix(strings.TrimPrefix(ready.MetricsURL, "http://"), "/metrics")
	if status, _, errs := runCommand(t, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", taken); status != 1 ||
		!strings.Contains(errs, "--metrics-listen") {
		t.Errorf("an address that is taken: %d %s", status, errs)
	}
	if status, _, errs := runCommand(t, "serve", "--voice-max-sessions", "-1"); status != 2 ||
		!strings.Contains(errs, "--voice-max-sessions") {
		t.Errorf("a number below 0: %d %s", status, errs)
	}
}
