package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"parley/internal/listen"
)

// Feed is what a stream goes on with after its beginning.
type Feed interface {
	// SendNext waits for what there is to send next, and sends it. It fails at the end and when the client is gone;
	// when ctx ends first, it fails with ctx's error, and the next call goes on.
	SendNext(ctx context.Context) error

	Close()
}

// Notifier is a feed that tells when there is something to send. A silent stream of it needs one goroutine, not two,
// and none of its events needs a context. SendNext with a context that has ended sends what there is and does not wait.
type Notifier interface {
	Feed

	// Notify calls wake after there is something new, until the feed is closed. Wake does not wait.
	Notify(wake func())
}

// following is a stream that is sent after its handler has returned.
type following struct {
	stream   *Stream
	interval time.Duration // of silence, after which a ping is sent
	feed     Feed
	signals  chan struct{}                   // says that a Notifier has something to send; nil until it is asked to
	detached atomic.Pointer[listen.Detached] // is woken instead, once there is one
}

// Follow sends what the feed has, with a ping after each interval of silence, and closes the feed. It is the last that
// a handler does. Without an Idempotency-Key the sending begins when the handler has returned: a silent stream then
// holds neither the handler's stack nor, after its first silence, the request and the buffers of net/http.
func (c *Call) Follow(s *Stream, interval time.Duration, f Feed) {
	next := &following{stream: s, interval: interval, feed: f}
	if c.mayReturnEarly {
		c.rec.following = next
		return
	}
	defer f.Close()
	for next.sendAttached(c.Request.Context()) {
		continue
	}
}

// sendAttached is send while net/http has the connection.
func (f *following) sendAttached(ctx context.Context) (isSilent bool) {
	if n, ok := f.feed.(Notifier); ok {
		return f.sendOnSignal(ctx, n)
	}
	return f.send(ctx)
}

// sendOnSignal is send of a feed that tells when there is something to send.
func (f *following) sendOnSignal(ctx context.Context, feed Notifier) (isSilent bool) {
	f.askForSignals(feed)
	silence := time.NewTimer(f.interval)
	defer silence.Stop()
	for f.stream.rec.failure == nil {
		err := feed.SendNext(ended)
		if err == nil {
			silence.Reset(f.interval)
			continue
		}
		if !errors.Is(err, context.Canceled) {
			return false
		}
		select {
		case <-f.signals:
		case <-silence.C:
			return f.stream.Ping() == nil
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// askForSignals has the feed signal what is new.
func (f *following) askForSignals(feed Notifier) {
	if f.signals == nil {
		f.signals = make(chan struct{}, 1)
		feed.Notify(f.signal)
	}
}

// signal wakes whoever sends the stream. It does not wait.
func (f *following) signal() {
	if d := f.detached.Load(); d != nil {
		d.Wake()
		return
	}
	select {
	case f.signals <- struct{}{}:
	default: // there is one already
	}
}

// send sends until the stream has been silent for an interval, when it returns true, or until its end.
func (f *following) send(ctx context.Context) (isSilent bool) {
	for f.stream.rec.failure == nil {
		isLate, err := Await(ctx, f.interval, f.feed.SendNext)
		if isLate {
			return f.stream.Ping() == nil
		}
		if err != nil {
			return false
		}
	}
	return false
}

// serveFollowing sends the stream that the handler has left to be sent.
func (a *API) serveFollowing(rec *recorder, r *http.Request) {
	f := rec.following
	if f == nil {
		return
	}
	isDetached := false
	defer func() {
		if !isDetached {
			f.feed.Close()
		}
	}()
	for f.sendAttached(r.Context()) {
		if d := rec.detach(r); d != nil {
			isDetached = true
			go a.serveDetached(rec, r.Method, d)
			return
		}
	}
	clearWriteDeadline(http.NewResponseController(rec))
}

// detach takes the response out of net/http's hands where that is possible.
func (rec *recorder) detach(r *http.Request) *listen.Detached {
	if rec.conn == nil || rec.bodyUnread {
		return nil
	}
	d := rec.conn.Detach(rec, r)
	if d == nil {
		return nil
	}
	rec.ResponseWriter, rec.ctx, rec.conn = detachedWriter{d}, context.Background(), nil
	rec.following.stream.buf = nil
	rec.isDetached = true
	return d
}

// detachedWriter writes to a detached connection. The header has been sent.
type detachedWriter struct{ *listen.Detached }

func (detachedWriter) Header() http.Header              { return http.Header{} }
func (detachedWriter) WriteHeader(int)                  {}
func (detachedWriter) SetWriteDeadline(time.Time) error { return nil } // each write sets its own
func (detachedWriter) FlushError() error                { return nil }

// serveDetached sends the rest of a detached stream.
func (a *API) serveDetached(rec *recorder, method string, d *listen.Detached) {
	d.End(a.sendDetached(rec, method, d))
}

func (a *API) sendDetached(rec *recorder, method string, d *listen.Detached) (isComplete bool) {
	f := rec.following
	defer func() {
		var stack []byte
		if p := recover(); p != nil {
			stack = debug.Stack()
			rec.failure = fmt.Errorf("panic: %v", p)
		}
		f.feed.Close()
		a.Observer.requestEnded(rec, method, a.Now)
		a.logRequest(rec, method, stack)
		isComplete = isComplete && rec.failure == nil
	}()
	if n, ok := f.feed.(Notifier); ok {
		isNext, err := f.sendNotified(n, d)
		if !isNext || err != nil {
			return err == nil
		}
	}
	client := d.Watch()
	for f.send(client) {
		continue
	}
	return client.Err() == nil
}

// sendNotified sends until the end, when it returns false, or until there is nothing to wait for between two events. It
// fails when the client is gone.
func (f *following) sendNotified(feed Notifier, d *listen.Detached) (isNext bool, err error) {
	f.detached.Store(d)
	f.askForSignals(feed)
	pingAt := deadlineIn(f.interval)
	for f.stream.rec.failure == nil && !isNext {
		if err := d.SetAlarm(pingAt); err != nil { // before the feed is asked: what comes then wakes
			return false, err
		}
		err := feed.SendNext(ended)
		switch {
		case err == nil:
			pingAt = deadlineIn(f.interval)
			continue
		case !errors.Is(err, context.Canceled):
			return false, nil
		}
		if isNext, err = d.Wait(); err != nil {
			return false, err
		}
		if !deadlineIn(0).Before(pingAt) {
			_ = f.stream.Ping() // the stream remembers the failure
			pingAt = deadlineIn(f.interval)
		}
	}
	return isNext, nil
}

// ended is a context that has ended: what is asked with it does not wait.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()
