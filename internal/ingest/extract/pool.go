package extract

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Pool reads files in children of this program, each of which reads one after the other. A child is replaced after a number of
// files, after one that took much memory, and after any failure; one that is idle for a while ends. Its fields do not change once it is used.
type Pool struct {
	Exe  string   // the program whose command "extract" is Serve; empty reads in this process, which is for tests
	Args []string // of it; nil for "extract"
	Size int      // children at a time; 0 for 2

	Wall time.Duration // for one file, whoever reads it; 0 for 30 seconds
	Idle time.Duration // 0 for a minute

	Unfenced bool // read also on a Linux that cannot fence its readers
	Programs Programs
	Log      *slog.Logger // nil for none

	once   sync.Once
	mu     sync.Mutex
	line   line
	closed chan struct{}
	warned sync.Once
}

// Programs are other programs that read files, by their full paths; empty ones are not used. They run within the limits of a
// child and behind the fences that Become builds, and on Linux only.
type Programs struct {
	Pdftotext string // of poppler
	Catdoc    string
	Antiword  string
	Named     bool // the operator asks for them, also on a system that can keep them from sockets and not from files (Landlock)
}

const (
	usualSize  = 2
	usualWall  = 30 * time.Second
	usualIdle  = time.Minute
	filesEach  = 100
	startsWith = 10 * time.Second
)

var (
	errClosed = errors.New("extract: the pool is closed")
	errDied   = errors.New("the reader has ended")
)

func (p *Pool) start() {
	p.once.Do(func() {
		p.closed = make(chan struct{})
		p.line = line{free: make([]*child, p.size()), running: map[string]int{}, served: map[string]int{}}
	})
}

func (p *Pool) size() int {
	if p.Size > 0 {
		return p.Size
	}
	return usualSize
}

// Text reads a file as Text does, in a child. The time for a file is for all who read it.
func (p *Pool) Text(ctx context.Context, kind Kind, name string, data []byte) (Document, error) {
	if p.Exe == "" {
		page, err := p.here(ctx, askFile, string(kind), name, data)
		return page.Document, err
	}
	var doc Document
	err := p.inSlot(ctx, data, func(ctx context.Context, c *child) (*child, error) {
		page, c, err := p.ask(ctx, p.share(kind), c, askFile, string(kind), name, data)
		doc, err = p.secondReading(ctx, kind, data, page.Document, err)
		return c, err
	})
	return doc, err
}

// Page reads a page of a website as Page does, in a child.
func (p *Pool) Page(ctx context.Context, address, contentType string, body []byte) (page WebPage, err error) {
	if p.Exe == "" {
		return p.here(ctx, askPage, contentType, address, body)
	}
	err = p.inSlot(ctx, body, func(ctx context.Context, c *child) (*child, error) {
		page, c, err = p.ask(ctx, p.wall(), c, askPage, contentType, address, body)
		return c, err
	})
	return page, err
}

// Close ends the children once their files are read.
func (p *Pool) Close() error {
	p.start()
	select {
	case <-p.closed:
		return nil
	default:
		close(p.closed)
	}
	for range p.size() {
		if c := <-p.join("", 0).slot; c != nil {
			c.end()
		}
	}
	return nil
}

func (p *Pool) wall() time.Duration {
	if p.Wall > 0 {
		return p.Wall
	}
	return usualWall
}

// share is our own reader's part of the time for a file: where another program reads files of the kind as well, a
// third is left to it.
func (p *Pool) share(kind Kind) time.Duration {
	if p.Programs.reads(kind) {
		return p.wall() * 2 / 3
	}
	return p.wall()
}

// inSlot waits for a slot and has the file read there, in the time for one file. What read gives back is the child
// that reads next.
func (p *Pool) inSlot(ctx context.Context, data []byte, read func(ctx context.Context, c *child) (*child, error)) error {
	if len(data) > mostBytes {
		return refuse("the file is larger than %d MB", mostBytes>>20)
	}
	owner := ownerOf(ctx)
	c, err := p.take(ctx, owner, len(data))
	if err != nil {
		return err
	}
	timed, cancel := context.WithTimeoutCause(ctx, p.wall(), tooSlow(p.wall()))
	defer cancel()
	c, err = read(timed, c)
	p.give(owner, c)
	return err
}

