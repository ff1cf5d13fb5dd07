package main

import (
	"strings"
	"testing"
)

func TestConfigShowsTheOutsideWithoutSecrets(t *testing.T) {
	t.Setenv("PARLEY_SECRET_KEY", "sesame sesame sesame")
	t.Setenv("PARLEY_FETCH_ALLOW", "10.0.0.0/8,192.168.7.7")
	t.Setenv("PARLEY_SEARCH_URL", "http://searxng:8080/search?key=sesame")
	want := map[string]string{"secret-key": "***", "fetch-allow": "10.0.0.0/8,192.168.7.7",
		"search-url": "http://searxng:8080/search?key=***"}
	for _, s := range runJSON[[]setting](t, "config") {
		if text, ok := want[s.Name]; ok && s.Value != text {
			t.Errorf("%s is shown as %q", s.Name, s.Value)
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("not shown: %v", want)
	}
	t.Setenv("PARLEY_FETCH_ALLOW", "")
	if _, out, _ := runCommand(t, "config"); strings.Contains(out, "sesame") || strings.Contains(out, "[]") {
		t.Error(out)
	}
}
