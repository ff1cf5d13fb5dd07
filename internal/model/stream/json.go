package stream

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSONScanner walks one JSON document, value by value. It accepts what encoding/json accepts, down to maxDepth levels;
// after the first mistake it has failed and every further step does nothing. A value of another type than asked for is
// skipped.
type JSONScanner struct {
	Data      []byte
	pos       int
	depth     int
	hasFailed bool
	FirstByte byte // first byte of the outermost value
}

const maxDepth = 100

func (s *JSONScanner) fail() { s.hasFailed, s.pos = true, len(s.Data) }

// Peek returns the next byte that is not white space, 0 at the end.
func (s *JSONScanner) Peek() byte {
	for s.pos < len(s.Data) {
		switch c := s.Data[s.pos]; c {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			if s.FirstByte == 0 {
				s.FirstByte = c
			}
			return c
		}
	}
	return 0
}

// IsAtEnd reports whether the document was valid and is over.
func (s *JSONScanner) IsAtEnd() bool { return s.Peek() == 0 && s.pos == len(s.Data) && !s.hasFailed }

// ReadObject calls each for every member, which must consume the member's value.
func (s *JSONScanner) ReadObject(each func(key []byte)) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	s.readList('}', func() {
		if s.Peek() != '"' {
			s.fail()
			return
		}
		key := s.ReadText()
		if s.Peek() != ':' {
			s.fail()
			return
		}
		s.pos++
		each(key)
	})
}

// ReadArray calls each for every element, which must consume it.
func (s *JSONScanner) ReadArray(each func()) {
	if s.Peek() != '[' {
		s.Skip()
		return
	}
	s.readList(']', each)
}

func (s *JSONScanner) readList(closing byte, each func()) {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
	defer func() { s.depth-- }()
	if s.Peek() == closing {
		s.pos++
		return
	}
	for !s.hasFailed {
		each()
		switch s.Peek() {
		case ',':
			s.pos++
		case closing:
			s.pos++
			return
		default:
			s.fail()
		}
	}
}

// ReadRaw consumes any value and returns its bytes.
func (s *JSONScanner) ReadRaw() []byte {
	s.Peek()
	start := s.pos
	s.Skip()
	if s.hasFailed {
		return nil
	}
	return s.Data[start:s.pos]
}

// Skip consumes any value.
func (s *JSONScanner) Skip() {
	switch c := s.Peek(); {
	case c == '{':
		s.ReadObject(func([]byte) { s.Skip() })
	case c == '[':
		s.ReadArray(func() { s.Skip() })
	case c == '"':
		s.ReadText()
	case c == 't':
		s.skipLiteral("true")
	case c == 'f':
		s.skipLiteral("false")
	case c == 'n':
		s.skipLiteral("null")
	default:
		s.skipNumber()
	}
}

func (s *JSONScanner) skipLiteral(word string) {
	if len(s.Data)-s.pos < len(word) || string(s.Data[s.pos:s.pos+len(word)]) != word {
		s.fail()
		return
	}
	s.pos += len(word)
}

// ReadInt consumes a value and returns it, or fallback for anything but a whole number.
func (s *JSONScanner) ReadInt(fallback int) int {
	n, err := strconv.Atoi(string(s.ReadRaw()))
	if err != nil || s.hasFailed {
		return fallback
	}
	return n
}

func (s *JSONScanner) skipNumber() {
	if s.Peek() == '-' {
		s.pos++
	}
	if s.pos < len(s.Data) && s.Data[s.pos] == '0' {
		s.pos++
	} else {
		s.skipDigits()
	}
	if s.pos < len(s.Data) && s.Data[s.pos] == '.' {
		s.pos++
		s.skipDigits()
	}
	if s.pos < len(s.Data) && s.Data[s.pos]|0x20 == 'e' {
		if s.pos++; s.pos < len(s.Data) && (s.Data[s.pos] == '+' || s.Data[s.pos] == '-') {
			s.pos++
		}
		s.skipDigits()
	}
}

func (s *JSONScanner) skipDigits() {
	start := s.pos
	for s.pos < len(s.Data) && '0' <= s.Data[s.pos] && s.Data[s.pos] <= '9' {
		s.pos++
	}
	if s.pos == start {
		s.fail()
	}
}

// ReadText consumes a value and returns the bytes of a string, which may point into the document, or nil for anything
// else.
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
