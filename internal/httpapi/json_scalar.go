package httpapi

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// skipString consumes a string; the parser is at its opening quote.
func (p *parser) skipString() error {
	p.pos++
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '"':
			p.pos++
			return nil
		case c == '\\':
			if err := p.skipEscape(); err != nil {
				return err
			}
		case c < 0x20:
			return p.fail("a control character stands in a string without its escape")
		default:
			p.pos++
		}
	}
	return p.fail("a string is not closed")
}

func (p *parser) skipEscape() error {
	p.pos++
	switch p.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.pos++
		return nil
	case 'u':
		if len(p.text) >= p.pos+5 && parseHex4(p.text[p.pos+1:]) >= 0 {
			p.pos += 5
			return nil
		}
	}
	return p.fail("a string holds an escape that does not exist")
}

func parseHex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// unquote returns the text of a valid JSON string; half a surrogate pair becomes U+FFFD. It shares s's bytes where
// it can.
func unquote(s []byte) []byte {
	s = s[1 : len(s)-1]
	next := bytes.IndexByte(s, '\\')
	if next < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for next >= 0 {
		out = append(out, s[:next]...)
		s = s[next:]
		switch c := s[1]; c {
		case 'u':
			r, n := decodeUnicodeEscape(s)
			out = utf8.AppendRune(out, r)
			s = s[n:]
		default:
			out = append(out, unescapeByte(c))
			s = s[2:]
		}
		next = bytes.IndexByte(s, '\\')
	}
	return append(out, s...)
}

func unescapeByte(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// decodeUnicodeEscape decodes one \uXXXX, or the two of a surrogate pair, and returns the number of bytes that it
// read.
func decodeUnicodeEscape(s []byte) (rune, int) {
	r := parseHex4(s[2:])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, parseHex4(s[8:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// skipNumber consumes a number.
func (p *parser) skipNumber() error {
	if p.peek() == '-' {
		p.pos++
	}
	if p.peek() == '0' {
		p.pos++
	} else if !p.skipDigits() {
		return p.fail("a number is not written as JSON writes numbers")
	}
	if p.peek() == '.' {
		if p.pos++; !p.skipDigits() {
			return p.fail("a number ends after its decimal point")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.skipDigits() {
			return p.fail("a number has no digits in its exponent")
		}
	}
	return nil
}

func (p *parser) skipDigits() bool {
	start := p.pos
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.pos++
	}
	return p.pos > start
}
