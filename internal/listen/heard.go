package listen

import "bytes"

// window is the most that net/http reads ahead of what it looks at.
const window = 4 << 10

// heard keeps what a connection has read lately: the header of the request that is served, or was served last.
type heard struct {
	text []byte
	from int  // where what has been read since the last answer begins
	body bool // the header is complete
	deaf bool // the connection is no longer HTTP
}

func (h *heard) add(b []byte) {
	switch {
	case h.deaf:
	case !h.body:
		h.text = append(h.text, b[:min(len(b), max(0, mostHeader+2*window-len(h.text)))]...)
	case len(h.text)+len(b) > mostHeader+2*window: // a long body: what stands before it is out of reach
		b = b[max(0, len(b)-window):]
		h.text = append(h.text[:0], h.text[len(h.text)-min(len(h.text), window-len(b)):]...)
		h.text = append(h.text, b...)
		h.from = 0
	case len(b) > window:
		h.text = append(h.text[:0], b[len(b)-window:]...)
		h.from = 0
	default:
		h.text = append(h.text, b...)
	}
}

// begin waits for the next header. It may have been read in part, or as a whole, behind the last request.
func (h *heard) begin() {
	last := h.text[max(0, len(h.text)-window):]
	if cap(h.text) > 4*window {
		h.text = bytes.Clone(last)
	} else {
		h.text = append(h.text[:0], last...)
	}
	h.from, h.body = len(h.text), false
}

// both reports whether the header below that line has Content-Length and Transfer-Encoding. Where other requests
// stand before it, each place that looks like it is judged.
func (h *heard) both(line string) bool {
	header := bytes.TrimLeft(h.text[h.from:], "\r\n")
	if bytes.HasPrefix(header, []byte(line)) {
		return twoLengths(header)
	}
	found := false
	for rest := h.text; ; {
		at := bytes.Index(rest, []byte(line))
		if at < 0 {
			return !found // a header that is not there cannot be trusted
		}
		found = true
		if twoLengths(rest[at:]) {
			return true
		}
		rest = rest[at+len(line):]
	}
}

func twoLengths(header []byte) bool {
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