func (p *Pool) join(owner string, size int) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line.join(owner, size)
}

// take waits for a slot.
func (p *Pool) take(ctx context.Context, owner string, size int) (*child, error) {
	p.start()
	select {
	case <-p.closed:
		return nil, errClosed
	default:
	}
	w := p.join(owner, size)
	select {
	case c := <-w.slot:
		if c != nil && !c.idle.Stop() { // it has been told to end
			c = nil
		}
		return c, nil
	case <-p.closed:
		p.leave(w)
		return nil, errClosed
	case <-ctx.Done():
		p.leave(w)
		return nil, ctx.Err()
	}
}

// leave gives up a place in the line, or the slot that has come meanwhile.
func (p *Pool) leave(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.line.leave(w) {
		p.line.end(w.owner, <-w.slot)
	}
}

// give takes the slot back. A child that goes on is told to end when nothing comes for a while.
func (p *Pool) give(owner string, c *child) {
	if c != nil {
		idle := p.Idle
		if idle <= 0 {
			idle = usualIdle
		}
		c.idle = time.AfterFunc(idle, c.end)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.end(owner, c)
}

// ask has the child read, or a new one, and gives back which one may be asked next, if any.
func (p *Pool) ask(ctx context.Context, share time.Duration, c *child, ask, kind, name string, data []byte) (WebPage, *child, error) {
	timed, cancel := context.WithTimeoutCause(ctx, share, tooSlow(share))
	defer cancel()
	used := c != nil
	page, refused, c, err := p.askChild(timed, c, ask, kind, name, data)
	if used && errors.Is(err, errDied) { // what it had read before has a part in it: that does not depend on the file alone
		page, refused, c, err = p.askChild(timed, nil, ask, kind, name, data)
	}
	if err != nil {
		p.log(ctx, ask, kind, err)
		return WebPage{}, c, err
	}
	return page, c, refused
}

// askChild asks the child, or a new one, and gives back which one may be asked next, if any.
func (p *Pool) askChild(ctx context.Context, c *child, ask, kind, name string, data []byte) (page WebPage, refused error, next *child, err error) {
	if c == nil {
		var known *Error
		if c, err = p.spawn(ctx); errors.As(err, &known) {
			return page, nil, nil, known
		} else if err != nil {
			return page, nil, nil, fmt.Errorf("start a reader of files: %w", err)
		}
	}
	page, refused, err = c.ask(ctx, ask, kind, name, data)
	switch {
	case err != nil:
		c.kill()
		return page, nil, nil, err
	case c.files >= filesEach, c.tired:
		c.end()
		return page, refused, nil, nil
	}
	return page, refused, c, nil
}

func (p *Pool) log(ctx context.Context, ask, kind string, err error) {
	var known *Error
	if p.Log != nil && errors.As(err, &known) {
		p.Log.WarnContext(ctx, "a reader of files was ended", "ask", ask, "kind", kind, "reason", known.Reason, "cause", known.Err)
	}
}

// here reads in this process. A reader that does not end in time is left behind.
func (p *Pool) here(ctx context.Context, ask, kind, name string, data []byte) (WebPage, error) {
	type result struct {
		page WebPage
		err  error
	}
	done := make(chan result, 1)
	go func() {
		page, err := answer(ask, kind, name, data)
		done <- result{page, err}
	}()
	timer := time.NewTimer(p.wall())
	defer timer.Stop()
	select {
	case r := <-done:
		return r.page, r.err
	case <-timer.C:
		return WebPage{}, tooSlow(p.wall())
	case <-ctx.Done():
		return WebPage{}, ctx.Err()
	}
}

// ended tells why a reading may go on no longer: its time is up, or nobody wants it.
func ended(ctx context.Context) error {
	var late *Error
	if cause := context.Cause(ctx); errors.As(cause, &late) {
		return cause
	}
	return ctx.Err()
}

func tooSlow(wall time.Duration) *Error {
	return refuse("reading the file takes more than %s", wall)
}
