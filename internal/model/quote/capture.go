package quote

import (
	"slices"
	"strings"
	"unicode"
)

// captureValues finds what stands in the trigger's holes.
func (t *trigger) captureValues(s *parsedSentence, at []int) map[string]capturedSpan {
	found := map[string]capturedSpan{}
	for i := 0; i < len(t.placeholders); {
		last := i + 1
		for last < len(t.placeholders) && t.placeholders[last].wordsBefore == t.placeholders[i].wordsBefore {
			last++
		}
		t.captureRegion(s, at, t.placeholders[i:last], found)
		i = last
	}
	return found
}

// captureRegion fills neighbouring holes from the words between two words of the trigger.
func (t *trigger) captureRegion(s *parsedSentence, at []int, holes []triggerPlaceholder, found map[string]capturedSpan) {
	from, to := 0, len(s.tokens)
	after := holes[0].wordsBefore
	if after > 0 {
		from = at[after-1] + 1
	}
	if after < len(at) {
		to = at[after]
	}
	if after == 0 {
		from = s.backwardStart(to)
	}
	starts := make([]int, len(holes))
	ends := make([]int, len(holes))
	for i, h := range holes {
		leadEnd := s.findLeadEnd(h.leadWords, from, to)
		starts[i], ends[i] = max(leadEnd, from), to
		if i > 0 {
			ends[i-1] = max(starts[i]-len(h.leadWords), starts[i-1])
		}
		from = starts[i]
		found[h.name] = capturedSpan{hasLeadWords: leadEnd >= 0}
	}
	for i, h := range holes {
		open := i == len(holes)-1 && after == len(at)
		found[h.name] = s.captureSpan(starts[i], ends[i], open, found[h.name].hasLeadWords || len(h.leadWords) == 0 && after > 0)
	}
}

// findLeadEnd finds the end of the small words that lead to a hole, -1 where they are missing.
func (s *parsedSentence) findLeadEnd(lead []string, from, to int) int {
	if len(lead) == 0 {
		return -1
	}
	word := lead[len(lead)-1]
	for i := from; i < min(to, from+maxSmallWords); i++ {
		if s.tokens[i].Word == word {
			return i + 1
		}
	}
	return -1
}

// backwardStart returns how far a hole at a trigger's beginning may reach back: a few words with a meaning of the same clause.
func (s *parsedSentence) backwardStart(to int) int {
	from := to
	for from > 0 && to > 0 && s.tokens[from-1].Unspaced && s.tokens[from-1].isStop {
		from--
	}
	to = from
	for from > 0 && to-from < 4 && s.tokens[from-1].clauseIndex == s.tokens[min(to, len(s.tokens)-1)].clauseIndex && !s.tokens[from-1].isStop {
		from--
	}
	return from
}

// isJoinedToNext reports that the next word hangs on this one: the "A" of "A-17" is no small word.
func (s *parsedSentence) isJoinedToNext(i int) bool {
	return i+1 < len(s.tokens) && s.tokens[i+1].Start == s.tokens[i].End+1 && strings.IndexByte("-_/.", s.text[s.tokens[i].End]) >= 0
}

// captureSpan returns the bytes of the words without small ones around them. Where no small word leads to them they must look like a
// value: a name, a number, or a script that writes neither.
func (s *parsedSentence) captureSpan(from, to int, open, hasLead bool) capturedSpan {
	for from < to && s.tokens[from].isStop && !s.isJoinedToNext(from) {
		from++
	}
	for to > from && s.tokens[to-1].isStop && !open {
		to--
	}
	if from >= to {
		return capturedSpan{}
	}
	c := capturedSpan{start: s.tokens[from].Start, end: s.tokens[to-1].End, reachesEnd: open, hasLeadWords: hasLead}
	if open {
		c.end = s.end
	}
	value := func(r rune) bool { return unicode.IsDigit(r) || unicode.IsUpper(r) || r == '@' }
	if !hasLead && !s.tokens[from].Unspaced && !slices.ContainsFunc([]rune(s.text[c.start:c.end]), value) {
		return capturedSpan{}
	}
	return c
}
