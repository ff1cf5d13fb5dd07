package listen

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"
)

// Conn is a connection in a table. A nil one is that of a request within the process.
type Conn struct {
	halfCloser
	table   *ConnTable
	address netip.Addr // zero where addresses are not counted

	// Of the goroutine that serves the connection, and of the one that reads for it meanwhile.
	headerBuffer headerBuffer
	answering    bool // a request is read, and its answer not yet written
	trusted      bool // a request of it was let in
	probe        probe

	// Under the table's lock.
	prev, next *Conn
	isSpare    bool
	closed     bool
}

// onStateChange takes note of what the connection does, as net/http tells it.
func (c *Conn) onStateChange(state http.ConnState) {
	switch state {
	case http.StateActive:
		c.answering = true
		c.headerBuffer.headerComplete = true
		c.probe.reset()
		c.table.markBusy(c)
	case http.StateIdle:
		c.answering = false
		c.headerBuffer.nextHeader()
		c.table.markIdle(c)
	case http.StateHijacked:
		c.answering = false
		c.headerBuffer = headerBuffer{hijacked: true}
	case http.StateNew, http.StateClosed:
	}
}

// Read reads. While a request is answered, net/http reads one byte ahead, and takes the end of what the client sends
// for the client's own end, which cancels the request. But a client that has closed its half still waits for the
// answer. So that read goes on until the client resets the connection, or net/http calls it off with a deadline.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.halfCloser.Read(p)
	if n == 0 && len(p) == 1 && c.answering && errors.Is(err, io.EOF) {
		stop := c.probe.begin(c.halfCloser)
		defer stop()
		return 0, awaitReset(c.halfCloser)
	}
	c.headerBuffer.record(p[:n])
	return n, err
}

// Write writes a part of an answer, for which the client has a bounded time. The connection of a stranger that does not take it in waits for
// nothing else, and may be closed for another.
func (c *Conn) Write(p []byte) (int, error) {
	if c.headerBuffer.hijacked {
		return c.halfCloser.Write(p) // it has bounds of its own
	}
	c.probe.end()
	if err := c.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return 0, err
	}
	if !c.trusted {
		c.table.markEvictable(c)
		if c.answering {
			defer c.table.markBusy(c)
		}
	}
	return c.halfCloser.Write(p)
}

// Close closes the connection and gives its place away.
func (c *Conn) Close() error {
	c.table.remove(c)
	return c.halfCloser.Close()
}

// MarkTrusted says that a request of this connection was let in: it is among the last to be closed when others want in.
func (c *Conn) MarkTrusted() {
	if c != nil {
		c.trusted = true
	}
}

// Serve says which request is being answered.
func (c *Conn) Serve(r *http.Request) {
	if c != nil && r.ProtoAtLeast(1, 1) {
		c.probe.allow()
	}
}

// IsSpare reports a connection beyond the bound, which is there for the question whether the server lives.
func (c *Conn) IsSpare() bool { return c != nil && c.table.isSpare(c) }

// Finish ends what is sent to the client: everything has been written and flushed. What the client may still send is
// of no interest, and the connection may be closed for another.
func (c *Conn) Finish() {
	if c != nil {
		_ = c.CloseWrite() // a client that is gone has heard enough
		c.table.markEvictable(c)
	}
}

// HasAmbiguousLength reports that the header of the request tells the length of the body in two ways, of which net/http shows
// one. It is asked before the body is read.
func (c *Conn) HasAmbiguousLength(r *http.Request) bool {
	hasLength := len(r.TransferEncoding) > 0 || r.ProtoMinor == 0 && r.ContentLength > 0
	return c != nil && hasLength && c.headerBuffer.hasBothLengths(r.Method+" "+r.RequestURI+" "+r.Proto)
}
