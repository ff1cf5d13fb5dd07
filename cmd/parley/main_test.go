package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"

	"parley/internal/archive"
	"parley/internal/cmdline"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

// TestMain lets the test program also be the child process in which a server reads files.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "extract" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	dbs.MainWithoutLeaks(m)
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

// What is typed wrongly is answered with what was meant and where help is, and no more.
func TestWrongCommandLines(t *testing.T) {
	for line, want := range map[string]string{
		"srve":              `unexpected argument srve, did you mean "serve"?` + "\n" + `Run "parley --help" for help`,
		"ticket lst":        `did you mean "list"?` + "\n" + `Run "parley ticket --help" for help`,
		"serve --lisen x":   `unknown flag --lisen, did you mean "--listen"?` + "\n" + `Run "parley serve --help"`,
		"account create":    `missing flags: --name`,
		"account":           "name one of the commands",
		"":                  "name one of the commands",
		"help ticket opne":  `did you mean "open"?`,
		"key list --no-way": `Run "parley key list --help"`,
	} {
		status, out, errs := runCommand(t, strings.Fields(line)...)
		if status != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("parley %s: status %d, %q, %q", line, status, out, errs)
		}
		if lines := strings.Count(errs, "\n"); lines > 3 && want != "name one of the commands" {
			t.Errorf("parley %s is answered with %d lines", line, lines)
		}
	}
}

func TestHelp(t *testing.T) {
	status, all, _ := runCommand(t, "help")
	if status != 0 || strings.Count(all, "\n") > 80 {
		t.Errorf("status %d, %d lines", status, strings.Count(all, "\n"))
	}
	for _, want := range []string{"\nRun it\n  serve ", "\nAgents\n", "\nHelp desk\n", "\nAccounts\n", "\nServer\n",
		"--version", "  ticket-status"} {
		if !strings.Contains(all, want) {
			t.Errorf("help does not tell of %s:\n%s", want, all)
		}
	}
	if _, before, _ := strings.Cut(all, "Commands:"); strings.Index(before, "\n  ") < strings.Index(before, "Run it") {
		t.Errorf("a command is in no group:\n%s", all)
	}
	for _, words := range [][]string{{"help"}, {"ticket", "--help"}} {
		if _, out, _ := runCommand(t, words...); strings.Contains(out, "--secret-key") || !strings.Contains(out, "--data") {
			t.Errorf("%q hides the commands behind settings:\n%s", words, out)
		}
	}
	for _, words := range [][]string{{"help", "ticket", "list"}, {"ticket", "list", "--help"}} {
		if status, out, _ := runCommand(t, words...); status != 0 || !strings.Contains(out, "Usage: parley ticket list") ||
			!strings.Contains(out, "--secret-key") {
			t.Errorf("%q: status %d, %s", words, status, out)
		}
	}
}

// Programs read what went wrong by its code.
func TestErrorCodes(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	unreachable := "health http://127.0.0.1:1/"
	folder := writeFiles(t, map[string]string{"a.txt": "no backup",
		"data/parley.db":    strings.Repeat("no database ", 999),
		"damaged/parley.db": "", "damaged/parley.db-unmerged": "x", "lost/parley.db": "", "lost/parley.db-wal": "x",
		"pictures/a.png": "x"})
	file, empty := filepath.Join(folder, "a.txt"), t.TempDir()
	const serve = "serve --listen 127.0.0.1:0 --data "
	tlsFiles := " --tls-cert " + file + " --tls-key " + file
	busy, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	for line, want := range map[string]string{
		"restore " + file + " --data " + empty:                              `"code":"VALIDATION_INVALID_BODY"`,
		"restore " + folder + " --data " + empty:                            `"code":"VALIDATION_INVALID_BODY"`,
		"archive import " + file + " --data " + empty:                       `cut or damaged: zip: not a valid zip file."`,
		"restore " + missing + " --data " + empty:                           `"code":"RESOURCE_NOT_FOUND"`,
		"backup " + missing + " --data " + empty:                            `"code":"RESOURCE_NOT_FOUND"`,
		"backup s3://bucket --data " + empty:                                `"code":"VALIDATION_INVALID_BODY"`,
		"ask --from " + missing + " Why?":                                   `"code":"RESOURCE_NOT_FOUND"`,
		"serve --data " + filepath.Join(file, "data"):                       `"code":"VALIDATION_INVALID_BODY"`,
		"account list --data " + folder + "/data":                           `"code":"VALIDATION_INVALID_BODY"`,
		"account list --data " + folder + "/damaged":                        `"code":"VALIDATION_INVALID_BODY"`,
		serve + folder + "/data":                                            `"code":"VALIDATION_INVALID_BODY"`,
		serve + folder + "/damaged":                                         `"code":"VALIDATION_INVALID_BODY"`,
		serve + folder + "/lost":                                            `"code":"VALIDATION_INVALID_BODY"`,
		"serve --plans " + folder:                                           `"code":"VALIDATION_INVALID_BODY"`,
		"serve --plans " + missing:                                          `"code":"VALIDATION_INVALID_BODY"`,
		serve + t.TempDir() + tlsFiles:                                      `"code":"VALIDATION_INVALID_BODY"`,
		"ask --from " + folder + "/pictures Why?":                           `"code":"VALIDATION_INVALID_BODY"`,
		"account list --database-url postgres://127.0.0.1:1/a":              `"code":"SERVICE_UNDER_MAINTENANCE"`,
		"serve --data " + t.TempDir() + " --listen " + busy.Addr().String(): `"code":"RESOURCE_ALREADY_EXISTS"`,
		"srve":                                `"code":"VALIDATION_INVALID_BODY"`,
		"account list --data " + missing:      `"code":"RESOURCE_NOT_FOUND"`,
		"apply --account a --file " + missing: `"code":"RESOURCE_NOT_FOUND"`,
		unreachable:                           `"code":"RESOURCE_NOT_FOUND","message":"No server answers on `,
	} {
		status, _, errs := runCommand(t, append(strings.Fields(line), "--json")...)
		if status == 0 || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("parley %s: status %d, %s", line, status, errs)
		}
	}
}

