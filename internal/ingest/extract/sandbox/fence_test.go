package sandbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/sandbox"
	"parley/internal/testkit/documents"
)

// target lists what a hostile file makes its reader try to reach. It is stored in the file.
type target struct {
	Parent int    // the server's process
	File   string // of another tenant
	Folder string // the folder of that file
	Port   string // of a server on loopback
}

// hostilePrograms are what this program does under the names of other programs that read files.
var hostilePrograms = map[string]func(){
	"pdftotext": func() { // has a security hole, and reads a hostile file
		data, err := io.ReadAll(os.Stdin)
		_, after, _ := strings.Cut(string(data), "\n")
		var at target
		if err != nil || json.Unmarshal([]byte(after), &at) != nil {
			os.Exit(2)
		}
		fmt.Println("reached:", strings.Join(append(reachableThings(at), privileges()...), ","), "with",
			len(os.Environ()), "settings")
	},
	"catdoc": func() { // never ends
		for {
			runtime.Gosched()
		}
	},
	"antiword": func() { // opens the file that it is given
		f, err := os.Open(os.Args[len(os.Args)-1])
		if err == nil {
			_, err = io.ReadAll(f)
		}
		if err != nil {
			panic(err)
		}
		fmt.Println("The kettle boils water.")
	},
}

// reachableThings returns what a process can reach outside itself.
func reachableThings(at target) (list []string) {
	add := func(name string, err error) {
		if err == nil {
			list = append(list, name)
		}
	}
	open := func(label, name string) {
		f, err := os.Open(name)
		if add(label, err); err == nil {
			_ = f.Close()
		}
	}
	open("file", at.File)
	open("passwd", "/etc/passwd")
	open("environ", fmt.Sprintf("/proc/%d/environ", at.Parent))
	open("own environ", "/proc/self/environ")
	open("descriptors", fmt.Sprintf("/proc/%d/fd", at.Parent))
	_, err := os.ReadDir(at.Folder)
	add("folder", err)
	add("write", os.WriteFile(filepath.Join(at.Folder, "written"), nil, 0o600))
	add("write in tmp", os.WriteFile(filepath.Join(os.TempDir(), "parley-reach"), nil, 0o600))
	add("overwrite", os.Truncate(at.File, 0))
	add("remove", os.Remove(at.File))
	add("rename", os.Rename(at.File, at.File+"2"))
	add("chmod", os.Chmod(at.File, 0o777))
	_, err = net.ListenPacket("udp4", "127.0.0.1:0")
	add("udp", err)
	_, err = net.Listen("tcp4", "127.0.0.1:0")
	add("tcp", err)
	_, err = net.Listen("unix", "@parley-test")
	add("unix", err)
	_, err = net.Dial("tcp4", "127.0.0.1:"+at.Port)
	add("connect", err)
	for _, s := range []syscall.Signal{0, syscall.SIGUSR1} {
		add(fmt.Sprint("signal ", int(s)), syscall.Kill(at.Parent, s))
		add(fmt.Sprint("signal group ", int(s)), syscall.Kill(-at.Parent, s))
	}
	return append(list, deeper(at)...)
}

// newHostileFile returns a file that our reader cannot read, and that takes over the other program.
func newHostileFile(t *testing.T, at target) []byte {
	t.Helper()
	words, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("%PDF-1.7\n"), words...)
}

