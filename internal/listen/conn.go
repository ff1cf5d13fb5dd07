package listen

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"
)

// Conn is a connection in a table. It is nil for a request within the process.
type Conn struct {
	halfCloser
	table   *ConnTable
	address netip.Addr // zero where addresses are not counted

	// Used by the goroutine that serves the connection, and by the one that reads for it meanwhile.
	headerBuffer headerBuffer
	answering    bool // a request is read, and its answer not yet written
	trusted      bool // a request of it was admitted
	probe        probe

	// Under the table's lock.
	prev, next *Conn
	isSpare    bool
	closed     bool
}

// onStateChange follows the states of the connection that net/http reports.
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

// Read reads from the connection. While a request is answered, net/http reads one byte ahead, and takes the end of what
// the client sends for a closed connection, which cancels the request. But a client that has closed its half still
// waits for the answer. So that read goes on until the client resets the connection, or net/http ends it with a
// deadline.
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

// Write writes a part of an answer, which the client must receive within a bounded time. The connection of a client
// that has not authenticated and does not receive it may be closed for another.
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

// Close closes the connection and frees its place.
func (c *Conn) Close() error {
	c.table.remove(c)
	return c.halfCloser.Close()
}

// MarkTrusted records that a request of this connection was admitted: it is among the last to be closed for others.
func (c *Conn) MarkTrusted() {
	if c != nil {
		c.trusted = true
	}
}

// Serve records which request is being answered.
func (c *Conn) Serve(r *http.Request) {
	if c != nil && r.ProtoAtLeast(1, 1) {
		c.probe.allow()
	}
}

// IsSpare reports whether the connection is beyond the bound, where only health checks are answered.
func (c *Conn) IsSpare() bool { return c != nil && c.table.isSpare(c) }

// Finish closes the sending half: everything has been written and flushed. What the client may still send does not
// matter, and the connection may be closed for another.
func (c *Conn) Finish() {
	if c != nil {
		_ = c.CloseWrite() // an error means that the client is gone
		c.table.markEvictable(c)
	}
}

// HasAmbiguousLength reports whether the header of the request states the length of the body in two ways, of which
// net/http shows one. Call it before the body is read.
func (c *Conn) HasAmbiguousLength(r *http.Request) bool {
	hasLength := len(r.TransferEncoding) > 0 || r.ProtoMinor == 0 && r.ContentLength > 0
	return c != nil && hasLength && c.headerBuffer.hasBothLengths(r.Method+" "+r.RequestURI+" "+r.Proto)
}
