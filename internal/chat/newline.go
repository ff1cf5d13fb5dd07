package chat

import "strings"

// newlineNormalizer converts the line ends of a text that comes in pieces to \n: server-sent events cannot carry a \r.
// Bytes that are not UTF-8 become U+FFFD.
type newlineNormalizer struct {
	pendingCR bool // the piece before ended with \r, so that a \n belongs to it
	bytesRead int  // bytes of all pieces
	shifts    []offsetShift
}

// offsetShift says that what follows offset has moved by delta bytes.
type offsetShift struct{ offset, delta int }

// normalize returns the next piece in its final form; it may be empty.
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

// validUTF8 replaces what is not UTF-8.
func (n *newlineNormalizer) validUTF8(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// mapOffset converts an offset in the original text to one in the normalized text.
func (n *newlineNormalizer) mapOffset(at int) int {
	moved := at
	for _, s := range n.shifts {
		if s.offset < at {
			moved += s.delta
		}
	}
	return moved
}
