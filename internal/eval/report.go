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
	return out, nil
}
