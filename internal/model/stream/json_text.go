package stream

import (
	"unicode/utf16"
	"unicode/utf8"
)

// ReadText consumes a value; a string gives its bytes, which may point into the document, anything else nil.
func (s *JSONScanner) ReadText() []byte {
	if s.Peek() != '"' {
		s.Skip()
		return nil
	}
	start := s.pos + 1
	for i := start; i < len(s.Data) && isPlainByte(s.Data[i]); i++ {
		if i+1 < len(s.Data) && s.Data[i+1] == '"' {
			s.pos = i + 2
			return s.Data[start : i+1 : i+1]
		}
	}
	return s.AppendText(nil)
}

func isPlainByte(c byte) bool { return c >= ' ' && c != '"' && c != '\\' }

// AppendText consumes a value and appends a string's bytes: as written, so possibly not valid UTF-8, with a lone
// surrogate escape as the three bytes that UTF-8 would have for it. repair puts such pieces together.
func (s *JSONScanner) AppendText(dst []byte) []byte {
	if s.Peek() != '"' {
		s.Skip()
		return dst
	}
	s.pos++
	for s.pos < len(s.Data) {
		start := s.pos
		for s.pos < len(s.Data) && isPlainByte(s.Data[s.pos]) {
			s.pos++
		}
		dst = append(dst, s.Data[start:s.pos]...)
		switch {
		case s.pos == len(s.Data) || s.Data[s.pos] < ' ':
			s.fail()
		case s.Data[s.pos] == '"':
			s.pos++
			return dst
		default:
			dst = s.appendEscape(dst)
		}
	}
	s.fail()
	return dst
}

const (
	escapeBytes    = `"\/bfnrt`
	unescapedBytes = "\"\\/\b\f\n\r\t"
)

func (s *JSONScanner) appendEscape(dst []byte) []byte {
	if s.pos+1 >= len(s.Data) {
		s.fail()
		return dst
	}
	c := s.Data[s.pos+1]
	if c == 'u' {
		return s.appendUnicodeEscape(dst)
	}
	for i := range len(escapeBytes) {
		if escapeBytes[i] == c {
			s.pos += 2
			return append(dst, unescapedBytes[i])
		}
	}
	s.fail()
	return dst
}

func (s *JSONScanner) appendUnicodeEscape(dst []byte) []byte {
	r := s.parseHexEscape(s.pos)
	if r < 0 {
		s.fail()
		return dst
	}
	s.pos += 6
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r)
	}
	if low := s.parseHexEscape(s.pos); low >= 0 {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			s.pos += 6
			return utf8.AppendRune(dst, pair)
		}
	}
	return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
}

// parseHexEscape reads \uXXXX at i; -1 where there is none.
func (s *JSONScanner) parseHexEscape(i int) rune {
	if len(s.Data)-i < 6 || s.Data[i] != '\\' || s.Data[i+1] != 'u' {
		return -1
	}
	n := rune(0)
	for _, c := range s.Data[i+2 : i+6] {
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
