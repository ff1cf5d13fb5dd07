package llm

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// repair makes valid UTF-8 of a text that arrives in pieces. A code point, or a surrogate pair, that is split over two
// pieces is put together; what is no text becomes U+FFFD, and so does NUL, which databases refuse.
type repair struct {
	held [6]byte
	n    int
}

func (r *repair) append(dst, src []byte) []byte {
	if r.n == 0 && utf8.Valid(src) && bytes.IndexByte(src, 0) < 0 {
		return append(dst, src...)
	}
	if r.n > 0 {
		src = append(r.held[:r.n:r.n], src...)
		r.n = 0
	}
	for len(src) > 0 {
		if unfinished(src) {
			r.n = copy(r.held[:], src)
			break
		}
		c, size := runeOf(src)
		dst = utf8.AppendRune(dst, c)
		src = src[size:]
	}
	return dst
}

// end gives what stands for a last code point that never became whole.
func (r *repair) end() []byte {
	if r.n == 0 {
		return nil
	}
	r.n = 0
	return []byte("\uFFFD")
}

// unfinished reports whether b is the beginning of something that more bytes could complete.
func unfinished(b []byte) bool {
	if len(b) >= 6 {
		return false
	}
	if half(b, 0xA0) {
		return len(b) <= 3 || len(b) == 4 && b[3] == 0xED || len(b) == 5 && half(b[3:], 0xB0)
	}
	return !utf8.FullRune(b) || len(b) == 2 && b[0] == 0xED && b[1]&0xE0 == 0xA0
}

func runeOf(b []byte) (rune, int) {
	if b[0] == 0 {
		return utf8.RuneError, 1
	}
	if !half(b, 0xA0) && !half(b, 0xB0) || len(b) < 3 {
		return utf8.DecodeRune(b)
	}
	if half(b, 0xA0) && len(b) >= 6 && half(b[3:], 0xB0) {
		return utf16.DecodeRune(surrogate(b), surrogate(b[3:])), 6
	}
	return utf8.RuneError, 3
}

// half reports whether b begins with half a surrogate pair: the high one for 0xA0, the low one for 0xB0. Of a half cut
// after two bytes, the two are enough.
func half(b []byte, second byte) bool {
	return len(b) >= 2 && b[0] == 0xED && b[1]&0xF0 == second && (len(b) == 2 || b[2]&0xC0 == 0x80)
}

func surrogate(b []byte) rune {
	return 0xD000 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F)
}
