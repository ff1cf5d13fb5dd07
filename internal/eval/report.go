package eval

import (
	"context"
	"slices"
)

// Report is a run over sets. The figures are those of all questions together.
type Report struct {
	Model    string     `json:"model"` // what answered; empty with the baseline
	Baseline bool       `json:"baseline"`
	Search   SearchMode `json:"search,omitempty"`   // what passages were found by; empty for words
	Vectors  string     `json:"embedder,omitempty"` // whose vectors
	Figures
	Sets []*Result `json:"sets"`
}

// RunAll runs the sets one after the other.
func (r Runner) RunAll(ctx context.Context, sets []Set) (*Report, error) {
	out := &Report{Baseline: r.Baseline}
	if !r.Baseline {
		out.Model = r.Backend.Label
	}
	if r.Embedder != nil {
		out.Search, out.Vectors = r.Search, r.Embedder.Name()
	}
	var all []Trial
	for _, set := range sets {
		done, err := r.Run(ctx, set)
		if err != nil {
			return nil, err
		}
		out.Sets = append(out.Sets, done)
		all = append(all, done.Trials...)
	}
	out.Figures = computeFigures(slices.Clip(all))
	for _, done := range out.Sets {
		if done.LeftOut != nil {
			if out.LeftOut == nil {
				out.LeftOut = &Outcomes{}
			}
			out.LeftOut.Add(*done.LeftOut)
		}
	}
	return out, nil
}

// Change is a question that two runs treat differently.
type Change struct {
	Set      string    `json:"set"`
	ID       string    `json:"id"`
	Question string    `json:"question"`
	Kind     string    `json:"kind"` // better, worse or other
	Rank     [2]int    `json:"rank"` // before and now; 0 for not found
	Refused  [2]bool   `json:"refused"`
	Answer   [2]string `json:"answer"`
}

// Comparison is a run beside an earlier one.
type Comparison struct {
	Better  int      `json:"better"`
	Worse   int      `json:"worse"`
	Other   int      `json:"other"` // another answer, neither better nor worse by rank and refusal
	Same    int      `json:"same"`
	Missing int      `json:"missing"` // questions of the sets of this run that only one of the two has
	Changes []Change `json:"changes"`
}

// Compare goes through the questions of both runs. A question is better when it is refused or answered rightly and was
// not, or, all else alike, when its first relevant document is higher.
func Compare(before, now *Report) *Comparison {
	type key struct{ set, id string }
	old := map[key]*Trial{}
	for _, s := range before.Sets {
		if !slices.ContainsFunc(now.Sets, func(n *Result) bool { return n.Name == s.Name }) {
			continue
		}
		for i := range s.Trials {
			old[key{s.Name, s.Trials[i].ID}] = &s.Trials[i]
		}
	}
	c := &Comparison{Changes: []Change{}, Missing: len(old)}
	for _, s := range now.Sets {
		for i := range s.Trials {
			t := &s.Trials[i]
			o := old[key{s.Name, t.ID}]
			if o == nil {
				c.Missing++
				continue
			}
			c.Missing--
			c.addTrial(s.Name, o, t, before.Baseline || now.Baseline)
		}
	}
	return c
}

// addTrial compares one question; where one of the runs answered nothing only the ranks count.
func (c *Comparison) addTrial(set string, o, t *Trial, ranksOnly bool) {
	verdict := compareTrials(o, t, ranksOnly)
	change := Change{Set: set, ID: t.ID, Question: t.Question, Rank: [2]int{o.Rank, t.Rank},
		Refused: [2]bool{o.Refused, t.Refused}, Answer: [2]string{o.Answer, t.Answer}}
	switch {
	case verdict > 0:
		c.Better++
		change.Kind = "better"
	case verdict < 0:
		c.Worse++
		change.Kind = "worse"
	case !ranksOnly && o.Answer != t.Answer:
		c.Other++
		change.Kind = "other"
	default:
		c.Same++
		return
	}
	c.Changes = append(c.Changes, change)
}

func compareTrials(o, t *Trial, ranksOnly bool) int {
	if !ranksOnly && t.Answerable != nil && o.Refused != t.Refused {
		if t.Refused == *t.Answerable {
			return -1
		}
		return 1
	}
	return rankOrLast(o) - rankOrLast(t)
}

// rankOrLast returns the rank, and far behind all others when there is none.
func rankOrLast(t *Trial) int {
	if t.Rank == 0 {
		return maxRankedPassages + 1
	}
	return t.Rank
}
