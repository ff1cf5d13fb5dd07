package search

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
	"parley/internal/text/words"
)

// SnippetLength is about how many characters a snippet has (docs/interface/search.md#snippets).
const SnippetLength = 180

// Snippet is an excerpt of the message that matches best (docs/interface/search.md#snippets).
type Snippet struct {
	Speaker    string // user or assistant
	Highlights []Highlight
}

// Highlight is a part of an excerpt. Together they are the text of the excerpt.
type Highlight struct {
	Value string
	Hit   bool // one of the words that were asked for
}

// textSpan is a hit in a text, in bytes.
type textSpan struct{ start, end int }

func newSnippet(m *store.IndexableMessage, terms []string) *Snippet {
	speaker := "assistant"
	if m.Author == parley.AuthorUser {
		speaker = "user"
	}
	hits := findHits(m.Text, terms)
	if len(hits) == 0 {
		return nil
	}
	start, end := excerpt(m.Text, hits)
	return &Snippet{Speaker: speaker, Highlights: highlights(m.Text, start, end, hits)}
}

// findHits finds the words in a text, as they are. Those that overlap, as pairs of characters do, are one.
func findHits(text string, terms []string) []textSpan {
	want := map[string]bool{}
	for _, w := range terms {
		want[w] = true
	}
	var list []textSpan
	for t := range tokensWithForms(text) {
		if want[t.word] {
			list = append(list, textSpan{t.start, t.end})
		}
	}
	return mergeSpans(list)
}

// mergeSpans puts spans in order, and makes one of those that overlap.
func mergeSpans(all []textSpan) (list []textSpan) {
	slices.SortFunc(all, func(a, b textSpan) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	for _, t := range all {
		if n := len(list); n > 0 && t.start < list[n-1].end {
			list[n-1].end = max(list[n-1].end, t.end)
			continue
		}
		list = append(list, t)
	}
	return list
}

// excerpt chooses a stretch of the text of about SnippetLength characters, on the borders of words: the one with the
// most hits, of these the first, with what is left of the length shared before and behind them.
func excerpt(text string, hits []textSpan) (start, end int) {
	if utf8.RuneCountInString(text) <= SnippetLength {
		return 0, len(text)
	}
	first, last, bestCount := 0, 0, 0
	for i := range hits {
		j, size := i, utf8.RuneCountInString(text[hits[i].start:hits[i].end])
		for j+1 < len(hits) {
			next := utf8.RuneCountInString(text[hits[j].end:hits[j+1].end])
			if size+next > SnippetLength {
				break
			}
			j, size = j+1, size+next
		}
		if j-i+1 > bestCount {
			first, last, bestCount = i, j, j-i+1
		}
	}
	start, end = hits[first].start, hits[last].end
	if over := utf8.RuneCountInString(text[start:end]); over > SnippetLength {
		return start, start + len(string([]rune(text[start:end])[:SnippetLength]))
	}
	spare := SnippetLength - utf8.RuneCountInString(text[start:end])
	start = extendLeft(text, start, spare/2)
	spare = SnippetLength - utf8.RuneCountInString(text[start:end])
	end = extendRight(text, end, spare)
	spare = SnippetLength - utf8.RuneCountInString(text[start:end])
	if spare > 0 {
		start = extendLeft(text, start, spare)
	}
	return start, end
}

// extendLeft goes up to n characters to the left, to the border of a word.
func extendLeft(text string, at, n int) int {
	border := at
	for i := at; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
		if isWordBoundary(text, i) {
			border = i
		}
	}
	return border
}

// extendRight goes up to n characters to the right, to the border of a word.
func extendRight(text string, at, n int) int {
	border := at
	for i := at; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if isWordBoundary(text, i) {
			border = i
		}
	}
	return border
}

// isWordBoundary reports whether a text may be cut at i: not within a word, and not between a character and what
// modifies it.
func isWordBoundary(text string, i int) bool {
	if i == 0 || i == len(text) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	behind, _ := utf8.DecodeRuneInString(text[i:])
	if unicode.IsMark(behind) || isJoiner(before) || isJoiner(behind) {
		return false
	}
	return !isWordRune(before) || !isWordRune(behind) || words.IsUnspacedRune(before) || words.IsUnspacedRune(behind)
}

// isJoiner reports what makes one sign of two: the joiner of emoji, and the tones of skin.
func isJoiner(r rune) bool { return r == '\u200d' || r >= 0x1f3fb && r <= 0x1f3ff }

// highlights parts an excerpt into hits and what is between them.
func highlights(text string, start, end int, hits []textSpan) []Highlight {
	var list []Highlight
	add := func(from, to int, hit bool) {
		if from < to {
			list = append(list, Highlight{text[from:to], hit})
		}
	}
	at := start
	for _, h := range hits {
		if h.end <= start || h.start >= end {
			continue
		}
		from, to := max(h.start, start), min(h.end, end)
		add(at, from, false)
		add(from, to, true)
		at = to
	}
	add(at, end, false)
	return list
}
