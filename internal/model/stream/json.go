package stream

import "strconv"

// JSONScanner walks one JSON document, value by value. It accepts what encoding/json accepts, down to maxDepth levels; after
// the first mistake it is bad and every further step does nothing. A value of another type than asked for is skipped.
type JSONScanner struct {
	Data      []byte
	pos       int
	depth     int
	hasFailed bool
	FirstByte byte // first byte of the outermost value
}

const maxDepth = 100

func (s *JSONScanner) fail() { s.hasFailed, s.pos = true, len(s.Data) }

// peek returns the next byte that is not white space, 0 at the end.
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

// ReadRaw consumes any value and gives its bytes.
func (s *JSONScanner) ReadRaw() []byte {
	s.Peek()
	start := s.pos
	s.Skip()
	if s.hasFailed {
		return nil
	}
	return s.Data[start:s.pos]
}

// skip consumes any value.
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

// ReadInt consumes a value; anything but a whole number gives the fallback.
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
