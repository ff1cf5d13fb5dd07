package httpapi

import (
	"bytes"
	"unicode/utf8"
)

// The bounds of a JSON text, beside its size: a request that passes them is hostile, and the tree of its values would cost
// many times its bytes.
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

// value is one JSON value. Scalars keep the bytes they were written as.
type value struct {
	kind    jsonKind
	raw     []byte // as written, inside the request's buffer
	members []member
	items   []value
}

type member struct {
	key   []byte // unescaped
	value value
}

// syntaxError says why a text is not JSON, and where, for people.
type syntaxError struct {
	reason string
	offset int
}

func (e *syntaxError) Error() string { return e.reason }

// parseJSON reads exactly one JSON text (RFC 8259), stricter than most: names within an object differ, the text is valid
// UTF-8, and nothing but white space follows it.
func parseJSON(text []byte) (value, error) {
	if at := invalidUTF8(text); at >= 0 {
		return value{}, &syntaxError{"it is not valid UTF-8", at}
	}
	p := parser{text: text}
	if bytes.HasPrefix(text, []byte("\ufeff")) { // a byte order mark: RFC 8259 lets readers pass over it
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

// peek returns the next byte, or 0 at the end; 0 itself is never valid outside a string.
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

// nextSeparator steps over a comma, or over the closing bracket.
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

// keySet tells whether a name was seen before: by looking along short objects, by a map for long ones.
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

// quoteName shows a name of the caller's, shortened, in a message to the caller.
func quoteName(key []byte) string {
	const most = 60
	if len(key) > most {
		cut := most
		for !utf8.RuneStart(key[cut]) {
			cut--
		}
		return `"` + string(key[:cut]) + `…"`
	}
	return `"` + string(key) + `"`
}
