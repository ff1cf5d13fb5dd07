package pdf

import (
	"slices"
	"strings"
	"unicode"

	"parley/internal/ingest/extract/draft"
)

// ReadPdftotext returns the document of what pdftotext has written.
func ReadPdftotext(output string) draft.Document {
	pages := strings.Count(output, "\f")
	return draft.Document{Text: draft.NormalizeText(joinHyphenated(toReadingOrder(output))), Pages: pages}
}

// IsBetterText reports whether a text holds other words than ours, and looks more like a text.
func IsBetterText(text, builtIn string) bool {
	return !haveSameWords(builtIn, text) && plausibility(text) > plausibility(builtIn)
}

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
		if !strings.HasPrefix(line, rtlStartMark) || !strings.ContainsFunc(line, isRTLRune) {
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

// writeLTRRun writes what is between words that run to the left: the signs at its edges are read from the right,
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

// haveSameWords reports whether two texts hold the same words, but for one in twelve.
func haveSameWords(a, b string) bool {
	count := map[string]int{}
	all, both := 0, 0
	for w := range strings.FieldsSeq(b) {
		count[wordKey(w)]++
		all++
	}
	for w := range strings.FieldsSeq(a) {
		if w = wordKey(w); count[w] > 0 {
			count[w]--
			both++
		}
	}
	return both*12 >= all*11
}

// wordKey returns what is the same of a word in whichever way it was read. Of words that run to the left that is their
// letters alone: pdftotext turns the two of a ligature around, so that "لا" becomes "ال".
func wordKey(word string) string {
	word = strings.Trim(word, ".,:;()|#*-•،؛؟\"")
	if strings.ContainsFunc(word, isRTLRune) {
		letters := []rune(word)
		slices.Sort(letters)
		return string(letters)
	}
	return word
}

// joinHyphenated puts words together that were cut at the end of a line.
func joinHyphenated(text string) string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\f", "\n\n")) {
		line = strings.TrimRight(line, " \r\n")
		if n := len(lines); n > 0 && isHyphenated(lines[n-1], line) {
			lines[n-1] = strings.TrimSuffix(lines[n-1], "-") + line
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
