package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

// TestMain lets the test program also be the child process in which a server reads files.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "extract" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	dbs.Main(m, func() error { return goleak.Find() })
}

// commandOutput is what a command printed; the command may still be running.
type commandOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *commandOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *commandOutput) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// runCommand runs one command to its end.
func runCommand(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs commandOutput
	status = run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// runJSON runs a command that must succeed, and decodes its output.
func runJSON[T any](t *testing.T, args ...string) (v T) {
	t.Helper()
	status, out, errs := runCommand(t, append(args, "--json")...)
	if status != 0 {
		t.Fatalf("parley %s: status %d: %s", strings.Join(args, " "), status, errs)
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("parley %s printed %q: %v", strings.Join(args, " "), out, err)
	}
	return v
}

// serverProcess is a `parley serve` or `parley demo` in the background.
type serverProcess struct {
	URL, FilesURL, AccountID, APIKey, AgentID string

	out, errs  commandOutput
	stop       context.CancelFunc
	exitStatus chan int
}

// startServer runs the command and waits until it is ready.
func startServer(t *testing.T, args ...string) *serverProcess {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &serverProcess{stop: stop, exitStatus: make(chan int, 1)}
	go func() { s.exitStatus <- run(ctx, append(args, "--listen", "127.0.0.1:0", "--json"), &s.out, &s.errs) }()
	t.Cleanup(func() { s.stopServer(t) })
	testkit.Eventually(t, "ready", func() bool {
		if len(s.exitStatus) > 0 {
			t.Fatalf("parley %s ended: %s", strings.Join(args, " "), s.errs.String())
		}
		return strings.Contains(s.out.String(), "\n")
	})
	if err := json.Unmarshal([]byte(s.out.String()), s); err != nil {
		t.Fatalf("the ready line %q: %v", s.out.String(), err)
	}
	return s
}

// stopServer stops the server as a signal would, and checks that it ends without an error. It may be called again.
func (s *serverProcess) stopServer(t *testing.T) {
	t.Helper()
	if s.stop == nil {
		return
	}
	s.stop()
	s.stop = nil
	if status := <-s.exitStatus; status != 0 {
		t.Errorf("the server ended with status %d: %s", status, s.errs.String())
	}
	if log := s.errs.String(); strings.Contains(log, "a code that it does not declare") {
		t.Errorf("an operation declares too few codes: %s", log)
	}
}

func TestConfigHidesSecretsInAddresses(t *testing.T) {
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
