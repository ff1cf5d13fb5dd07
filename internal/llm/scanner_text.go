package llm

import (
	"unicode/utf16"
	"unicode/utf8"
)

// text consumes a value; a string gives its bytes, which may point into the document, anything else nil.
func (s *scanner) text() []byte {
	if s.peek() != '"' {
		s.skip()
		return nil
	}
	start := s.i + 1
	for i := start; i < len(s.b) && plain(s.b[i]); i++ {
		if i+1 < len(s.b) && s.b[i+1] == '"' {
			s.i = i + 2
			return s.b[start : i+1 : i+1]
		}
	}
	return s.appendText(nil)
}

func plain(c byte) bool { return c >= ' ' && c != '"' && c != '\\' }

// appendText consumes a value and appends a string's bytes: as written, so possibly not valid UTF-8, with a lone
// surrogate escape as the three bytes that UTF-8 would have for it. repair puts such pieces together.
func (s *scanner) appendText(dst []byte) []byte {
	if s.peek() != '"' {
		s.skip()
		return dst
	}
	s.i++
	for s.i < len(s.b) {
		start := s.i
		for s.i < len(s.b) && plain(s.b[s.i]) {
			s.i++
		}
		dst = append(dst, s.b[start:s.i]...)
		switch {
		case s.i == len(s.b) || s.b[s.i] < ' ':
			s.fail()
		case s.b[s.i] == '"':
			s.i++
			return dst
		default:
			dst = s.escape(dst)
		}
	}
	s.fail()
	return dst
}

const (
	escapes = `"\/bfnrt`
	escaped = "\"\\/\b\f\n\r\t"
)

func (s *scanner) escape(dst []byte) []byte {
	if s.i+1 >= len(s.b) {
		s.fail()
		return dst
	}
	c := s.b[s.i+1]
	if c == 'u' {
		return s.unicode(dst)
	}
	for i := range len(escapes) {
		if escapes[i] == c {
			s.i += 2
			return append(dst, escaped[i])
		}
	}
	s.fail()
	return dst
}

func (s *scanner) unicode(dst []byte) []byte {
	r := s.hex(s.i)
	if r < 0 {
		s.fail()
		return dst
	}
	s.i += 6
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r)
	}
	if low := s.hex(s.i); low >= 0 {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			s.i += 6
			return utf8.AppendRune(dst, pair)
		}
	}
	return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
}

// hex reads \uXXXX at i; -1 where there is none.
func (s *scanner) hex(i int) rune {
	if len(s.b)-i < 6 || s.b[i] != '\\' || s.b[i+1] != 'u' {
		return -1
	}
	n := rune(0)
	for _, c := range s.b[i+2 : i+6] {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			n = n<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return n
}
