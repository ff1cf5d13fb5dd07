package stream

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// utf8Repairer makes valid UTF-8 of a text that arrives in pieces. A code point, or a surrogate pair, that is split
// over two pieces is put together; what is no text becomes U+FFFD, and so does NUL, which databases refuse.
type utf8Repairer struct {
	pending    [6]byte
	pendingLen int
}

func (u *utf8Repairer) appendValid(dst, src []byte) []byte {
	if u.pendingLen == 0 && utf8.Valid(src) && bytes.IndexByte(src, 0) < 0 {
		return append(dst, src...)
	}
	if u.pendingLen > 0 {
		src = append(u.pending[:u.pendingLen:u.pendingLen], src...)
		u.pendingLen = 0
	}
	for len(src) > 0 {
		if isIncompleteRune(src) {
			u.pendingLen = copy(u.pending[:], src)
			break
		}
		c, size := decodeRune(src)
		dst = utf8.AppendRune(dst, c)
		src = src[size:]
	}
	return dst
}

// flush returns what stands for a last code point that never became whole.
func (u *utf8Repairer) flush() []byte {
	if u.pendingLen == 0 {
		return nil
	}
	u.pendingLen = 0
	return []byte("\uFFFD")
}

// isIncompleteRune reports whether b is the beginning of something that more bytes could complete.
func isIncompleteRune(b []byte) bool {
	if len(b) >= 6 {
		return false
	}
	if isSurrogateHalf(b, 0xA0) {
		return len(b) <= 3 || len(b) == 4 && b[3] == 0xED || len(b) == 5 && isSurrogateHalf(b[3:], 0xB0)
	}
	return !utf8.FullRune(b) || len(b) == 2 && b[0] == 0xED && b[1]&0xE0 == 0xA0
}

func decodeRune(b []byte) (rune, int) {
	if b[0] == 0 {
		return utf8.RuneError, 1
	}
	if !isSurrogateHalf(b, 0xA0) && !isSurrogateHalf(b, 0xB0) || len(b) < 3 {
		return utf8.DecodeRune(b)
	}
	if isSurrogateHalf(b, 0xA0) && len(b) >= 6 && isSurrogateHalf(b[3:], 0xB0) {
		return utf16.DecodeRune(decodeSurrogate(b), decodeSurrogate(b[3:])), 6
	}
	return utf8.RuneError, 3
}

// isSurrogateHalf reports whether b begins with half a surrogate pair: the high one for 0xA0, the low one for 0xB0. Of
// a half cut after two bytes, the two are enough.
func isSurrogateHalf(b []byte, second byte) bool {
	return len(b) >= 2 && b[0] == 0xED && b[1]&0xF0 == second && (len(b) == 2 || b[2]&0xC0 == 0x80)
}

func decodeSurrogate(b []byte) rune {
	return 0xD000 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F)
}

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