// Whatever a command cannot do, it says what to do next.
func TestFailuresSayTheNextStep(t *testing.T) {
	folder := writeFiles(t, map[string]string{"a.txt": "Text", "data/parley.db": strings.Repeat("no database ", 999)})
	empty := t.TempDir()
	serve := "serve --listen 127.0.0.1:0 --data " + t.TempDir()
	for line, want := range map[string]string{
		"health http://127.0.0.1:1":                            `Start one with "parley serve"`,
		"backup b --data " + empty:                             "--data or PARLEY_DATA names the data directory",
		"restore missing --data " + empty:                      "name the folder or the file of a backup",
		"account list --data " + folder + "/data":              `"parley doctor" looks for the cause`,
		"account list --database-url postgres://127.0.0.1:1/a": "Check that the database runs",
		"serve --data " + folder + "/a.txt":                    "--data or PARLEY_DATA names another data directory",
		serve + " --tls-cert x --tls-key x":                    "x: no such file or directory; --tls-cert and --tls-key",
		serve + " --embedding-model x":                         "x: no such file or directory; name the folder of a model",
		"ask --from " + empty + " Why?":                        "no Markdown or text files",
	} {
		status, _, errs := runCommand(t, strings.Fields(line)...)
		if status != 1 || !strings.Contains(errs, want) || strings.Contains(errs, "maintenance off") {
			t.Errorf("parley %s: status %d, %s", line, status, errs)
		}
	}
	requireFailure(t, 1, "check the address, and whether this machine reaches it",
		"backup s3://b/f --s3-endpoint http://127.0.0.1:1 --s3-key k --s3-secret s")
}

// A file or a folder that cannot be written is named as the command line has it.
func TestRefusedPlacesSayTheNextStep(t *testing.T) {
	account := newAccount(t)
	folder := writeFiles(t, map[string]string{"a.txt": "Text"})
	requireFailure(t, 1, "a.txt: not a directory; name a folder that can be written to", "backup "+folder+"/a.txt/x")
	archive := filepath.Join(folder, "missing", "x.zip")
	requireFailure(t, 1, archive+": no such file or directory; name a file in a folder", "archive export "+archive+
		" --account "+account)
	requireFailure(t, 2, "--plans (PARLEY_PLANS): open x: no such file or directory; name a file of plans",
		"serve --plans x")
	requireFailure(t, 2, "--keep: -1 is below 0", "backup b --keep -1")
	requireFailure(t, 1, "open x: no such file or directory; name one that exists", "agent create A --instructions-file x")
}

// Whoever may not use the data of another user is told how to become that one.
func TestFilesOfAnotherUser(t *testing.T) {
	var errs commandOutput
	p := &process{Context: t.Context(), stderr: &errs}
	err := &fs.PathError{Op: "open", Path: "data", Err: fs.ErrPermission}
	if status := p.printError(err, 1); status != 1 || !strings.Contains(errs.String(), `with "sudo -u parley parley`) {
		t.Errorf("status %d, %s", status, errs.String())
	}
}

