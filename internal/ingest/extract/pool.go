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

	Wall time.Duration // for one file; 0 for 30 seconds
	Idle time.Duration // 0 for a minute

	Programs Programs
	Log      *slog.Logger // nil for none

	once   sync.Once
	slots  chan *child // nil where none runs
	closed chan struct{}
	warned sync.Once
}

// Programs are other programs that read files, by their full paths; empty ones are not used. They run within the limits of a
// child and without sockets, and on Linux only.
type Programs struct {
	Pdftotext string // of poppler
	Catdoc    string
	Antiword  string
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
		size := p.Size
		if size <= 0 {
			size = usualSize
		}
		p.slots, p.closed = make(chan *child, size), make(chan struct{})
		for range size {
			p.slots <- nil
		}
	})
}

// Text reads a file as Text does, in a child.
func (p *Pool) Text(ctx context.Context, kind Kind, name string, data []byte) (Document, error) {
	if p.Exe == "" {
		page, err := p.here(ctx, askFile, string(kind), name, data)
		return page.Document, err
	}
	page, err := p.ask(ctx, askFile, string(kind), name, data)
	return p.secondReading(ctx, kind, data, page.Document, err)
}

// Page reads a page of a website as Page does, in a child.
func (p *Pool) Page(ctx context.Context, address, contentType string, body []byte) (WebPage, error) {
	if p.Exe == "" {
		return p.here(ctx, askPage, contentType, address, body)
	}
	return p.ask(ctx, askPage, contentType, address, body)
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
	for range cap(p.slots) {
		if c := <-p.slots; c != nil {
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

// take waits for a slot.
func (p *Pool) take(ctx context.Context) (*child, error) {
	p.start()
	select {
	case <-p.closed:
		return nil, errClosed
	default:
	}
	select {
	case c := <-p.slots:
		if c != nil && !c.idle.Stop() { // it has been told to end
			c = nil
		}
		return c, nil
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// give takes the slot back. A child that goes on is told to end when nothing comes for a while.
func (p *Pool) give(c *child) {
	if c != nil {
		idle := p.Idle
		if idle <= 0 {
			idle = usualIdle
		}
		c.idle = time.AfterFunc(idle, c.end)
	}
	p.slots <- c
}

func (p *Pool) ask(ctx context.Context, ask, kind, name string, data []byte) (WebPage, error) {
	if len(data) > mostBytes {
		return WebPage{}, refuse("the file is larger than %d MB", mostBytes>>20)
	}
	c, err := p.take(ctx)
	if err != nil {
		return WebPage{}, err
	}
	used := c != nil
	page, refused, c, err := p.askChild(ctx, c, ask, kind, name, data)
	if used && errors.Is(err, errDied) { // what it had read before has a part in it: that does not depend on the file alone
		page, refused, c, err = p.askChild(ctx, nil, ask, kind, name, data)
	}
	p.give(c)
	if err != nil {
		p.log(ctx, ask, kind, err)
		return WebPage{}, err
	}
	return page, refused
}

// askChild asks the child, or a new one, and gives back which one may be asked next, if any.
func (p *Pool) askChild(ctx context.Context, c *child, ask, kind, name string, data []byte) (page WebPage, refused error, next *child, err error) {
	if c == nil {
		if c, err = p.spawn(ctx); err != nil {
			return page, nil, nil, fmt.Errorf("start a reader of files: %w", err)
		}
	}
	page, refused, err = c.ask(ctx, p.wall(), ask, kind, name, data)
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

func tooSlow(wall time.Duration) *Error {
	return refuse("reading the file takes more than %s", wall)
}
