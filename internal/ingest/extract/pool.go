package extract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"slices"
	"sync"
	"time"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	"parley/internal/ingest/extract/sandbox"
)

// Pool reads files in children of this program, each of which reads one file after the other. A child is replaced after
// a number of files, after one that took much memory, and after any failure; one that is idle for a while ends. Its
// fields do not change once it is used.
type Pool struct {
	Executable string   // the program whose command "extract" is Serve; empty reads in this process, which is for tests
	Args       []string // of it; nil for "extract"
	Size       int      // children at a time; 0 for 2

	FileTimeout time.Duration // for one file, whoever reads it; 0 for 30 seconds
	IdleTimeout time.Duration // 0 for a minute

	AllowUnfenced bool // read also on a Linux that cannot fence its readers
	Programs      Programs
	Log           *slog.Logger // nil for none

	once     sync.Once
	mu       sync.Mutex
	queue    slotQueue
	closed   chan struct{}
	warnOnce sync.Once
}

// Programs are other programs that read files, by their full paths; empty ones are not used. They run within the limits
// of a child and behind the fences that Become builds, and on Linux only.
type Programs struct {
	Pdftotext string // of poppler
	Catdoc    string
	Antiword  string
	// the operator asks for them, also on a system that can keep them from sockets and not from files (Landlock)
	IsExplicit bool
}

const (
	defaultPoolSize    = 2
	defaultFileTimeout = 30 * time.Second
	defaultIdleTimeout = time.Minute
	maxFilesPerChild   = 100
)

var errPoolClosed = errors.New("extract: the pool is closed")

func (p *Pool) setUp() {
	p.once.Do(func() {
		p.closed = make(chan struct{})
		p.queue = slotQueue{freeSlots: make([]*child, p.childCount()), runningByOwner: map[string]int{},
			lastTurnByOwner: map[string]int{}}
	})
}

func (p *Pool) childCount() int { return cmp.Or(p.Size, defaultPoolSize) }

// ReadFile reads a file as the function ReadFile does, in a child. The time for a file is shared by all programs that
// read it.
func (p *Pool) ReadFile(ctx context.Context, kind Kind, name string, data []byte) (draft.Document, error) {
	r := request{requestFile, string(kind), name, data}
	if p.Executable == "" {
		page, err := p.readInProcess(ctx, r)
		return page.Document, err
	}
	var doc draft.Document
	err := p.runInSlot(ctx, data, func(ctx context.Context, c *child) (*child, error) {
		page, c, err := p.readWithRetry(ctx, p.ownReaderTimeout(kind), c, r)
		doc, err = p.readAgain(ctx, kind, data, page.Document, err)
		return c, err
	})
	return doc, err
}

// ReadPage reads a page of a website as html.ReadPage does, in a child.
func (p *Pool) ReadPage(ctx context.Context, address, contentType string, body []byte) (page html.Page, err error) {
	r := request{requestPage, contentType, address, body}
	if keepsContacts(ctx) {
		r.ask = requestFrontPage
	}
	if p.Executable == "" {
		return p.readInProcess(ctx, r)
	}
	err = p.runInSlot(ctx, body, func(ctx context.Context, c *child) (*child, error) {
		page, c, err = p.readWithRetry(ctx, p.fileTimeout(), c, r)
		return c, err
	})
	return page, err
}

// Close ends the children once their files are read.
func (p *Pool) Close() error {
	p.setUp()
	select {
	case <-p.closed:
		return nil
	default:
		close(p.closed)
	}
	for range p.childCount() {
		if c := <-p.enqueue("", 0).slot; c != nil {
			c.Finish()
		}
	}
	return nil
}

func (p *Pool) fileTimeout() time.Duration { return cmp.Or(p.FileTimeout, defaultFileTimeout) }

// ownReaderTimeout returns our own reader's part of the time for a file: where another program reads files of the kind
// too, a third is left to it.
func (p *Pool) ownReaderTimeout(kind Kind) time.Duration {
	if p.Programs.canRead(kind) {
		return p.fileTimeout() * 2 / 3
	}
	return p.fileTimeout()
}

// runInSlot waits for a slot and reads the file there, in the time for one file. read returns the child that reads
// next, if any.
func (p *Pool) runInSlot(ctx context.Context, data []byte,
	read func(ctx context.Context, c *child) (*child, error)) error {
	if len(data) > draft.MaxFileBytes {
		return draft.NewError("the file is larger than %d MB", draft.MaxFileBytes>>20)
	}
	owner := ownerOf(ctx)
	c, err := p.takeSlot(ctx, owner, len(data))
	if err != nil {
		return err
	}
	timed, cancel := context.WithTimeoutCause(ctx, p.fileTimeout(), timeoutError(p.fileTimeout()))
	defer cancel()
	c, err = read(timed, c)
	p.releaseSlot(owner, c)
	return err
}

func (p *Pool) enqueue(owner string, size int) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queue.enqueue(owner, size)
}

// takeSlot waits for a slot.
func (p *Pool) takeSlot(ctx context.Context, owner string, size int) (*child, error) {
	p.setUp()
	select {
	case <-p.closed:
		return nil, errPoolClosed
	default:
	}
	w := p.enqueue(owner, size)
	select {
	case c := <-w.slot:
		if c != nil && !c.idleTimer.Stop() { // it is ending
			c = nil
		}
		return c, nil
	case <-p.closed:
		p.cancelWait(w)
		return nil, errPoolClosed
	case <-ctx.Done():
		p.cancelWait(w)
		return nil, ctx.Err()
	}
}

