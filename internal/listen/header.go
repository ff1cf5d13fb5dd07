package listen

import "bytes"

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
