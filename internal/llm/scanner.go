package llm

import "strconv"

// scanner walks one JSON document, value by value. It accepts what encoding/json accepts, down to maxDepth levels; after
// the first mistake it is bad and every further step does nothing. A value of another type than asked for is skipped.
type scanner struct {
	b      []byte
	i      int
	depth  int
	bad    bool
	opened byte // first byte of the outermost value
}

const maxDepth = 100

func (s *scanner) fail() { s.bad, s.i = true, len(s.b) }

// peek gives the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			if s.opened == 0 {
				s.opened = c
			}
			return c
		}
	}
	return 0
}

// end reports whether the document was valid and is over.
func (s *scanner) end() bool { return s.peek() == 0 && s.i == len(s.b) && !s.bad }

// object calls each for every member, which must consume the member's value.
func (s *scanner) object(each func(key []byte)) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	s.list('}', func() {
		if s.peek() != '"' {
			s.fail()
			return
		}
		key := s.text()
		if s.peek() != ':' {
			s.fail()
			return
		}
		s.i++
		each(key)
	})
}

// array calls each for every element, which must consume it.
func (s *scanner) array(each func()) {
	if s.peek() != '[' {
		s.skip()
		return
	}
	s.list(']', each)
}

func (s *scanner) list(closing byte, each func()) {
	s.i++
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
	defer func() { s.depth-- }()
	if s.peek() == closing {
		s.i++
		return
	}
	for !s.bad {
		each()
		switch s.peek() {
		case ',':
			s.i++
		case closing:
			s.i++
			return
		default:
			s.fail()
		}
	}
}

// raw consumes any value and gives its bytes.
func (s *scanner) raw() []byte {
	s.peek()
	start := s.i
	s.skip()
	if s.bad {
		return nil
	}
	return s.b[start:s.i]
}

// skip consumes any value.
func (s *scanner) skip() {
	switch c := s.peek(); {
	case c == '{':
		s.object(func([]byte) { s.skip() })
	case c == '[':
		s.array(func() { s.skip() })
	case c == '"':
		s.text()
	case c == 't':
		s.literal("true")
	case c == 'f':
		s.literal("false")
	case c == 'n':
		s.literal("null")
	default:
		s.numeral()
	}
}

func (s *scanner) literal(word string) {
	if len(s.b)-s.i < len(word) || string(s.b[s.i:s.i+len(word)]) != word {
		s.fail()
		return
	}
	s.i += len(word)
}

// number consumes a value; anything but a whole number gives the fallback.
func (s *scanner) number(fallback int) int {
	n, err := strconv.Atoi(string(s.raw()))
	if err != nil || s.bad {
		return fallback
	}
	return n
}

func (s *scanner) numeral() {
	if s.peek() == '-' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == '0' {
		s.i++
	} else {
		s.digits()
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		s.digits()
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		if s.i++; s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		s.digits()
	}
}

func (s *scanner) digits() {
	start := s.i
	for s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9' {
		s.i++
	}
	if s.i == start {
		s.fail()
	}
}