// cancelWait leaves a place in the queue, or the slot that has come meanwhile.
func (p *Pool) cancelWait(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.queue.remove(w) {
		p.queue.release(w.owner, <-w.slot)
	}
}

// releaseSlot takes the slot back. Its child ends when no file comes for a while.
func (p *Pool) releaseSlot(owner string, c *child) {
	if c != nil {
		c.idleTimer = time.AfterFunc(cmp.Or(p.IdleTimeout, defaultIdleTimeout), c.Finish)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.release(owner, c)
}

// readWithRetry reads with the child, or a new one, and returns which one may be used next, if any.
func (p *Pool) readWithRetry(ctx context.Context, share time.Duration, c *child, r request) (html.Page, *child, error) {
	timed, cancel := context.WithTimeoutCause(ctx, share, timeoutError(share))
	defer cancel()
	used := c != nil
	page, refused, c, err := p.readInChild(timed, c, r)
	if used && errors.Is(err, sandbox.ErrExited) { // the files that it had read before may be the cause
		page, refused, c, err = p.readInChild(timed, nil, r)
	}
	if err != nil {
		var known *draft.Error
		if p.Log != nil && errors.As(err, &known) {
			p.Log.WarnContext(ctx, "a reader of files was ended", "ask", r.ask, "kind", r.kind, "reason", known.Reason,
				"cause", known.Err)
		}
		return html.Page{}, c, err
	}
	return page, c, refused
}

// readInChild reads with the child, or a new one, and returns which one may be used next, if any.
func (p *Pool) readInChild(ctx context.Context, c *child,
	r request) (page html.Page, refused error, next *child, err error) {
	if c == nil {
		var known *draft.Error
		switch c, err = p.startChild(ctx); {
		case errors.As(err, &known):
			return page, nil, nil, known
		case err != nil && ctx.Err() != nil:
			return page, nil, nil, err
		case err != nil:
			return page, nil, nil, fmt.Errorf("start a reader of files: %w", err)
		}
	}
	page, refused, err = c.sendRequest(ctx, r)
	switch {
	case err != nil:
		c.Kill()
		return page, nil, nil, err
	case c.fileCount >= maxFilesPerChild, c.wantsReplacement:
		c.Finish()
		return page, refused, nil, nil
	}
	return page, refused, c, nil
}

// readInProcess reads in this process. A reader that does not end in time is left behind.
func (p *Pool) readInProcess(ctx context.Context, r request) (html.Page, error) {
	type result struct {
		page html.Page
		err  error
	}
	done := make(chan result, 1)
	go func() {
		page, err := answerRequest(r)
		done <- result{page, err}
	}()
	timed, cancel := context.WithTimeoutCause(ctx, p.fileTimeout(), timeoutError(p.fileTimeout()))
	defer cancel()
	select {
	case r := <-done:
		return r.page, r.err
	case <-timed.Done():
		return html.Page{}, endReason(timed)
	}
}

// endReason returns why reading must stop: its time is up, or the caller has cancelled it.
func endReason(ctx context.Context) error {
	var late *draft.Error
	if cause := context.Cause(ctx); errors.As(cause, &late) {
		return cause
	}
	return ctx.Err()
}

func timeoutError(limit time.Duration) *draft.Error {
	return draft.NewError("reading the file takes more than %s", limit)
}

// child is a running reader of files.
type child struct {
	*sandbox.Process
	idleTimer        *time.Timer
	fileCount        int
	wantsReplacement bool // it has asked to be replaced
}

// startChild starts a child and waits until it is ready.
func (p *Pool) startChild(ctx context.Context) (*child, error) {
	process, missing, err := sandbox.Start(ctx, p.command())
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, endReason(ctx)
	case err != nil:
		return nil, err
	}
	switch {
	case missing == "":
	case sandbox.OnLinux && !p.AllowUnfenced: // other systems have no fences, as the manual says
		process.Kill()
		return nil, &draft.Error{Reason: "files are not read, since this system cannot fence their readers",
			Err: errors.New(draft.ShortLine(missing))}
	case p.Log != nil:
		p.warnOnce.Do(func() {
			p.Log.WarnContext(ctx, "files are read with fewer limits than there should be", "cause", missing)
		})
	}
	return &child{Process: process}, nil
}

// command runs the extract command with more arguments.
func (p *Pool) command(more ...string) *exec.Cmd {
	args := p.Args
	if args == nil {
		args = []string{"extract"}
	}
	return sandbox.Command(p.Executable, slices.Concat(args, more)...)
}

// sendRequest sends the child a file and waits for its text. After an error the child is of no more use.
func (c *child) sendRequest(ctx context.Context, r request) (page html.Page, refused, err error) {
	stop := context.AfterFunc(ctx, c.Kill)
	defer stop()
	c.fileCount++
	err = c.Send([]byte(r.ask), []byte(r.kind), []byte(r.name), r.data)
	if err == nil || c.WaitForExit(time.Second) {
		page, c.wantsReplacement, refused, err = readReply(c.Output())
	}
	switch {
	case err == nil:
		return page, refused, nil
	case ctx.Err() != nil:
		return page, nil, endReason(ctx)
	}
	c.Kill()
	return page, nil, c.ExitError(err)
}
