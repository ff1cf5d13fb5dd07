package quote

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"parley/internal/model"
	"parley/internal/text/markdown"
)

// maxProcedureParts bounds how many passages one procedure is put together from.
const maxProcedureParts = 6

// procedureExcerpts returns the quote, and where it is steps that were cut between passages, the steps before and after
// it too as far as the passages of the request hold them: a procedure is told from its beginning to its end.
func procedureExcerpts(passages []model.Passage, pages []passageLayout, u quotableUnit, first excerpt) []excerpt {
	picked := []excerpt{first}
	if !u.ordered {
		return picked
	}
	for range maxProcedureParts {
		s, ok := precedingSteps(passages, pages, picked[0])
		if !ok {
			break
		}
		picked[0].continuesPrevious = true
		picked = append([]excerpt{s}, picked...)
	}
	for range maxProcedureParts {
		s, ok := followingSteps(passages, pages, picked[len(picked)-1])
		if !ok {
			break
		}
		picked = append(picked, s)
	}
	return picked
}

// followingSteps finds the steps that go on from the last one of s in the next passage of the same text.
func followingSteps(passages []model.Passage, pages []passageLayout, s excerpt) (excerpt, bool) {
	passage := passages[s.passageIndex]
	n := lastStepNumber(&pages[s.passageIndex], s)
	if n == 0 || s.end < len(strings.TrimRight(passage.Text, " \t\r\n")) {
		return excerpt{}, false
	}
	for i := range pages {
		next := passages[i]
		if i == s.passageIndex || next.SourceID != passage.SourceID || next.VersionID != passage.VersionID ||
			next.End <= passage.End || next.Start > passage.End+4 {
			continue
		}
		if from, to, ok := findStepBlocks(&pages[i], n+1); ok &&
			next.Start+pages[i].blocks[from].Start >= passage.Start+s.end {
			b := pages[i].blocks
			return excerpt{passageIndex: i, start: b[from].Start, end: b[to].End, continuesPrevious: true}, true
		}
	}
	return excerpt{}, false
}

// precedingSteps finds the steps that lead to the first one of s in the passage before it.
func precedingSteps(passages []model.Passage, pages []passageLayout, s excerpt) (excerpt, bool) {
	passage := passages[s.passageIndex]
	n := stepNumber(pages[s.passageIndex].text[s.start:])
	if n < 2 {
		return excerpt{}, false
	}
	for i := range pages {
		p := &pages[i]
		if last := passages[i]; i == s.passageIndex || last.SourceID != passage.SourceID ||
			last.VersionID != passage.VersionID || last.Start >= passage.Start || last.End+4 < passage.Start {
			continue
		}
		for _, u := range p.units {
			if u.ordered && lastStepNumber(p, u.excerpt) == n-1 && passages[i].Start+u.end <= passage.Start+s.start {
				return u.excerpt, true
			}
		}
	}
	return excerpt{}, false
}

// findStepBlocks finds the blocks of the steps from number n on.
func findStepBlocks(p *passageLayout, n int) (from, to int, ok bool) {
	for i, b := range p.blocks {
		if b.Kind == markdown.Item && b.Ordered && b.Level == 0 && stepNumber(p.text[b.Start:]) == n {
			return i, p.groupEnd(i), true
		}
	}
	return 0, 0, false
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
// {"needs": […]} in its result, and goes on when it is called again with them.
func resumeProcedure(req model.Request) (callDraft, bool) {
	n := len(req.Messages)
	if n < 4 || req.Messages[n-2].Role != "assistant" || req.Messages[n-3].Role != "tool" {
		return callDraft{}, false
	}
	result, called := req.Messages[n-3], req.Messages[n-4]
	var out struct{ Data struct{ Needs []string } }
	if json.Unmarshal([]byte(result.Text), &out) != nil || len(out.Data.Needs) == 0 {
		return callDraft{}, false
	}
	call := slices.IndexFunc(called.ToolCalls, func(c model.ToolCall) bool { return c.ID == result.ToolCallID })
	if call < 0 {
		return callDraft{}, false
	}
	tool := slices.IndexFunc(req.Tools, func(t model.Tool) bool { return t.Name == called.ToolCalls[call].Name })
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
