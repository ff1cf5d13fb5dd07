package chat

import "strings"

// newlines makes every line of a text that comes in pieces end with \n, whatever it ended with, so that it can be shown where a
// \r cannot: server-sent events know no line ends but their own. Bytes that are no UTF-8 become U+FFFD.
type newlines struct {
	after bool // the piece before ended with \r, so that a \n is no line end of its own
	read  int  // bytes of all pieces
	shift []shift
}

// shift says that what stood behind a place has moved by so many bytes.
type shift struct{ at, by int }

// piece gives the next piece as it is shown and kept; it may be empty.
func (n *newlines) piece(text string) string {
	if !n.after && strings.IndexByte(text, '\r') < 0 {
		n.read += len(text)
		return n.valid(text)
	}
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n' && n.after:
			n.shift = append(n.shift, shift{n.read + i, -1})
			n.after = false
		case c == '\r':
			b.WriteByte('\n')
			n.after = true
		default:
			b.WriteByte(c)
			n.after = false
		}
	}
	n.read += len(text)
	return n.valid(b.String())
}

// valid is text without what is no UTF-8.
func (n *newlines) valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// place gives where a place of the text as it came is now.
func (n *newlines) place(at int) int {
	moved := at
	for _, s := range n.shift {
		if s.at < at {
			moved += s.by
		}
	}
	return moved
}
