package httpapi

import (
	"bytes"
	"unicode/utf8"
)

// Limits of a JSON text besides its size. A request that exceeds them is hostile: its values would take many times
// the memory of its bytes.
const (
	maxDepth  = 100
	maxValues = 200_000
)

type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonBool
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// value is one JSON value. Scalars are not decoded.
type value struct {
	kind    jsonKind
	raw     []byte // the value's bytes; part of the parsed text
	members []member
	items   []value
}

type member struct {
	key   []byte // unescaped
	value value
}

// syntaxError is the reason why a text is not JSON, for people, and its place.
type syntaxError struct {
	reason string
	offset int
}

func (e *syntaxError) Error() string { return e.reason }

// parseJSON parses one JSON text (RFC 8259). It is stricter than most parsers: the names within an object must
// differ, the text must be valid UTF-8, and only white space may follow.
func parseJSON(text []byte) (value, error) {
	if at := invalidUTF8(text); at >= 0 {
		return value{}, &syntaxError{"it is not valid UTF-8", at}
	}
	p := parser{text: text}
	if bytes.HasPrefix(text, []byte("\ufeff")) { // a byte order mark, which RFC 8259 allows parsers to ignore
		p.pos = len("\ufeff")
	}
	p.skipSpace()
	v, err := p.parseValue(0)
	if err != nil {
		return value{}, err
	}
	if p.skipSpace(); p.pos < len(text) {
		return value{}, p.fail("something follows the JSON value")
	}
	return v, nil
}

func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

type parser struct {
	text   []byte
	pos    int
	values int
}

func (p *parser) fail(reason string) error { return &syntaxError{reason, p.pos} }

func (p *parser) skipSpace() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end; a byte 0 is never valid outside a string.
func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) parseValue(depth int) (value, error) {
	if p.values++; p.values > maxValues {
		return value{}, p.fail("it holds too many values")
	}
	start := p.pos
	var v value
	var err error
	switch c := p.peek(); {
	case c == '{' || c == '[':
		if depth >= maxDepth {
			return value{}, p.fail("it is nested too deeply")
		}
		if p.pos++; c == '{' {
			v, err = p.parseObject(depth + 1)
		} else {
			v, err = p.parseArray(depth + 1)
		}
	case c == '"':
		v.kind, err = jsonString, p.skipString()
	case c == '-' || '0' <= c && c <= '9':
		v.kind, err = jsonNumber, p.skipNumber()
	default:
		v.kind, err = p.parseLiteral()
	}
	v.raw = p.text[start:p.pos]
	return v, err
}

func (p *parser) parseLiteral() (jsonKind, error) {
	for _, w := range [...]struct {
		text string
		kind jsonKind
	}{{"true", jsonBool}, {"false", jsonBool}, {"null", jsonNull}} {
		if bytes.HasPrefix(p.text[p.pos:], []byte(w.text)) {
			p.pos += len(w.text)
			return w.kind, nil
		}
	}
	if p.pos == len(p.text) {
		return 0, p.fail("it ends too early")
	}
	return 0, p.fail("a value is expected")
}

func (p *parser) parseArray(depth int) (value, error) {
	v := value{kind: jsonArray}
	if p.skipSpace(); p.peek() == ']' {
		p.pos++
		return v, nil
	}
	for {
		p.skipSpace()
		item, err := p.parseValue(depth)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
		if more, err := p.nextSeparator(']'); !more {
			return v, err
		}
	}
}

func (p *parser) parseObject(depth int) (value, error) {
	v := value{kind: jsonObject}
	if p.skipSpace(); p.peek() == '}' {
		p.pos++
		return v, nil
	}
	var seen keySet
	for {
		m, err := p.parseMember(depth)
		if err != nil {
			return v, err
		}
		if !seen.add(v.members, m.key) {
			return v, p.fail("the name " + quoteName(m.key) + " appears twice in one object")
		}
		v.members = append(v.members, m)
		if more, err := p.nextSeparator('}'); !more {
			return v, err
		}
	}
}

func (p *parser) parseMember(depth int) (m member, err error) {
	p.skipSpace()
	start := p.pos
	if p.peek() != '"' {
		return m, p.fail("a name in double quotes is expected")
	}
	if err := p.skipString(); err != nil {
		return m, err
	}
	m.key = unquote(p.text[start:p.pos])
	if p.skipSpace(); p.peek() != ':' {
		return m, p.fail("a colon is expected after a name")
	}
	p.pos++
	p.skipSpace()
	m.value, err = p.parseValue(depth)
	return m, err
}

// nextSeparator consumes a comma, or the closing bracket, and reports whether it was a comma.
func (p *parser) nextSeparator(closing byte) (bool, error) {
	p.skipSpace()
	switch p.peek() {
	case ',':
		p.pos++
		return true, nil
	case closing:
		p.pos++
		return false, nil
	}
	if p.pos == len(p.text) {
		return false, p.fail("it ends too early")
	}
	return false, p.fail("a comma or " + string(closing) + " is expected")
}

// keySet detects names that appear twice: by a scan of short objects, and by a map for long ones.
type keySet struct{ names map[string]struct{} }

func (s *keySet) add(members []member, key []byte) bool {
	if s.names == nil && len(members) < 16 {
		for _, m := range members {
			if bytes.Equal(m.key, key) {
				return false
			}
		}
		return true
	}
	if s.names == nil {
		s.names = make(map[string]struct{}, 2*len(members))
		for _, m := range members {
			s.names[string(m.key)] = struct{}{}
		}
	}
	_, dup := s.names[string(key)]
	s.names[string(key)] = struct{}{}
	return !dup
}

// quoteName returns a name, shortened and in quotes, for a message to the caller.
func quoteName(key []byte) string {
	const limit = 60
	if len(key) > limit {
		cut := limit
		for !utf8.RuneStart(key[cut]) {
			cut--
		}
		return `"` + string(key[:cut]) + `…"`
	}
	return `"` + string(key) + `"`
}
