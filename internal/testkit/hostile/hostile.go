// Package hostile holds texts that are built to be expensive to read, of any size, and measures whether the work that
// they cause grows linearly. Only tests import it.
package hostile

import (
	"strings"
)

// Kind is one way to build such a text.
type Kind struct {
	Name    string
	newText func(size int) string
}

// Made returns a kind whose texts are a beginning, a unit repeated up to the size, and an end.
func Made(name, head, unit, tail string) Kind {
	return Kind{name, func(size int) string { return head + repeated(unit)(size) + tail }}
}

// Halves returns a kind of which one half repeats a unit, and the other half another.
func Halves(name, head, first, between, second, tail string) Kind {
	return Kind{name, func(size int) string {
		return head + repeated(first)(size/2) + between + repeated(second)(size/2) + tail
	}}
}

// Text returns a text of about so many bytes, whole characters only.
func (k Kind) Text(size int) string { return k.newText(size) }

func repeated(unit string) func(int) string {
	return func(size int) string { return strings.Repeat(unit, max(1, size/len(unit))) }
}

// nested repeats one unit and then as often another.
func nested(open, shut string) func(int) string {
	return func(size int) string {
		n := max(1, size/(len(open)+len(shut)))
		return strings.Repeat(open, n) + strings.Repeat(shut, n)
	}
}

// prefixed puts a text before the repeated unit.
func prefixed(lead, unit string) func(int) string {
	return func(size int) string { return lead + repeated(unit)(size) }
}

// numberedParts writes one part after another, each by its number.
func numberedParts(part func(b *strings.Builder, i int)) func(int) string {
	return func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			part(&b, i)
		}
		return b.String()
	}
}

// writeDistinctWord writes a word for a number; no two numbers have the same.
func writeDistinctWord(b *strings.Builder, i int) {
	for n := i*7919 + 17; n > 0; n /= 19 {
		b.WriteByte("bcdfghjklmnpqrstvwx"[n%19])
		b.WriteByte("aeiou"[n%5])
	}
}