func TestHealth(t *testing.T) {
	s := startServer(t, "serve", "--data", t.TempDir())
	if h := runJSON[serverHealth](t, "health", s.URL+"/"); h != (serverHealth{s.URL, "ok"}) {
		t.Errorf("%+v", h)
	}
	listen := strings.TrimPrefix(s.URL, "http://")
	if status, out, _ := runCommand(t, "health", "--listen", listen); status != 0 || !strings.HasSuffix(out, ": ok\n") {
		t.Errorf("status %d, %q", status, out)
	}
	s.stopServer(t)
	if status, _, errs := runCommand(t, "health", s.URL); status != 1 || !strings.Contains(errs, "No server answers on") {
		t.Errorf("status %d, %q", status, errs)
	}
}

func TestVersionNamesTheProgram(t *testing.T) {
	for _, words := range [][]string{{"--version"}, {"version"}} {
		if status, out, _ := runCommand(t, words...); status != 0 || !strings.HasPrefix(out, "parley "+version) {
			t.Errorf("%q: status %d, %q", words, status, out)
		}
	}
	if v := runJSON[versionInfo](t, "version"); v.Version != version || !strings.HasPrefix(v.Go, "go") {
		t.Errorf("%+v", v)
	}
}

// A program that was built without its repository names the commit that the build was given.
func TestVersionNamesTheCommit(t *testing.T) {
	found := []debug.BuildSetting{{Key: "vcs.revision", Value: "fedcba9876543210"}, {Key: "vcs.modified", Value: "true"}}
	for want, got := range map[string]string{"": formatCommit("", nil),
		"0123456789ab":  formatCommit("0123456789abcdef", nil),
		"fedcba987654+": formatCommit("0123456789abcdef", found)} {
		if got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}

// A time in the log has its unit, whatever the form of the log.
func TestLogTellsTimesWithUnits(t *testing.T) {
	for form, want := range map[string]string{"json": `"delay":"3s"`, "text": "delay=3s"} {
		var out commandOutput
		log, err := (&process{stderr: &out}).newLogger(form)
		if err != nil {
			t.Fatal(err)
		}
		log.Info("stopping", "delay", 3*time.Second)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", form, out.String())
		}
	}
}

func TestBackupIsDescribed(t *testing.T) {
	for want, r := range map[string]backupResult{
		"sqlite database, 1 uploaded file beside it, 3.0 MB":       {Database: "sqlite", Uploads: 1, Bytes: 3 << 20},
		"postgres database, with the uploaded files in it, 2.0 kB": {Database: "postgres", Bytes: 2 << 10},
	} {
		if got := formatBackup(r); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}

// A file of settings takes the place of defaults, and its faults name their lines.
func TestFileOfSettings(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"good.yaml": "listen: 127.0.0.1:9999\nrate-limit: 7\ndrain: 3s\nmodel-key: sesame\nfetch-allow: [10.0.0.0/8]\n",
		"bad.yaml":  "listen: :1\nlisen: :9\n", "refused.yaml": "log: text\n\nrate-limit: 0\n",
	})
	good, bad := filepath.Join(folder, "good.yaml"), filepath.Join(folder, "bad.yaml")
	t.Setenv("PARLEY_CONFIG", good)
	t.Setenv("PARLEY_DRAIN", "4s")
	got := map[string]setting{}
	for _, s := range runJSON[[]setting](t, "config", "--rate-limit", "8") {
		got[s.Name] = s
	}
	for name, want := range map[string]setting{
		"listen":      {"listen", "127.0.0.1:9999", "file", "PARLEY_LISTEN", good + ":1", ""},
		"rate-limit":  {"rate-limit", "8", "flag", "PARLEY_RATE_LIMIT", "", ""},
		"drain":       {"drain", "4s", "env", "PARLEY_DRAIN", "", ""},
		"model-key":   {"model-key", "***", "file", "PARLEY_MODEL_KEY", good + ":4", ""},
		"fetch-allow": {"fetch-allow", "10.0.0.0/8", "file", "PARLEY_FETCH_ALLOW", good + ":5", ""},
		"config":      {"config", good, "env", "PARLEY_CONFIG", "", ""},
	} {
		if got[name] != want {
			t.Errorf("%s: %+v, want %+v", name, got[name], want)
		}
	}
	requireFailure(t, 2, bad+`:2: "lisen" is no setting; the nearest one is "listen"`, "config --config "+bad)
	requireFailure(t, 2, "refused.yaml:3: rate-limit: 0 is not above 0",
		"serve --config "+filepath.Join(folder, "refused.yaml"))
	requireFailure(t, 2, "--config: open ", "config --config "+filepath.Join(folder, "missing.yaml"))
	t.Setenv("PARLEY_CONFIG", bad)
	requireFailure(t, 2, bad+":2: ", "account list")
}

