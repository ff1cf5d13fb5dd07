package extract

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"time"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	"parley/internal/ingest/extract/sandbox"
)

// child is a running reader of files.
type child struct {
	*sandbox.Process
	idleTimer *time.Timer
	fileCount int
	isTired   bool // it has asked to be replaced
}

// startChild starts a child and waits until it is ready.
func (p *Pool) startChild(ctx context.Context) (*child, error) {
	process, lacks, err := sandbox.Start(ctx, p.command())
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, endReason(ctx)
	case err != nil:
		return nil, err
	}
	switch {
	case lacks == "":
	case sandbox.OnLinux && !p.AllowUnfenced: // other systems have no fences, as the manual says
		process.Kill()
		return nil, &draft.Error{Reason: "files are not read, since this system cannot fence their readers",
			Err: errors.New(draft.ShortLine(lacks))}
	case p.Log != nil:
		p.warnOnce.Do(func() {
			p.Log.WarnContext(ctx, "files are read with fewer limits than there should be", "cause", lacks)
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
		page, c.isTired, refused, err = readReply(c.Output())
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
