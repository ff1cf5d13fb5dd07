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
