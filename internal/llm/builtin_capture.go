package llm

import (
	"slices"
	"strings"
	"unicode"
)

// capture finds what stands in the trigger's holes.
func (t *trigger) capture(s *told, at []int) map[string]capture {
	found := map[string]capture{}
	for i := 0; i < len(t.holes); {
		last := i + 1
		for last < len(t.holes) && t.holes[last].after == t.holes[i].after {
			last++
		}
		t.region(s, at, t.holes[i:last], found)
		i = last
	}
	return found
}

// region fills neighbouring holes from the words between two words of the trigger.
func (t *trigger) region(s *told, at []int, holes []hole, found map[string]capture) {
	from, to := 0, len(s.tokens)
	after := holes[0].after
	if after > 0 {
		from = at[after-1] + 1
	}
	if after < len(at) {
		to = at[after]
	}
	if after == 0 {
		from = s.backward(to)
	}
	starts := make([]int, len(holes))
	ends := make([]int, len(holes))
	for i, h := range holes {
		led := s.lead(h.lead, from, to)
		starts[i], ends[i] = max(led, from), to
		if i > 0 {
			ends[i-1] = max(starts[i]-len(h.lead), starts[i-1])
		}
		from = starts[i]
		found[h.name] = capture{led: led >= 0}
	}
	for i, h := range holes {
		open := i == len(holes)-1 && after == len(at)
		found[h.name] = s.span(starts[i], ends[i], open, found[h.name].led || len(h.lead) == 0 && after > 0)
	}
}

// lead finds the end of the small words that lead to a hole, -1 where they are missing.
func (s *told) lead(lead []string, from, to int) int {
	if len(lead) == 0 {
		return -1
	}
	word := lead[len(lead)-1]
	for i := from; i < min(to, from+smallWords); i++ {
		if s.tokens[i].Word == word {
			return i + 1
		}
	}
	return -1
}

// backward gives how far a hole at a trigger's beginning may reach back: a few words with a meaning of the same clause.
func (s *told) backward(to int) int {
	from := to
	for from > 0 && to > 0 && s.tokens[from-1].Dense && s.tokens[from-1].stop {
		from--
	}
	to = from
	for from > 0 && to-from < 4 && s.tokens[from-1].clause == s.tokens[min(to, len(s.tokens)-1)].clause && !s.tokens[from-1].stop {
		from--
	}
	return from
}

// joined reports that the next word hangs on this one: the "A" of "A-17" is no small word.
func (s *told) joined(i int) bool {
	return i+1 < len(s.tokens) && s.tokens[i+1].Start == s.tokens[i].End+1 && strings.IndexByte("-_/.", s.text[s.tokens[i].End]) >= 0
}

// span gives the bytes of the words without small ones around them. Where no small word leads to them they must look like a
// value: a name, a number, or a script that writes neither.
func (s *told) span(from, to int, open, led bool) capture {
	for from < to && s.tokens[from].stop && !s.joined(from) {
		from++
	}
	for to > from && s.tokens[to-1].stop && !open {
		to--
	}
	if from >= to {
		return capture{}
	}
	c := capture{start: s.tokens[from].Start, end: s.tokens[to-1].End, open: open, led: led}
	if open {
		c.end = s.end
	}
	value := func(r rune) bool { return unicode.IsDigit(r) || unicode.IsUpper(r) || r == '@' }
	if !led && !s.tokens[from].Dense && !slices.ContainsFunc([]rune(s.text[c.start:c.end]), value) {
		return capture{}
	}
	return c
}
