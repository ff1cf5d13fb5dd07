package quote

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"parley/internal/model"
	"parley/internal/text/markdown"
)

// maxProcedureParts bounds how many passages one procedure is put together from.
const maxProcedureParts = 6

// wholeExcerpts returns the quote with what belongs to it in other passages: steps, lists and code that were cut
// between passages are told from their beginning to their end.
func (q *parsedQuestion) wholeExcerpts(passages []model.Passage, pages []passageLayout, u quotableUnit,
	first excerpt) []excerpt {
	switch {
	case u.ordered:
		return procedureExcerpts(passages, pages, first)
	case u.kind == markdown.Item:
		return q.listExcerpts(passages, pages, u, first)
	}
	return append([]excerpt{first}, pages[first.passageIndex].codeRestOf(first)...)
}

func procedureExcerpts(passages []model.Passage, pages []passageLayout, first excerpt) []excerpt {
	picked := append([]excerpt{first}, pages[first.passageIndex].codeRestOf(first)...)
	for range maxProcedureParts {
		s, from, ok := precedingSteps(passages, pages, picked[0])
		if !ok {
			break
		}
		picked[0].continuesPrevious, picked[0].start = true, from
		picked = append([]excerpt{s}, picked...)
	}
	for range maxProcedureParts {
		last := &picked[len(picked)-1]
		s, end, ok := followingSteps(passages, pages, *last, lastStepOf(pages, picked))
		if !ok {
			break
		}
		last.end = end
		picked = append(append(picked, s), pages[s.passageIndex].codeRestOf(s)...)
	}
	return picked
}

// lastStepOf returns the number of the last step in what was picked.
func lastStepOf(pages []passageLayout, picked []excerpt) (n int) {
	for _, s := range picked {
		n = max(n, lastStepNumber(&pages[s.passageIndex], s))
	}
	return n
}

// followingPassage returns the passage that the text of passage i goes on in, and where in it what is new begins; -1
// for none.
func followingPassage(passages []model.Passage, i int) (next, from int) {
	p := passages[i]
	for n, f := range passages {
		from = p.End - f.Start
		if isOneText(p, f) && f.Start > p.Start && f.End > p.End && from >= -maxGapBytes {
			if from = max(from, 0); from < len(f.Text) && strings.HasSuffix(p.Text, f.Text[:from]) {
				return n, from
			}
		}
	}
	return -1, 0
}

// precedingPassage returns the passage that is followed by passage i, and where in i what is new begins; -1 for none.
func precedingPassage(passages []model.Passage, i int) (before, from int) {
	for n := range passages {
		if isOneText(passages[n], passages[i]) && passages[n].Start < passages[i].Start {
			if next, from := followingPassage(passages, n); next == i {
				return n, from
			}
		}
	}
	return -1, 0
}

// maxGapBytes is how many bytes, line breaks, may be between two passages.
const maxGapBytes = 4

func isOneText(a, b model.Passage) bool {
	return a.SourceID == b.SourceID && a.VersionID == b.VersionID
}

// followingSteps finds the steps behind s from number n+1 on, with what is between: in the same passage, behind the
// rest of code, or in the next passage of the same text. It returns where s then ends.
func followingSteps(passages []model.Passage, pages []passageLayout, s excerpt, n int) (more excerpt, end int,
	ok bool) {
	p := &pages[s.passageIndex]
	if more, ok := stepsFrom(p, s.passageIndex, s.end, n); ok {
		return more, s.end, true
	}
	next, from := followingPassage(passages[:len(pages)], s.passageIndex)
	if next < 0 || !p.isRemark(s.end) {
		return excerpt{}, 0, false
	}
	more, ok = stepsFrom(&pages[next], next, from, n)
	return more, max(s.end, len(strings.TrimRight(p.text, " \t\r\n"))), ok
}

// isRemark reports whether what is behind a place is no more than may be between two steps.
func (p *passageLayout) isRemark(from int) bool {
	n := 0
	for _, b := range p.blocks {
		if b.Start < from {
			continue
		}
		if n++; b.Kind == markdown.Heading || b.Kind == markdown.Item || n > maxBetweenSteps {
			return false
		}
	}
	return true
}

