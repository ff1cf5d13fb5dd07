package openai

import (
	"slices"
	"unicode/utf8"

	"parley"
)

// characterOffsets returns at which character of a text each of the byte offsets is.
func characterOffsets(text string, offsets []int) map[int]int {
	slices.Sort(offsets)
	found, at, characters := make(map[int]int, len(offsets)), 0, 0
	for _, offset := range offsets {
		end := min(max(offset, at), len(text))
		characters += utf8.RuneCountInString(text[at:end])
		at = end
		found[offset] = characters
	}
	return found
}

// span is a stretch of an answer in characters, as clients count them.
type span struct{ start, end int }

// citedSpans returns where in the answer each of the citations is.
func citedSpans(text string, citations []parley.Citation) []span {
	var offsets []int
	for _, c := range citations {
		offsets = append(offsets, c.AnswerStart, c.AnswerEnd)
	}
	at := characterOffsets(text, offsets)
	spans := make([]span, len(citations))
	for i, c := range citations {
		spans[i] = span{at[c.AnswerStart], at[c.AnswerEnd]}
	}
	return spans
}
