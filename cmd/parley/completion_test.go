package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		status, out, errs := runCommand(t, "completion", shell)
		if status != 0 || !strings.Contains(out, "trust-proxy") || !strings.Contains(out, "revoke") ||
			strings.Contains(out, "extract") {
			t.Errorf("%s: %d %s\n%s", shell, status, errs, out)
		}
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		check := exec.CommandContext(t.Context(), shell, "-n")
		check.Stdin = strings.NewReader(out)
		if text, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s does not read its script: %v: %s", shell, err, text)
		}
	}
}

func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIP: no bash")
	}
	_, script, _ := runCommand(t, "completion", "bash")
	for typed, want := range map[string]string{"parley key r": "revoke",
		"parley account update --data x --hi": "--hipaa", "parley ser": "serve",
		"parley member add --role o": "owner", "parley account create --plan ent": "enterprise",
		"parley completion z": "zsh"} {
		words := strings.Fields(typed)
		line := "COMP_WORDS=(" + typed + "); COMP_CWORD=" + string(rune('0'+len(words)-1)) +
			"; _parley; echo \"${COMPREPLY[@]}\""
		out, err := exec.CommandContext(t.Context(), bash, "-c", script+line).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %s %v", typed, out, err)
		}
	}
}

func TestVersionNamesTheProgram(t *testing.T) {
	if v := runJSON[versionInfo](t, "version"); v.Version != version || !strings.HasPrefix(v.Go, "go") {
		t.Errorf("%+v", v)
	}
}