// hostileProgram returns this program under another name.
func hostileProgram(t *testing.T, name string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// newTarget creates what a server has that no reader may reach.
func newTarget(t *testing.T) target {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	at := target{Parent: os.Getpid(), Folder: t.TempDir(), Port: port}
	at.File = filepath.Join(at.Folder, "blob")
	if err := os.WriteFile(at.File, []byte("another tenant's words"), 0o600); err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	t.Cleanup(func() { signal.Stop(signals) })
	return at
}

// A security hole in another program affects only the file, not the data, the settings or the server.
func TestExternalProgramIsConfined(t *testing.T) {
	requireLinux(t)
	requireLandlock(t)
	at := newTarget(t)
	p := documents.NewPool(t)
	p.Programs = extract.Programs{Pdftotext: hostileProgram(t, "pdftotext")}
	doc, err := p.ReadFile(t.Context(), extract.PDF, "a.pdf", newHostileFile(t, at))
	if err != nil || doc.Text != "reached:  with 1 settings" {
		t.Errorf("%q, %v", doc.Text, err)
	}
	if after, err := os.ReadFile(at.File); err != nil || string(after) != "another tenant's words" {
		t.Errorf("%q, %v", after, err)
	}
	if got := reachableThings(at); !slices.Contains(got, "connect") || !slices.Contains(got, "signal 10") ||
		!slices.Contains(got, "write") {
		t.Errorf("without a fence, only %q", got)
	}
}

// Our reader can open no file, socket or program.
func TestOwnReaderIsConfined(t *testing.T) {
	requireLinux(t)
	var known *draft.Error
	_, err := documents.NewPool(t, "fenced").ReadFile(t.Context(), extract.TXT, "a.txt", []byte("words"))
	if !errors.As(err, &known) || !strings.Contains(known.Err.Error(), "reached: \n") {
		t.Errorf("%v: %v", err, known.Err)
	}
}

// Without fences files are refused, unless the operator allows it.
func TestFilesAreRefusedWithoutFences(t *testing.T) {
	requireLinux(t)
	if got := documents.ReadFailure(t, documents.NewPool(t, "unfiltered")); !strings.Contains(got, "cannot fence") {
		t.Error(got)
	}
	p := documents.NewPool(t, "unfiltered")
	p.AllowUnfenced = true
	if doc, err := p.ReadFile(t.Context(), extract.TXT, "a.txt", []byte("words")); err != nil || doc.Text != "words" {
		t.Error(doc.Text, err)
	}
}

// Another program runs if all fences are available; without protection of files only if it is configured by name; and
// without a filter of system calls only if fences are turned off.
func TestExternalProgramRequiresFences(t *testing.T) {
	requireLinux(t)
	program := hostileProgram(t, "antiword")
	for _, c := range []struct {
		kernel string
		need   sandbox.Need
		runs   bool
	}{
		{"without-landlock", sandbox.NeedAll, false}, {"without-landlock", sandbox.NeedCalls, true},
		{"without-filters", sandbox.NeedCalls, false}, {"without-filters", sandbox.NeedNothing, true},
	} {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), exe, c.kernel, "--need", string(c.need), "--", program, "/proc/self/fd/0")
		cmd.Stdin = bytes.NewReader(nil)
		out, err := cmd.CombinedOutput()
		if ran := err == nil && string(out) == "The kettle boils water.\n"; ran != c.runs {
			t.Errorf("%s, %s: %q %v", c.kernel, c.need, out, err)
		}
	}
}

// All readers of a file share its time limit: a third of it is reserved for the other program and does not extend it.
func TestReadersShareTheTimeLimit(t *testing.T) {
	requireLinux(t)
	requireLandlock(t)
	share, log := time.Second/2, ""
	var err error
	for ; share < time.Minute; share *= 2 { // on a busy machine the other program needs longer to start
		if log, err = readWithHangingPrograms(t, 3*share); strings.Contains(log, "has not read a file") {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "more than "+(2*share).String()) {
		t.Error(err)
	}
	if strings.Count(log, "has not read a file") != 1 || !strings.Contains(log, "takes more than "+(3*share).String()) {
		t.Error(log)
	}
}

// readWithHangingPrograms reads a file within the limit, which neither our reader nor another program ever finishes. It
// returns what is logged.
func readWithHangingPrograms(t *testing.T, limit time.Duration) (log string, err error) {
	t.Helper()
	var lines bytes.Buffer
	p := documents.NewPool(t, "busy-or-extract")
	p.FileTimeout, p.Log = limit, slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p.Programs = extract.Programs{Catdoc: hostileProgram(t, "catdoc"), Antiword: hostileProgram(t, "antiword")}
	_, err = p.ReadFile(t.Context(), extract.DOC, "a.doc", []byte("words"))
	return lines.String(), err
}

// requireLandlock skips the test if the kernel has no Landlock.
func requireLandlock(t *testing.T) {
	t.Helper()
	switch _, files := sandbox.System(); {
	case files != nil && os.Getenv("CI") == "true":
		t.Fatal(files)
	case files != nil:
		t.Skip("SKIP: ", files)
	}
}
