package eval

import "slices"

// Point is what refusing everything below a threshold would do.
type Point struct {
	Threshold     float64 `json:"threshold"`
	FalseRefusals float64 `json:"false_refusals"`
	RefusalRecall float64 `json:"refusal_recall"`
}

// curve gives a point for each score there is, from refusing nothing to refusing all but the surest, and the area under it.
// Without scores of both kinds of questions there is neither.
func curve(trials []Trial) (points []Point, area *float64) {
	var held, open []float64
	for _, t := range trials {
		switch {
		case t.Score == nil || t.Answerable == nil:
		case *t.Answerable:
			held = append(held, *t.Score)
		default:
			open = append(open, *t.Score)
		}
	}
	if len(held) == 0 || len(open) == 0 {
		return nil, nil
	}
	slices.Sort(held)
	slices.Sort(open)
	thresholds := slices.Concat(held, open)
	slices.Sort(thresholds)
	for _, t := range slices.Compact(thresholds) {
		points = append(points, Point{t, below(held, t), below(open, t)})
	}
	sum := 0.0
	for _, h := range held {
		i, _ := slices.BinarySearch(open, h)
		j := i
		for j < len(open) && open[j] == h {
			j++
		}
		sum += float64(i) + float64(j-i)/2
	}
	a := sum / float64(len(held)) / float64(len(open))
	return points, &a
}

// below gives the share of the sorted scores under the threshold.
func below(scores []float64, threshold float64) float64 {
	i, _ := slices.BinarySearch(scores, threshold)
	return float64(i) / float64(len(scores))
}

// RecallAt gives the most unanswerable questions that can be refused while no more than the share of answerable ones is, as a
// share of them; nil without a curve.
func (f *Figures) RecallAt(falsely float64) *float64 {
	var best *float64
	for _, p := range f.Curve {
		if p.FalseRefusals <= falsely {
			best = &p.RefusalRecall
		}
	}
	return best
}