// The manual page names each command with its flags, and each setting; a formatter finds no fault in it.
func TestManPage(t *testing.T) {
	status, page, errs := runCommand(t, "man")
	if status != 0 {
		t.Fatal(status, errs)
	}
	plain := strings.ReplaceAll(page, `\-`, "-")
	p := &process{stdout: io.Discard, stderr: io.Discard}
	parser, err := p.newParser()
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Leaves(true) {
		if !strings.Contains(plain, `.SS "`+cmdline.CommandPath(command)) {
			t.Errorf("the page lacks %s", cmdline.CommandPath(command))
		}
		for _, flag := range command.Flags {
			if !strings.Contains(plain, `\fB--`+flag.Name+`\fR`) {
				t.Errorf("the page lacks --%s of %s", flag.Name, cmdline.CommandPath(command))
			}
		}
	}
	for _, hidden := range []string{"extract", "sfu"} {
		if strings.Contains(plain, "parley "+hidden) {
			t.Errorf("the page tells of parley %s", hidden)
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		format := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww", "-Kutf8", "-z")
		format.Stdin = strings.NewReader(page)
		if out, err := format.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("groff: %v: %s", err, out)
		}
	}
}

// What has no space says so by its code, in whatever it failed.
func TestFullDiskHasItsOwnCode(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, sqldb.ErrFull} {
		err := asRefusal(fmt.Errorf("copy the database: %w", cause))
		code := failureCode(err, 1)
		if step := failureStep(err, code); code != parley.CodeUnderMaintenance || !strings.Contains(step, "make space") {
			t.Errorf("%v: %s%s", err, code, step)
		}
	}
}

// A command that a signal has ended says that, with one code, whatever it was doing; its work goes on where it does.
func TestStoppedCommandsSayThat(t *testing.T) {
	account := newAccount(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, line := range []string{"account list", "backup " + t.TempDir(), "doctor", "agent create A",
		"archive export " + filepath.Join(t.TempDir(), "a.zip") + " --account " + account} {
		var out, errs commandOutput
		status := run(ctx, append(strings.Fields(line), "--json"), &out, &errs)
		if want := `{"error":{"code":"COMMAND_STOPPED","message":"Stopped by a signal`; status != 130 ||
			!strings.HasPrefix(errs.String(), want) || strings.Contains(errs.String(), "doctor") {
			t.Errorf("%s: status %d, %s%s", line, status, out.String(), errs.String())
		}
	}
	runJSON[admin.Agent](t, "agent", "create", "A")
	startServer(t, "serve")
	ctx, stop = context.WithCancel(t.Context())
	errs := &stoppingOutput{stop: stop}
	var out commandOutput
	status := run(ctx, []string{"source", "add", "--text", "We open at nine.", "--name", "Hours"}, &out, errs)
	if status != 130 || !strings.Contains(errs.String(), "The sources go on being read") {
		t.Errorf("status %d, %s%s", status, out.String(), errs.String())
	}
}

// stoppingOutput is an output at whose first line a signal comes.
type stoppingOutput struct {
	commandOutput
	stop func()
}

func (o *stoppingOutput) Write(p []byte) (int, error) {
	o.stop()
	return o.commandOutput.Write(p)
}

// A full disk is no matter of the address of the database, and one that is out of reach none of space.
func TestNextStepOfStorage(t *testing.T) {
	for cause, want := range map[error]string{
		fmt.Errorf("%w: insert", sqldb.ErrFull): "Make space on the disk",
		syscall.ENOSPC:                          "Make space on the disk",
		errors.New("connection refused"):        "Check that the database runs",
	} {
		got := nextStep(parley.WrapError(parley.CodeUnderMaintenance, fmt.Errorf("import: %w", cause)))
		if !strings.HasPrefix(got, " "+want) {
			t.Errorf("%v: %q", cause, got)
		}
	}
}

// An import for which there is no space says that it has left nothing, and not what the database was asked.
func TestAFullDiskIsNamedByAnImport(t *testing.T) {
	e := parley.WrapError(parley.CodeUnderMaintenance, fmt.Errorf("insert into conversations: %w", sqldb.ErrFull))
	e.Message = archive.NothingImported + ": the disk or the database is full."
	if text := errorWithCause(e) + nextStep(e); !strings.HasPrefix(text, e.Message+" Make space") {
		t.Error(text)
	}
	e = parley.WrapError(parley.CodeUnderMaintenance, io.ErrUnexpectedEOF)
	e.Message = archive.NothingImported + "."
	if text := errorWithCause(e); text != "Nothing was imported. The database cannot be used: unexpected EOF." {
		t.Error(text)
	}
}
