package extract

import (
	"slices"
	"strings"
	"unicode"
)

// The marks between which pdftotext puts what runs to the left, and what runs to the right in it.
const (
	rtlStartMark     = "\u202b"
	ltrStartMark     = "\u202a"
	directionEndMark = "\u202c"
)

// toReadingOrder moves, in lines that run to the left, the signs and spaces that pdftotext has put on the wrong side
// of what runs to the right: it writes them as they are seen.
func toReadingOrder(text string) string {
	if !strings.Contains(text, rtlStartMark) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, rtlStartMark) || !strings.ContainsFunc(line, func(r rune) bool { return isRTL(string(r)) }) {
			b.WriteString(line)
			continue
		}
		for {
			before, rest, found := strings.Cut(line, ltrStartMark)
			b.WriteString(before)
			if !found {
				break
			}
			seen, after, _ := strings.Cut(rest, directionEndMark)
			writeLTRRun(&b, seen)
			line = after
		}
	}
	return b.String()
}

// writeLTRRun writes what stands between words that run to the left: the signs at its edges are read from the right,
// the words and numbers between them from the left.
func writeLTRRun(b *strings.Builder, seen string) {
	isSign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' }
	words := strings.TrimFunc(seen, isSign)
	before, after := seen, ""
	if words != "" {
		at := strings.Index(seen, words)
		before, after = seen[:at], seen[at+len(words):]
	}
	b.WriteString(reverseRunes(after))
	b.WriteString(words)
	b.WriteString(reverseRunes(before))
}

func reverseRunes(text string) string {
	signs := []rune(text)
	slices.Reverse(signs)
	return string(signs)
}
