package redact

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// decodeChar returns the first character of the text and its size in bytes, escaped ones as what they stand for.
func decodeChar(text string) (rune, int) {
	size := escapeLength(text)
	if size == 0 {
		return utf8.DecodeRuneInString(text)
	}
	first, _ := parseHexByte(text[size-2:])
	if first < utf8.RuneSelf {
		return rune(first), size
	}
	all := []byte{first}
	for len(all) < utf8.UTFMax && !utf8.Valid(all) {
		next, ok := parseHexByte(text[min(len(text), size+1):])
		if !ok || text[size] != '%' {
			return utf8.DecodeRuneInString(text)
		}
		all, size = append(all, next), size+len("%40")
	}
	if c, n := utf8.DecodeRune(all); n == len(all) {
		return c, size
	}
	return utf8.DecodeRuneInString(text)
}

// escapeLength returns the size of the escaped byte that the text begins with: "%40", or "%2540" where it was escaped
// twice. It is 0 if there is none, or one of a control character.
func escapeLength(text string) int {
	if len(text) < len("%40") || text[0] != '%' {
		return 0
	}
	at := 1
	for strings.HasPrefix(text[at:], "25") && beginsWithHexByte(text[at+2:]) {
		at += 2
	}
	if b, ok := parseHexByte(text[at:]); !ok || b < ' ' || b == 0x7F {
		return 0
	}
	return at + 2
}

func beginsWithHexByte(text string) bool {
	_, ok := parseHexByte(text)
	return ok
}

func parseHexByte(text string) (byte, bool) {
	if len(text) < 2 {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:2], 16, 8)
	return byte(n), err == nil
}

// isEscaped reports whether the character is written with a percent sign in the text.
func (f *foldedText) isEscaped(i int) bool { return f.text[f.offsets[i]] == '%' && f.chars[i] != '%' }

// maxQueryChars is how far before a plus sign the question mark may be that makes it a space.
const maxQueryChars = 256

// gapBetween returns what is between two characters; a plus sign in the query of a link is a space.
func (f *foldedText) gapBetween(from, to int) string {
	if to-from == 1 && f.chars[from] == '+' && f.isInQuery(from) {
		return " "
	}
	return string(f.chars[from:to])
}

// isInQuery reports whether a question mark and an equals sign are before the character, with no space between.
func (f *foldedText) isInQuery(i int) bool {
	equals := false
	for from := max(0, i-maxQueryChars); i > from; i-- {
		switch c := f.chars[i-1]; {
		case c == '=':
			equals = true
		case c == '?':
			return equals
		case (c == ' ' || c == '\n') && !f.isEscaped(i-1), c == maskChar, c == ']', c == '[':
			return false
		}
	}
	return false
}
