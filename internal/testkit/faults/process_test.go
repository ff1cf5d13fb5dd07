package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// parleyProgram is the real program, built once.
var parleyProgram programBinary

type programBinary struct {
	once sync.Once
	dir  string
	err  error
}

func (p *programBinary) path(t *testing.T) string {
	t.Helper()
	p.once.Do(func() {
		// Go's cache of results knows what a test opens, and not of what another process builds a program.
		if _, p.err = os.ReadDir("../../../cmd/parley"); p.err != nil {
			return
		}
		if p.dir, p.err = os.MkdirTemp("", "parley-faults-"); p.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", p.dir, "parley/cmd/parley").CombinedOutput()
		if err != nil {
			p.err = errors.New(string(out))
		}
	})
	if p.err != nil {
		t.Fatal("build the program: ", p.err)
	}
	return filepath.Join(p.dir, "parley")
}

func (p *programBinary) remove() error { return os.RemoveAll(p.dir) }

// runCommand runs the program to its end and decodes what it prints.
func runCommand(t *testing.T, out any, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), parleyProgram.path(t), append(args, "--json")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("parley %v: %v\n%s", args, err, stderr.String())
	}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatalf("parley %v printed %q: %v", args, text, err)
	}
}

// serverProcess is a server of the real program.
type serverProcess struct {
	cmd    *exec.Cmd
	ready  chan string // its URL
	exited chan struct{}
	stderr lastOutput
}

// startProcess starts `parley serve` and does not wait until it is ready.
func startProcess(t *testing.T, args ...string) *serverProcess {
	t.Helper()
	p := &serverProcess{ready: make(chan string, 1), exited: make(chan struct{})}
	all := []string{"serve", "--listen", "127.0.0.1:0", "--rate-limit", "1000000", "--open-turns", "1000000", "--json",
		"--log", "text,warn"}
	p.cmd = exec.Command(parleyProgram.path(t), append(all, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = &urlScanner{url: p.ready}, &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the kernel sends the signal at the parent's death when the thread that forked ends
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	return p
}

// startServer starts a server and returns it with its URL.
func startServer(t *testing.T, args ...string) (*serverProcess, string) {
	t.Helper()
	p := startProcess(t, args...)
	select {
	case url := <-p.ready:
		return p, url
	case <-p.exited:
	case <-time.After(time.Minute):
		p.kill()
	}
	t.Fatalf("the server did not become ready:\n%s", p.stderr.String())
	return nil, ""
}

// kill ends the process as a loss of power would, except for the kernel's caches.
func (p *serverProcess) kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// urlScanner finds the URL in the line that a server prints when it is ready.
type urlScanner struct {
	text []byte
	url  chan<- string
}

func (s *urlScanner) Write(b []byte) (int, error) {
	if s.url == nil {
		return len(b), nil
	}
	s.text = append(s.text, b...)
	var line struct{ URL string }
	if json.Unmarshal(s.text, &line) == nil && line.URL != "" {
		s.url <- line.URL
		s.url = nil
	}
	return len(b), nil
}

// lastOutput holds the last output of a process, without the lines that contain a word.
type lastOutput struct {
	ignoredWord string
	mu          sync.Mutex
	text        []byte
}

func (l *lastOutput) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ignoredWord != "" && bytes.Contains(b, []byte(l.ignoredWord)) {
		return len(b), nil
	}
	l.text = append(l.text, b...)
	l.text = l.text[max(0, len(l.text)-8000):]
	return len(b), nil
}

func (l *lastOutput) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}
