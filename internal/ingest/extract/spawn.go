package extract

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// child is a running reader of files.
type child struct {
	cmd       *exec.Cmd
	stdin     *os.File // what it is asked
	stdout    *os.File // what it answers
	reader    *bufio.Reader
	stderr    *tailBuffer
	exited    chan struct{} // closed when it has ended
	idleTimer *time.Timer
	fileCount int
	isTired   bool // it has asked to be replaced
	endOnce   sync.Once
}

// spawn starts a child and waits until it is ready.
func (p *Pool) spawn(ctx context.Context) (*child, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	c := &child{cmd: p.command(), stdin: in, stdout: out, reader: bufio.NewReader(out), stderr: &tailBuffer{}, exited: make(chan struct{})}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = childIn, childOut, c.stderr
	err = errors.Join(c.cmd.Start(), childIn.Close(), childOut.Close())
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		_ = c.cmd.Wait() // how it ended is in its state
		close(c.exited)
	}()
	timer := time.AfterFunc(startTimeout, c.kill)
	defer timer.Stop()
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	hello, err := readMessage(c.reader, 1)
	if err != nil {
		c.kill()
		if ctx.Err() != nil {
			return nil, endReason(ctx)
		}
		return nil, fmt.Errorf("%w: %s", err, c.stderr)
	}
	if state := string(hello[0]); state != stateFenced {
		if err := p.checkUnfenced(ctx, state); err != nil {
			c.kill()
			return nil, err
		}
	}
	return c, nil
}

// checkUnfenced judges a child that has told what it lacks: nobody has one read on Linux without having said so. Elsewhere
// there is no other, which the manual tells.
func (p *Pool) checkUnfenced(ctx context.Context, lacks string) error {
	if onLinux && !p.AllowUnfenced {
		return &Error{Reason: "files are not read, since this system cannot fence their readers", Err: errors.New(shortLine(lacks))}
	}
	p.warnOnce.Do(func() {
		if p.Log != nil {
			p.Log.WarnContext(ctx, "files are read with fewer limits than there should be", "cause", lacks)
		}
	})
	return nil
}

// command runs the extract command with more words behind it, with nothing of the server's environment and in no folder of it.
func (p *Pool) command(more ...string) *exec.Cmd {
	args := p.Args
	if args == nil {
		args = []string{"extract"}
	}
	cmd := exec.Command(p.Executable, append(append([]string{}, args...), more...)...) //nolint:gosec,noctx // the server's own program; the pool ends it
	cmd.Env = []string{"GOMAXPROCS=2", "GOTRACEBACK=single", "TZ=UTC"}
	cmd.Dir = os.TempDir()
	cmd.WaitDelay = time.Second
	apart(cmd)
	return cmd
}

// sendRequest hands the child a file and waits for its text. An err says that the child is of no more use.
func (c *child) sendRequest(ctx context.Context, ask, kind, name string, data []byte) (page WebPage, refused, err error) {
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	c.fileCount++
	err = writeMessage(c.stdin, []byte(ask), []byte(kind), []byte(name), data)
	if err == nil || c.waitForExit(time.Second) {
		page, c.isTired, refused, err = readReply(c.reader)
	}
	switch {
	case err == nil:
		return page, refused, nil
	case ctx.Err() != nil:
		return page, nil, endReason(ctx)
	}
	c.kill()
	return page, nil, c.exitError(err)
}

// waitForExit waits for the end of the process.
func (c *child) waitForExit(most time.Duration) bool {
	select {
	case <-c.exited:
		return true
	case <-time.After(most):
		return false
	}
}

// exitError tells why a child ended in the midst of a file.
func (c *child) exitError(err error) *Error {
	c.waitForExit(startTimeout)
	output := c.stderr.String()
	cause := fmt.Errorf("%w: %w: %s: %s", errChildDied, err, c.cmd.ProcessState, output)
	switch {
	case strings.Contains(output, "out of memory"), strings.Contains(output, "cannot allocate memory"), strings.Contains(output, "mmap"):
		return &Error{Reason: fmt.Sprintf("reading the file takes more than %d MB of memory", maxChildBytes>>20), Err: cause}
	case outOfTime(c.cmd.ProcessState):
		return &Error{Reason: fmt.Sprintf("reading the file takes more than %d seconds of the processor", maxChildCPUSeconds), Err: cause}
	}
	return newDamagedError("its reader has given up", cause)
}

// finish lets the child finish by itself: it has nothing more to read.
func (c *child) finish() {
	c.endOnce.Do(func() {
		_ = c.stdin.Close()
		go func() {
			if !c.waitForExit(startTimeout) {
				_ = c.cmd.Process.Kill()
			}
			_ = c.stdout.Close()
		}()
	})
}

// kill ends the child at once.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	c.finish()
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

var _ io.Writer = (*tailBuffer)(nil)
