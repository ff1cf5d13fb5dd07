package uistream

import (
	"context"
	"errors"
	"io"

	"parley/internal/httpapi"
)

// Lanes is a feed of several answers in one stream, whose events come as each answer goes on.
type Lanes struct {
	out    *httpapi.Stream
	open   []*Writer // of the answers that go on
	all    []*Writer
	wake   chan struct{}
	isOver bool // the end is marked
}

// NewLanes returns the feed of writers that have lanes.
func NewLanes(out *httpapi.Stream, writers ...*Writer) *Lanes {
	l := &Lanes{out: out, open: writers, all: writers, wake: make(chan struct{}, 1)}
	for _, w := range writers {
		w.Notify(l.notify)
	}
	return l
}

func (l *Lanes) notify() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// SendNext implements httpapi.Feed.
func (l *Lanes) SendNext(ctx context.Context) error {
	for {
		isSent, err := l.sendPending()
		switch {
		case err != nil || isSent:
			return err
		case l.isOver:
			return io.EOF
		case len(l.open) == 0:
			l.isOver = true
			SendEnd(l.out)
			return l.out.Flush()
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sendPending sends what the answers have, without waiting for more.
func (l *Lanes) sendPending() (isSent bool, err error) {
	var open []*Writer
	for _, w := range l.open {
		err := w.SendNext(ended)
		switch {
		case errors.Is(err, io.EOF):
			continue
		case err == nil:
			isSent = true
		case !errors.Is(err, context.Canceled):
			return isSent, err
		}
		open = append(open, w)
	}
	l.open = open
	return isSent, nil
}

// Close implements httpapi.Feed.
func (l *Lanes) Close() {
	for _, w := range l.all {
		w.Close()
	}
}

// ended is a context that has ended: what is asked with it does not wait.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()
