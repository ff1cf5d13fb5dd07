package extract

import (
	"bytes"
	"strconv"
)

// pdfToken is a token of a PDF object: data[start:end]. A string's text is what it stands for.
type pdfToken struct {
	kind       pdfTokenKind
	start, end int
	text       []byte
}

type pdfTokenKind byte

const (
	pdfTokenEnd    pdfTokenKind = iota
	pdfTokenMark                // << >> [ ]
	pdfTokenString              // (…) or <…>
	pdfTokenName                // without its slash
	pdfTokenWord                // a number or a keyword
)

// pdfTokenAt returns the first token from at on.
func pdfTokenAt(data []byte, at int) pdfToken {
	at = skipBlank(data, at)
	if at >= len(data) {
		return pdfToken{start: len(data), end: len(data)}
	}
	two := string(data[at:min(len(data), at+2)])
	switch c := data[at]; {
	case two == "<<", two == ">>":
		return pdfToken{pdfTokenMark, at, at + 2, data[at : at+2]}
	case c == '(':
		return literalStringAt(data, at)
	case c == '<':
		return hexStringAt(data, at)
	case c == '/':
		end := wordEnd(data, at+1)
		return pdfToken{pdfTokenName, at, end, data[at+1 : end]}
	}
	if end := wordEnd(data, at); end > at {
		return pdfToken{pdfTokenWord, at, end, data[at:end]}
	}
	return pdfToken{pdfTokenMark, at, at + 1, data[at : at+1]}
}

func skipBlank(data []byte, at int) int {
	for at < len(data) {
		switch {
		case isBlank(data[at]):
			at++
		case data[at] == '%':
			n := bytes.IndexAny(data[at:], "\r\n")
			if n < 0 {
				return len(data)
			}
			at += n
		default:
			return at
		}
	}
	return at
}

func wordEnd(data []byte, at int) int {
	for at < len(data) && !isBlank(data[at]) && bytes.IndexByte([]byte("()<>[]{}/%"), data[at]) < 0 {
		at++
	}
	return at
}

func hexStringAt(data []byte, at int) pdfToken {
	t := pdfToken{kind: pdfTokenString, start: at}
	high, half := byte(0), false
	for at++; at < len(data) && data[at] != '>'; at++ {
		n, err := strconv.ParseUint(string(data[at:at+1]), 16, 8)
		switch {
		case err != nil:
			continue
		case half:
			t.text = append(t.text, high|byte(n))
		default:
			high = byte(n) << 4
		}
		half = !half
	}
	if half {
		t.text = append(t.text, high)
	}
	t.end = min(at+1, len(data))
	return t
}

func literalStringAt(data []byte, at int) pdfToken {
	t := pdfToken{kind: pdfTokenString, start: at}
	depth := 0
	for ; at < len(data); at++ {
		switch c := data[at]; c {
		case '\\':
			at = t.readEscape(data, at+1)
			continue
		case '(':
			depth++
			if depth == 1 {
				continue
			}
		case ')':
			depth--
			if depth == 0 {
				t.end = at + 1
				return t
			}
		case '\r': // a line's end is one LF, however it is written
			if at+1 < len(data) && data[at+1] == '\n' {
				at++
			}
			t.text = append(t.text, '\n')
			continue
		}
		t.text = append(t.text, data[at])
	}
	t.end = len(data)
	return t
}

var pdfEscapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// readEscape adds what stands behind a backslash, and gives its last byte's place.
func (t *pdfToken) readEscape(data []byte, at int) int {
	if at >= len(data) {
		return at
	}
	c := data[at]
	switch plain, known := pdfEscapes[c]; {
	case known:
		t.text = append(t.text, plain)
	case c >= '0' && c <= '7':
		n, end := 0, at
		for end < len(data) && end < at+3 && data[end] >= '0' && data[end] <= '7' {
			n = n*8 + int(data[end]-'0')
			end++
		}
		t.text = append(t.text, byte(n))
		return end - 1
	case c == '\r' && at+1 < len(data) && data[at+1] == '\n':
		return at + 1
	case c == '\r', c == '\n': // the line goes on
	default:
		t.text = append(t.text, c)
	}
	return at
}
