package model

import "strconv"

// jsonScanner walks one JSON document, value by value. It accepts what encoding/json accepts, down to maxDepth levels; after
// the first mistake it is bad and every further step does nothing. A value of another type than asked for is skipped.
type jsonScanner struct {
	data      []byte
	pos       int
	depth     int
	hasFailed bool
	firstByte byte // first byte of the outermost value
}

const maxDepth = 100

func (s *jsonScanner) fail() { s.hasFailed, s.pos = true, len(s.data) }

// peek returns the next byte that is not white space, 0 at the end.
func (s *jsonScanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			if s.firstByte == 0 {
				s.firstByte = c
			}
			return c
		}
	}
	return 0
}

// isAtEnd reports whether the document was valid and is over.
func (s *jsonScanner) isAtEnd() bool { return s.peek() == 0 && s.pos == len(s.data) && !s.hasFailed }

// readObject calls each for every member, which must consume the member's value.
func (s *jsonScanner) readObject(each func(key []byte)) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	s.readList('}', func() {
		if s.peek() != '"' {
			s.fail()
			return
		}
		key := s.readText()
		if s.peek() != ':' {
			s.fail()
			return
		}
		s.pos++
		each(key)
	})
}

// readArray calls each for every element, which must consume it.
func (s *jsonScanner) readArray(each func()) {
	if s.peek() != '[' {
		s.skip()
		return
	}
	s.readList(']', each)
}

func (s *jsonScanner) readList(closing byte, each func()) {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
	defer func() { s.depth-- }()
	if s.peek() == closing {
		s.pos++
		return
	}
	for !s.hasFailed {
		each()
		switch s.peek() {
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

// readRaw consumes any value and gives its bytes.
func (s *jsonScanner) readRaw() []byte {
	s.peek()
	start := s.pos
	s.skip()
	if s.hasFailed {
		return nil
	}
	return s.data[start:s.pos]
}

// skip consumes any value.
func (s *jsonScanner) skip() {
	switch c := s.peek(); {
	case c == '{':
		s.readObject(func([]byte) { s.skip() })
	case c == '[':
		s.readArray(func() { s.skip() })
	case c == '"':
		s.readText()
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

func (s *jsonScanner) skipLiteral(word string) {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		s.fail()
		return
	}
	s.pos += len(word)
}

// readInt consumes a value; anything but a whole number gives the fallback.
func (s *jsonScanner) readInt(fallback int) int {
	n, err := strconv.Atoi(string(s.readRaw()))
	if err != nil || s.hasFailed {
		return fallback
	}
	return n
}

func (s *jsonScanner) skipNumber() {
	if s.peek() == '-' {
		s.pos++
	}
	if s.pos < len(s.data) && s.data[s.pos] == '0' {
		s.pos++
	} else {
		s.skipDigits()
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		s.skipDigits()
	}
	if s.pos < len(s.data) && s.data[s.pos]|0x20 == 'e' {
		if s.pos++; s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
			s.pos++
		}
		s.skipDigits()
	}
}

func (s *jsonScanner) skipDigits() {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	if s.pos == start {
		s.fail()
	}
}
