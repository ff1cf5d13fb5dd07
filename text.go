package parley

import "strings"

// StorableText removes U+0000 from a text, because PostgreSQL cannot store it.
func StorableText(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// ClipText returns the first n characters of a text.
func ClipText(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
