package stream

import "bytes"

// thoughtFilter leaves out the <think>…</think> with which some open models begin their answers.
type thoughtFilter struct {
	pending []byte // may still become, or end, a thought
	blank   int    // bytes of white space that what is held begins with
	state   byte   // 0 before the answer, 't' inside a thought, 'g' in the white space after it, 'a' in the answer
}

const (
	thinkStart = "<think>"
	thinkEnd   = "</think>"
)

// strip returns what of the piece belongs to the answer; it may point into the piece.
func (t *thoughtFilter) strip(piece []byte) []byte {
	if t.state == 'a' {
		return piece
	}
	piece = append(t.pending, piece...)
	t.pending = nil
	if t.state == 0 {
		start := bytes.TrimLeft(piece[t.blank:], " \t\r\n")
		t.blank = len(piece) - len(start)
		switch {
		case bytes.HasPrefix(start, []byte(thinkStart)):
			t.state, piece = 't', start[len(thinkStart):]
		case len(start) < len(thinkStart) && bytes.HasPrefix([]byte(thinkStart), start):
			t.pending = piece
			return nil
		}
	}
	if t.state == 't' {
		_, rest, over := bytes.Cut(piece, []byte(thinkEnd))
		if !over {
			t.pending = bytes.Clone(piece[max(0, len(piece)-len(thinkEnd)+1):])
			return nil
		}
		t.state, piece = 'g', rest
	}
	if t.state == 'g' {
		if piece = bytes.TrimLeft(piece, " \t\r\n"); len(piece) == 0 {
			return nil
		}
	}
	t.state = 'a'
	return piece
}

// flush returns what was held back and turned out to be the answer.
func (t *thoughtFilter) flush() []byte {
	if t.state != 0 {
		return nil
	}
	return t.pending
}
