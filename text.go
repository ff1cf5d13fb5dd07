package parley

import (
	"strings"
	"unicode/utf8"
)

// StorableText removes U+0000 from a text, because PostgreSQL cannot store it.
func StorableText(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// ClipText returns the first n characters of a text.
func ClipText(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// ClipBytes returns at most the first n bytes of a text, without cutting a character.
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
