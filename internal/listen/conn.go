package listen

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"
)

// Conn is a connection in a table. It is nil for a request within the process.
type Conn struct {
	halfCloser
	table   *ConnTable
	address netip.Addr // zero if addresses are not counted

	// Used by the goroutine that serves the connection, and by the one that reads for it meanwhile.
	headerBuffer headerBuffer
	answering    bool // a request is read, and its answer not yet written
	trusted      bool // a request of it was admitted
	probe        probe
	unread       []byte  // what was read ahead while the connection was detached
	oneByte      [1]byte // holds it
	reset        error   // of the client; the system tells it once

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
		c.probe.update(false, false)
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
	if len(c.unread) > 0 {
		n := copy(p, c.unread)
		c.unread = c.unread[n:]
		c.headerBuffer.record(p[:n])
		return n, nil
	}
	n, err := c.halfCloser.Read(p)
	if n == 0 && len(p) == 1 && c.answering && errors.Is(err, io.EOF) {
		stop := c.probe.begin(c.halfCloser)
		defer stop()
		return 0, c.awaitReset()
	}
	c.headerBuffer.record(p[:n])
	return n, err
}

// awaitReset waits until the client resets the connection, or a deadline is over.
func (c *Conn) awaitReset() error {
	if c.reset != nil {
		return c.reset
	}
	err := awaitReset(c.halfCloser)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		c.reset = err
	}
	return err
}

// Write writes a part of an answer, which the client must receive within a bounded time. The connection of a client
// that has not authenticated and does not receive it may be closed for another.
func (c *Conn) Write(p []byte) (int, error) {
	if c.headerBuffer.hijacked {
		return c.halfCloser.Write(p) // it has bounds of its own
	}
	c.probe.update(false, true)
	if err := c.SetWriteDeadline(deadlineIn(writeTime)); err != nil {
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

// deadlineIn returns the time d from now by the machine's clock, which the kernel uses for deadlines.
func deadlineIn(d time.Duration) time.Time { return time.Now().Add(d) }

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
		c.probe.update(true, false)
	}
}

// IsSpare reports whether the connection is beyond the bound, where only health checks are answered.
func (c *Conn) IsSpare() bool {
	if c == nil {
		return false
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	return c.isSpare
}

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

// probeText is sent to find out whether a client is there. Clients of HTTP/1.1 ignore any number of such interim
// responses.
const probeText = "HTTP/1.1 100 Continue\r\n\r\n"

// probeWait is how long a client that has closed its half waits for its answer before it is probed. The waits between
// probes double.
const (
	probeWait = time.Second
	maxProbes = 8
)

// probe asks a client that has closed its half whether it has closed the other one too. A machine whose program has
// closed the connection answers whatever is sent to it with a reset.
type probe struct {
	mu       sync.Mutex
	allowed  bool // the request is of a version that knows interim answers
	hasBegun bool // the answer has begun: it is a probe itself
}

func (p *probe) update(allowed, hasBegun bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allowed, p.hasBegun = allowed, hasBegun
}

// begin probes until stop is called or the answer begins. After stop nothing is sent.
func (p *probe) begin(to io.Writer) (stop func()) {
	stopped, sent, wait := false, 0, probeWait
	var timer *time.Timer
	p.mu.Lock()
	defer p.mu.Unlock()
	timer = time.AfterFunc(wait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if stopped || p.hasBegun || sent == maxProbes {
			return
		}
		if p.allowed {
			_, _ = io.WriteString(to, probeText) // the reader of the connection gets the failure
		}
		sent, wait = sent+1, 2*wait
		timer.Reset(wait)
	})
	return func() {
		timer.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		stopped = true
	}
}

// readAheadBytes is the most that net/http reads ahead of what it looks at.
const readAheadBytes = 4 << 10

// headerBuffer holds what a connection has read last: the header of the request that is served, or was served last.
type headerBuffer struct {
	buf            []byte
	start          int  // where the bytes since the last answer begin
	headerComplete bool // the header is complete
	hijacked       bool // the connection is no longer HTTP
}

func (h *headerBuffer) record(b []byte) {
	switch {
	case h.hijacked:
	case !h.headerComplete:
		h.buf = append(h.buf, b[:min(len(b), max(0, maxHeaderBytes+2*readAheadBytes-len(h.buf)))]...)
	case len(h.buf)+len(b) > maxHeaderBytes+2*readAheadBytes: // a long body: the bytes before it are dropped
		b = b[max(0, len(b)-readAheadBytes):]
		h.buf = append(h.buf[:0], h.buf[len(h.buf)-min(len(h.buf), readAheadBytes-len(b)):]...)
		h.buf = append(h.buf, b...)
		h.start = 0
	case len(b) > readAheadBytes:
		h.buf = append(h.buf[:0], b[len(b)-readAheadBytes:]...)
		h.start = 0
	default:
		h.buf = append(h.buf, b...)
	}
}

// nextHeader prepares for the next header, which may have been read in part, or as a whole, behind the last request.
func (h *headerBuffer) nextHeader() {
	last := h.buf[max(0, len(h.buf)-readAheadBytes):]
	if cap(h.buf) > 4*readAheadBytes {
		h.buf = bytes.Clone(last)
	} else {
		h.buf = append(h.buf[:0], last...)
	}
	h.start, h.headerComplete = len(h.buf), false
}

// hasBothLengths reports whether the header below that line has Content-Length and Transfer-Encoding. Where other
// requests precede it, each place that looks like it is checked.
func (h *headerBuffer) hasBothLengths(line string) bool {
	header := bytes.TrimLeft(h.buf[h.start:], "\r\n")
	if bytes.HasPrefix(header, []byte(line)) {
		return hasBothLengthHeaders(header)
	}
	found := false
	for rest := h.buf; ; {
		at := bytes.Index(rest, []byte(line))
		if at < 0 {
			return !found // a header that is not there cannot be trusted
		}
		found = true
		if hasBothLengthHeaders(rest[at:]) {
			return true
		}
		rest = rest[at+len(line):]
	}
}

func hasBothLengthHeaders(header []byte) bool {
	length, coding := false, false
	for line := range bytes.Lines(header) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, _, _ := bytes.Cut(line, []byte(":"))
		length = length || bytes.EqualFold(name, []byte("Content-Length"))
		coding = coding || bytes.EqualFold(name, []byte("Transfer-Encoding"))
	}
	return length && coding
}
