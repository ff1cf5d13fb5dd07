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
	cmd    *exec.Cmd
	in     *os.File // what it is asked
	out    *os.File // what it answers
	reader *bufio.Reader
	errors *tail
	gone   chan struct{} // closed when it has ended
	idle   *time.Timer
	files  int
	tired  bool // it has asked to be replaced
	ending sync.Once
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
	c := &child{cmd: p.command(), in: in, out: out, reader: bufio.NewReader(out), errors: &tail{}, gone: make(chan struct{})}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = childIn, childOut, c.errors
	err = errors.Join(c.cmd.Start(), childIn.Close(), childOut.Close())
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		_ = c.cmd.Wait() // how it ended is in its state
		close(c.gone)
	}()
	timer := time.AfterFunc(startsWith, c.kill)
	defer timer.Stop()
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	hello, err := readMessage(c.reader, 1)
	if err != nil {
		c.kill()
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		return nil, fmt.Errorf("%w: %s", err, c.errors)
	}
	if state := string(hello[0]); state != fenced {
		if err := p.unfenced(ctx, state); err != nil {
			c.kill()
			return nil, err
		}
	}
	return c, nil
}

// unfenced judges a child that has told what it lacks: nobody has one read on Linux without having said so. Elsewhere
// there is no other, which the manual tells.
func (p *Pool) unfenced(ctx context.Context, lacks string) error {
	if onLinux && !p.Unfenced {
		return &Error{Reason: "files are not read, since this system cannot fence their readers", Err: errors.New(oneLine(lacks))}
	}
	p.warned.Do(func() {
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
	cmd := exec.Command(p.Exe, append(append([]string{}, args...), more...)...) //nolint:gosec,noctx // the server's own program; the pool ends it
	cmd.Env = []string{"GOMAXPROCS=2", "GOTRACEBACK=single", "TZ=UTC"}
	cmd.Dir = os.TempDir()
	cmd.WaitDelay = time.Second
	apart(cmd)
	return cmd
}

// ask hands the child a file and waits for its text. An err says that the child is of no more use.
func (c *child) ask(ctx context.Context, ask, kind, name string, data []byte) (page WebPage, refused, err error) {
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	c.files++
	err = writeMessage(c.in, []byte(ask), []byte(kind), []byte(name), data)
	if err == nil || c.ended(time.Second) {
		page, c.tired, refused, err = readReply(c.reader)
	}
	switch {
	case err == nil:
		return page, refused, nil
	case ctx.Err() != nil:
		return page, nil, ended(ctx)
	}
	c.kill()
	return page, nil, c.died(err)
}

// ended waits for the end of the process.
func (c *child) ended(most time.Duration) bool {
	select {
	case <-c.gone:
		return true
	case <-time.After(most):
		return false
	}
}

// died tells why a child ended in the midst of a file.
func (c *child) died(err error) *Error {
	c.ended(startsWith)
	said := c.errors.String()
	cause := fmt.Errorf("%w: %w: %s: %s", errDied, err, c.cmd.ProcessState, said)
	switch {
	case strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"), strings.Contains(said, "mmap"):
		return &Error{Reason: fmt.Sprintf("reading the file takes more than %d MB of memory", childData>>20), Err: cause}
	case outOfTime(c.cmd.ProcessState):
		return &Error{Reason: fmt.Sprintf("reading the file takes more than %d seconds of the processor", childCPU), Err: cause}
	}
	return broken("its reader has given up", cause)
}

// end lets the child finish by itself: it has nothing more to read.
func (c *child) end() {
	c.ending.Do(func() {
		_ = c.in.Close()
		go func() {
			if !c.ended(startsWith) {
				_ = c.cmd.Process.Kill()
			}
			_ = c.out.Close()
		}()
	})
}

// kill ends the child at once.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	c.end()
}

// tail keeps the beginning and the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	head []byte
	last []byte
}

const tailBytes = 2 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(b), tailBytes-len(t.head))
	t.head = append(t.head, b[:n]...)
	t.last = append(t.last, b[n:]...)
	t.last = t.last[max(0, len(t.last)-tailBytes):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.head)+string(t.last), "?")
}

var _ io.Writer = (*tail)(nil)