// stepsFrom returns the steps from number n+1 on with what is before them from a place on, which belongs to step n.
func stepsFrom(p *passageLayout, i, from, n int) (excerpt, bool) {
	between := 0
	for at, b := range p.blocks {
		switch {
		case b.Start < from:
		case b.Kind == markdown.Heading, between > maxBetweenSteps, n == 0:
			return excerpt{}, false
		case p.isStep(at, n+1):
			return excerpt{passageIndex: i, start: from + leadingSpace(p.text[from:]), end: p.blocks[p.groupEnd(at)].End,
				continuesPrevious: true}, true
		default:
			between++
		}
	}
	return excerpt{}, false
}

func leadingSpace(text string) int { return len(text) - len(strings.TrimLeft(text, " \t\r\n")) }

// precedingSteps finds the steps that lead to the first one of s in the passage before it, and returns where in the
// passage of s what follows them begins.
func precedingSteps(passages []model.Passage, pages []passageLayout, s excerpt) (steps excerpt, from int, ok bool) {
	n := stepNumber(pages[s.passageIndex].text[s.start:])
	before, from := precedingPassage(passages[:len(pages)], s.passageIndex)
	if n < 2 || before < 0 || from > s.start {
		return excerpt{}, 0, false
	}
	p := &pages[before]
	for at := 0; at < len(p.blocks); {
		last := p.groupEnd(at)
		all := excerpt{passageIndex: before, start: p.blocks[at].Start, end: len(strings.TrimRight(p.text, " \t\r\n"))}
		group := excerpt{start: all.start, end: p.blocks[last].End}
		if lastStepNumber(p, group) == n-1 && lastStepNumber(p, all) == n-1 {
			steps, ok = all, true
		}
		at = last + 1
	}
	return steps, from + leadingSpace(pages[s.passageIndex].text[from:]), ok
}

// dropHeadlessSteps takes away steps whose beginning is nowhere: they are told whole or not at all.
func dropHeadlessSteps(passages []model.Passage, pages []passageLayout) {
	for i := range pages {
		for n, u := range pages[i].units {
			if !u.ordered || stepNumber(pages[i].text[u.start:]) < 2 {
				continue
			}
			if _, _, ok := precedingSteps(passages, pages, u.excerpt); !ok {
				pages[i].units[n].score = 0
			}
		}
	}
}

func (p *passageLayout) isStep(n, number int) bool {
	b := p.blocks[n]
	return b.Kind == markdown.Item && b.Ordered && b.Level == 0 && stepNumber(p.text[b.Start:]) == number
}

// lastStepNumber returns the number of the last step in the stretch; 0 for none.
func lastStepNumber(p *passageLayout, s excerpt) (n int) {
	for _, b := range p.blocks {
		if b.Kind == markdown.Item && b.Ordered && b.Level == 0 && s.start <= b.Start && b.End <= s.end {
			n = stepNumber(p.text[b.Start:])
		}
	}
	return n
}

// stepNumber returns the number that an item begins with; 0 for none.
func stepNumber(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.Atoi(text[:min(digits, 4)])
	if err != nil {
		return 0
	}
	return n
}

// resumeProcedure takes the last message as what a tool said it needs: a procedure that lacks inputs waits with
// {"needs": […]} in its result, and goes on when it is called again with them. One that has led to another names it as
// the "procedure" to call.
func resumeProcedure(req model.Request) (callDraft, bool) {
	n := len(req.Messages)
	if n < 4 || req.Messages[n-2].Role != "assistant" || req.Messages[n-3].Role != "tool" {
		return callDraft{}, false
	}
	result, called := req.Messages[n-3], req.Messages[n-4]
	var out struct {
		Data struct {
			Needs     []string
			Procedure string
		}
	}
	if json.Unmarshal([]byte(result.Text), &out) != nil || len(out.Data.Needs) == 0 {
		return callDraft{}, false
	}
	call := slices.IndexFunc(called.ToolCalls, func(c model.ToolCall) bool { return c.ID == result.ToolCallID })
	if call < 0 {
		return callDraft{}, false
	}
	name := cmp.Or(out.Data.Procedure, called.ToolCalls[call].Name)
	tool := slices.IndexFunc(req.Tools, func(t model.Tool) bool { return t.Name == name })
	if tool < 0 {
		return callDraft{}, false
	}
	w := newCallDraft(req.Tools[tool])
	requested := slices.DeleteFunc(slices.Clone(w.inputs), func(in toolInput) bool {
		return !slices.Contains(out.Data.Needs, in.name)
	})
	userText := req.Messages[n-1].Text
	if w.isAbandonedBy(userText, requested, req.Tools) || !w.isAnsweredBy(userText, requested) {
		return callDraft{}, false
	}
	w.fillFromAnswer(userText, requested)
	return w, true
}
