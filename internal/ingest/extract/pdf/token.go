package pdf

import (
	"bytes"
	"strconv"
)

// token is a token of a PDF object: data[start:end]. A string's text is what it stands for.
type token struct {
	kind       tokenKind
	start, end int
	text       []byte
}

type tokenKind byte

const (
	tokenEnd    tokenKind = iota
	tokenMark             // << >> [ ]
	tokenString           // (…) or <…>
	tokenName             // without its slash
	tokenWord             // a number or a keyword
)

// tokenAt returns the first token from at on.
func tokenAt(data []byte, at int) token {
	at = skipBlank(data, at)
	if at >= len(data) {
		return token{start: len(data), end: len(data)}
	}
	two := string(data[at:min(len(data), at+2)])
	switch c := data[at]; {
	case two == "<<", two == ">>":
		return token{tokenMark, at, at + 2, data[at : at+2]}
	case c == '(':
		return literalStringAt(data, at)
	case c == '<':
		return hexStringAt(data, at)
	case c == '/':
		end := wordEnd(data, at+1)
		return token{tokenName, at, end, data[at+1 : end]}
	}
	if end := wordEnd(data, at); end > at {
		return token{tokenWord, at, end, data[at:end]}
	}
	return token{tokenMark, at, at + 1, data[at : at+1]}
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

func hexStringAt(data []byte, at int) token {
	t := token{kind: tokenString, start: at}
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

func literalStringAt(data []byte, at int) token {
	t := token{kind: tokenString, start: at}
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

var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// readEscape adds the character that is escaped by a backslash, and returns the place of its last byte.
func (t *token) readEscape(data []byte, at int) int {
	if at >= len(data) {
		return at
	}
	c := data[at]
	switch plain, known := escapes[c]; {
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

// dict holds the members of a dictionary: []byte for strings, string for names, int, bool, dict, []any, reference, or
// nil for what is not needed.
type dict map[string]any

// reference is the number of an object that is elsewhere.
type reference int

// valueAt reads the value that begins at a place, and returns where it ends.
func valueAt(data []byte, at, depth int) (any, int) {
	t := tokenAt(data, at)
	switch {
	case t.kind == tokenString:
		return t.text, t.end
	case t.kind == tokenName:
		return string(t.text), t.end
	case t.kind == tokenMark && string(t.text) == "<<" && depth < 20:
		return membersAt(data, t.end, depth+1)
	case t.kind == tokenMark && string(t.text) == "[" && depth < 20:
		return listAt(data, t.end, depth+1)
	case string(t.text) == "true", string(t.text) == "false":
		return string(t.text) == "true", t.end
	}
	if ref := referencePattern.FindSubmatchIndex(data[t.start:min(len(data), t.start+40)]); ref != nil {
		n, _ := strconv.Atoi(string(data[t.start+ref[2] : t.start+ref[3]])) // nine digits at most
		return reference(n), t.start + ref[1]
	}
	if n, err := strconv.Atoi(string(t.text)); err == nil {
		return n, t.end
	}
	return nil, t.end
}

func listAt(data []byte, at, depth int) (list []any, end int) {
	for {
		t := tokenAt(data, at)
		if t.kind == tokenEnd || t.kind == tokenMark && (string(t.text) == "]" || string(t.text) == ">>") {
			return list, t.end
		}
		var v any
		v, at = valueAt(data, at, depth)
		list = append(list, v)
	}
}

func membersAt(data []byte, at, depth int) (d dict, end int) {
	d = dict{}
	key := ""
	for {
		t := tokenAt(data, at)
		switch {
		case t.kind == tokenEnd, t.kind == tokenMark && string(t.text) == ">>":
			return d, t.end
		case t.kind == tokenName && key == "":
			key, at = string(t.text), t.end
			continue
		case t.kind == tokenWord && key == "": // it has no business here
			at = t.end
			continue
		}
		var v any
		v, at = valueAt(data, at, depth)
		if key != "" {
			d[key] = v
		}
		key = ""
	}
}
