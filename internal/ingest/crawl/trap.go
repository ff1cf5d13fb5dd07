package crawl

import (
	"net/url"
	"strings"
)

const (
	maxSegments = 30  // of a path
	maxRepeats  = 3   // of one segment in a path
	maxVariants = 300 // addresses of one shape with more than one thing to vary
)

// trapDetector counts addresses by their shape. Calendars, filters and sort orders make endless addresses that differ
// in numbers and parameters only; articles that are numbered, or told apart by one parameter, are not held to that
// bound.
type trapDetector map[string]int

// isTrap reports whether an address looks like one of endlessly many, and counts it if not.
func (t trapDetector) isTrap(u *url.URL) bool {
	if hasRepeatedSegments(u.EscapedPath()) {
		return true
	}
	shape, free := urlShape(u)
	if free < 2 {
		return false
	}
	if t[shape] >= maxVariants {
		return true
	}
	t[shape]++
	return false
}

// hasRepeatedSegments finds paths that relative links have wound up: /a/b/a/b/a/b/a/b.
func hasRepeatedSegments(path string) bool {
	times := map[string]int{}
	segments := strings.Split(path, "/")
	for _, s := range segments {
		if times[s]++; s != "" && times[s] > maxRepeats {
			return true
		}
	}
	return len(segments) > maxSegments
}

// urlShape returns an address with 0 for each number of its path and without the values of its parameters, and how many
// things vary in it.
func urlShape(u *url.URL) (shape string, free int) {
	var b strings.Builder
	free = writeShape(&b, u.EscapedPath())
	if u.RawQuery == "" {
		return b.String(), free
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		var of strings.Builder
		free += max(1, writeShape(&of, value))
		b.WriteString("&" + name)
	}
	return b.String(), free
}

// writeShape writes a text with 0 for each run of digits, and counts them.
func writeShape(b *strings.Builder, text string) (runs int) {
	within := false
	for _, c := range []byte(text) {
		digit := '0' <= c && c <= '9'
		if digit && !within {
			runs++
			b.WriteByte('0')
		}
		if !digit {
			b.WriteByte(c)
		}
		within = digit
	}
	return runs
}
