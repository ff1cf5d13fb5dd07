package listen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// Detached is a connection that net/http has begun to send a response on, in chunks, and that is out of its hands until
// the response ends. While nothing is sent it needs a fraction of the memory: no buffers, no request, one small
// goroutine that waits for the client. It either calls Wait, or Watch once.
type Detached struct {
	conn    *Conn
	server  *http.Server
	isLast  bool          // the connection is closed after the response
	watched chan struct{} // closed when Watch has ended; nil if it was not called
}

// Detach takes the connection out of net/http's hands. The header must have been sent with status 200 and without a
// length, and the body of the request read to its end. It returns nil where that is impossible: then nothing has
// changed. Otherwise the handler must return without another use of the response.
func (c *Conn) Detach(w http.ResponseWriter, r *http.Request) *Detached {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if c == nil || !ok || !r.ProtoAtLeast(1, 1) || r.ProtoMajor != 1 || r.Method == http.MethodHead {
		return nil
	}
	isLast := r.Close || w.Header().Get("Connection") != ""
	c.table.addDetached(1)
	_, ahead, err := http.NewResponseController(w).Hijack()
	if err != nil {
		c.table.addDetached(-1)
		return nil
	}
	if n := ahead.Reader.Buffered(); n > 0 {
		next, _ := ahead.Peek(n) // they are there
		c.unread = bytes.Clone(next)
	}
	return &Detached{conn: c, server: server, isLast: isLast}
}

// SetAlarm sets when Wait returns.
func (d *Detached) SetAlarm(at time.Time) error { return d.conn.SetReadDeadline(at) }

// Wake makes Wait return now. Any goroutine may call it, until End.
func (d *Detached) Wake() { _ = d.conn.SetReadDeadline(longAgo) } // an error means that the client is gone

var longAgo = time.Unix(1, 0)

// Wait waits until it is woken. It fails when the client is gone. isNext reports that the client's next request has
// come: there is nothing to wait for any more.
func (d *Detached) Wait() (isNext bool, err error) {
	if len(d.conn.unread) > 0 {
		return true, nil
	}
	err = d.conn.readAhead()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return false, nil
	}
	return err == nil, err
}

// Watch returns a context that ends when the client is gone. It takes another goroutine.
func (d *Detached) Watch() context.Context {
	client, markEnd := context.WithCancel(context.Background())
	d.watched = make(chan struct{})
	go func() {
		defer close(d.watched)
		if _, err := d.Wait(); err != nil {
			markEnd()
		}
	}()
	return client
}

// readAhead waits for a byte of the next request and keeps it for Read. A client that has closed its half still waits
// for the answer: it is gone when it resets the connection.
func (c *Conn) readAhead() error {
	b := c.oneByte[:]
	switch n, err := c.halfCloser.Read(b); {
	case n > 0:
		c.unread = b
		return nil
	case errors.Is(err, io.EOF):
		return c.awaitReset()
	default:
		return err
	}
}

// Write sends one chunk of the body.
func (d *Detached) Write(body []byte) (int, error) {
	if len(body) == 0 { // an empty chunk would be the end
		return 0, nil
	}
	chunk := make([]byte, 0, len(body)+16)
	chunk = fmt.Appendf(chunk, "%x\r\n", len(body))
	chunk = append(append(chunk, body...), "\r\n"...)
	if err := d.send(chunk); err != nil {
		return 0, err
	}
	return len(body), nil
}

func (d *Detached) send(b []byte) error {
	if err := d.conn.SetWriteDeadline(deadlineIn(writeTime)); err != nil {
		return err
	}
	_, err := d.conn.Write(b)
	return err
}

// End ends the response. A complete one gets its last chunk, and its connection serves the client's next request; a
// client must not take an incomplete one for the whole, so its connection is closed. So is that of a client that is
// gone.
func (d *Detached) End(isComplete bool) {
	if isComplete {
		isComplete = d.send([]byte("0\r\n\r\n")) == nil
	}
	if d.watched != nil {
		d.Wake()
		<-d.watched
	}
	d.conn.table.addDetached(-1)
	if !isComplete || d.isLast || d.awaitRequest() != nil {
		_ = d.conn.Close() // it is closed, whatever the error
		return
	}
	d.serveNext()
}

// awaitRequest waits for the next request. Meanwhile the connection is idle: it may be closed for another.
func (d *Detached) awaitRequest() error {
	c := d.conn
	if len(c.unread) > 0 {
		return c.SetDeadline(time.Time{})
	}
	if err := c.SetDeadline(deadlineIn(idleTimeout)); err != nil {
		return err
	}
	c.table.markIdle(c)
	defer c.table.markBusy(c)
	n, err := c.halfCloser.Read(c.oneByte[:])
	if n == 0 {
		return err
	}
	c.unread = c.oneByte[:]
	return c.SetDeadline(time.Time{})
}

// serveNext returns the connection to its server. A server that is stopping does not take it.
func (d *Detached) serveNext() {
	l := &singleListener{conn: d.conn}
	d.conn.headerBuffer = headerBuffer{}
	_ = d.server.Serve(l) // it ends at once: there is one connection
	if l.conn != nil {
		_ = d.conn.Close()
	}
}

// singleListener is a listener of one connection.
type singleListener struct{ conn *Conn }

func (l *singleListener) Accept() (net.Conn, error) {
	c := l.conn
	if c == nil {
		return nil, io.EOF
	}
	l.conn = nil
	return c, nil
}

func (l *singleListener) Close() error   { return nil }
func (l *singleListener) Addr() net.Addr { return &net.TCPAddr{} }

func (t *ConnTable) addDetached(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.detached += n
}

// detachedCheckInterval is how often AwaitDetached looks.
const detachedCheckInterval = 20 * time.Millisecond

// AwaitDetached waits until the responses of all detached connections have ended.
func (t *ConnTable) AwaitDetached(ctx context.Context) error {
	ticker := time.NewTicker(detachedCheckInterval)
	defer ticker.Stop()
	for {
		t.mu.Lock()
		n := t.detached
		t.mu.Unlock()
		if n == 0 {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
