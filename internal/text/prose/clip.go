package prose

import (
	"strings"
	"unicode/utf8"
)

// ClipRunes returns the first n characters of a text.
func ClipRunes(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// ClipBytes returns at most the first n bytes of a text, without cutting a character.
func ClipBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// StripNUL removes NUL, which PostgreSQL cannot store.
func StripNUL(text string) string { return strings.ReplaceAll(text, "\x00", "") }
