package chat

import "strings"

// newlineNormalizer makes every line of a text that comes in pieces end with \n, whatever it ended with, so that it can be shown where a
// \r cannot: server-sent events know no line ends but their own. Bytes that are no UTF-8 become U+FFFD.
type newlineNormalizer struct {
	pendingCR bool // the piece before ended with \r, so that a \n is no line end of its own
	bytesRead int  // bytes of all pieces
	shifts    []offsetShift
}

// offsetShift says that what stood behind a place has moved by so many bytes.
type offsetShift struct{ offset, delta int }

// normalize returns the next piece as it is shown and kept; it may be empty.
func (n *newlineNormalizer) normalize(text string) string {
	if !n.pendingCR && strings.IndexByte(text, '\r') < 0 {
		n.bytesRead += len(text)
		return n.validUTF8(text)
	}
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n' && n.pendingCR:
			n.shifts = append(n.shifts, offsetShift{n.bytesRead + i, -1})
			n.pendingCR = false
		case c == '\r':
			b.WriteByte('\n')
			n.pendingCR = true
		default:
			b.WriteByte(c)
			n.pendingCR = false
		}
	}
	n.bytesRead += len(text)
	return n.validUTF8(b.String())
}

// validUTF8 is text without what is no UTF-8.
func (n *newlineNormalizer) validUTF8(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// mapOffset returns where a place of the text as it came is now.
func (n *newlineNormalizer) mapOffset(at int) int {
	moved := at
	for _, s := range n.shifts {
		if s.offset < at {
			moved += s.delta
		}
	}
	return moved
}
