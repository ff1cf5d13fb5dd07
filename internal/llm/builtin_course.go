package llm

import (
	"strconv"
	"strings"

	"parley/internal/prose"
)

// mostParts bounds how many passages one procedure is put together from.
const mostParts = 6

// course gives the quote, and where it is steps that were cut between passages, the steps before and after it too as far as the passages of
// the request hold them: a procedure is told from its beginning to its end.
func course(passages []Passage, pages []page, u unit, first stretch) []stretch {
	picked := []stretch{first}
	if !u.ordered {
		return picked
	}
	for range mostParts {
		s, ok := stepsBefore(passages, pages, picked[0])
		if !ok {
			break
		}
		picked[0].joined = true
		picked = append([]stretch{s}, picked...)
	}
	for range mostParts {
		s, ok := stepsAfter(passages, pages, picked[len(picked)-1])
		if !ok {
			break
		}
		picked = append(picked, s)
	}
	return picked
}

// stepsAfter finds the steps that go on from the last one of s in the next passage of the same text.
func stepsAfter(passages []Passage, pages []page, s stretch) (stretch, bool) {
	here := passages[s.passage]
	n := lastStep(&pages[s.passage], s)
	if n == 0 || s.end < len(strings.TrimRight(here.Text, " \t\r\n")) {
		return stretch{}, false
	}
	for i := range pages {
		next := passages[i]
		if i == s.passage || next.SourceID != here.SourceID || next.VersionID != here.VersionID || next.End <= here.End || next.Start > here.End+4 {
			continue
		}
		if from, to, ok := run(&pages[i], n+1); ok && next.Start+pages[i].blocks[from].Start >= here.Start+s.end {
			b := pages[i].blocks
			return stretch{passage: i, start: b[from].Start, end: b[to].End, joined: true}, true
		}
	}
	return stretch{}, false
}

// stepsBefore finds the steps that lead to the first one of s in the passage before it.
func stepsBefore(passages []Passage, pages []page, s stretch) (stretch, bool) {
	here := passages[s.passage]
	n := step(pages[s.passage].text[s.start:])
	if n < 2 {
		return stretch{}, false
	}
	for i := range pages {
		p := &pages[i]
		if last := passages[i]; i == s.passage || last.SourceID != here.SourceID || last.VersionID != here.VersionID || last.Start >= here.Start || last.End+4 < here.Start {
			continue
		}
		for _, u := range p.units {
			if u.ordered && lastStep(p, u.stretch) == n-1 && passages[i].Start+u.end <= here.Start+s.start {
				return u.stretch, true
			}
		}
	}
	return stretch{}, false
}

// run finds the blocks of the steps from number n on.
func run(p *page, n int) (from, to int, ok bool) {
	for i, b := range p.blocks {
		if b.Kind == prose.Item && b.Ordered && b.Level == 0 && step(p.text[b.Start:]) == n {
			return i, p.group(i), true
		}
	}
	return 0, 0, false
}

// lastStep is the number of the last step in the stretch; 0 for none.
func lastStep(p *page, s stretch) (n int) {
	for _, b := range p.blocks {
		if b.Kind == prose.Item && b.Ordered && b.Level == 0 && s.start <= b.Start && b.End <= s.end {
			n = step(p.text[b.Start:])
		}
	}
	return n
}

// step is the number that an item begins with; 0 for none.
func step(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.Atoi(text[:min(digits, 4)])
	if err != nil {
		return 0
	}
	return n
}
