package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"parley/internal/ingest/extract/draft"
)

// startTimeout bounds how long a process may take to start, and to end.
const startTimeout = 10 * time.Second

// ErrExited is the cause of a failure to speak with a process that has ended.
var ErrExited = errors.New("the reader has ended")

// Process is a running reader of files, which has entered the sandbox.
type Process struct {
	cmd     *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	reader  *bufio.Reader
	stderr  *tailBuffer
	exited  chan struct{} // closed when it has ended
	endOnce sync.Once
}

// Command returns a command with nothing of this process's environment, and in no folder of it.
func Command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...) //nolint:gosec,noctx // the server's own program; its caller ends it
	cmd.Env = []string{"GOMAXPROCS=2", "GOTRACEBACK=single", "TZ=UTC"}
	cmd.Dir = os.TempDir()
	cmd.WaitDelay = time.Second
	setProcessGroup(cmd)
	return cmd
}

// Start starts a command that enters the sandbox first of all, and waits until it has. lacks says what keeps the
// process from being fenced; it is empty if nothing does.
func Start(ctx context.Context, cmd *exec.Cmd) (started *Process, missing string, err error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, "", errors.Join(err, childIn.Close(), in.Close())
	}
	p := &Process{cmd: cmd, stdin: in, stdout: out, reader: bufio.NewReader(out), stderr: &tailBuffer{},
		exited: make(chan struct{})}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, p.stderr
	err = errors.Join(cmd.Start(), childIn.Close(), childOut.Close())
	if err != nil {
		return nil, "", errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		_ = cmd.Wait() // how it ended is in its state
		close(p.exited)
	}()
	timer := time.AfterFunc(startTimeout, p.Kill)
	defer timer.Stop()
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	hello, err := ReadMessage(p.reader, 1)
	if err != nil {
		p.Kill()
		return nil, "", fmt.Errorf("%w: %s", err, p.stderr)
	}
	if state := string(hello[0]); state != stateFenced {
		return p, state, nil
	}
	return p, "", nil
}

// Output returns what the process writes.
func (p *Process) Output() io.Reader { return p.reader }

// Send writes a message to the process. It fails where the process has ended or no longer reads.
func (p *Process) Send(parts ...[]byte) error { return WriteMessage(p.stdin, parts...) }

// WaitForExit waits for the end of the process, and reports whether it has come.
func (p *Process) WaitForExit(timeout time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(timeout):
		return false
	}
}

// ExitError returns why a process ended in the middle of a file; err is what showed that it had.
func (p *Process) ExitError(err error) *draft.Error {
	p.WaitForExit(startTimeout)
	output := p.stderr.String()
	cause := fmt.Errorf("%w: %w: %s: %s", ErrExited, err, p.cmd.ProcessState, output)
	switch {
	case strings.Contains(output, "out of memory"), strings.Contains(output, "cannot allocate memory"),
		strings.Contains(output, "mmap"):
		reason := fmt.Sprintf("reading the file takes more than %d MB of memory", maxMemoryBytes>>20)
		return &draft.Error{Reason: reason, Err: cause}
	case isOutOfTime(p.cmd.ProcessState):
		reason := fmt.Sprintf("reading the file takes more than %d seconds of the processor", maxCPUSeconds)
		return &draft.Error{Reason: reason, Err: cause}
	}
	return draft.NewDamagedError("its reader has given up", cause)
}

// Finish lets the process end by itself: it has nothing more to read.
func (p *Process) Finish() {
	p.endOnce.Do(func() {
		_ = p.stdin.Close()
		go func() {
			if !p.WaitForExit(startTimeout) {
				_ = p.cmd.Process.Kill()
			}
			_ = p.stdout.Close()
		}()
	})
}

// Kill ends the process at once.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	p.Finish()
}

// Run runs a command on an input, and returns what it writes, of which there may be as much as of text in a file. It is
// killed when the context ends.
func Run(ctx context.Context, cmd *exec.Cmd, input []byte) (string, error) {
	var out cappedBuffer
	stderr := &tailBuffer{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, stderr
	if err := cmd.Start(); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); err != nil {
		return "", fmt.Errorf("%w: %s", err, stderr)
	}
	return strings.ToValidUTF8(out.buf.String(), "\ufffd"), nil
}

// tailBuffer keeps the beginning and the end of what is written to it.
type tailBuffer struct {
	mu   sync.Mutex
	head []byte
	last []byte
}

const maxTailBytes = 2 << 10

func (t *tailBuffer) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(b), maxTailBytes-len(t.head))
	t.head = append(t.head, b[:n]...)
	t.last = append(t.last, b[n:]...)
	t.last = t.last[max(0, len(t.last)-maxTailBytes):]
	return len(b), nil
}

func (t *tailBuffer) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.head)+string(t.last), "?")
}

// cappedBuffer takes the bytes of a text that is not too long, and then fails.
type cappedBuffer struct{ buf bytes.Buffer }

func (c *cappedBuffer) Write(b []byte) (int, error) {
	if c.buf.Len()+len(b) > draft.MaxTextBytes {
		return 0, io.ErrShortWrite
	}
	return c.buf.Write(b)
}
