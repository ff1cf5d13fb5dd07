package eval

import "slices"

// Point is what refusing everything below a threshold would do.
type Point struct {
	Threshold     float64 `json:"threshold"`
	FalseRefusals float64 `json:"false_refusals"`
	RefusalRecall float64 `json:"refusal_recall"`
}

// refusalCurve returns a point for each score there is, from refusing nothing to refusing all but the surest, and the area under it.
// Without scores of both kinds of questions there is neither.
func refusalCurve(trials []Trial) (points []Point, area *float64) {
	var answerable, unanswerable []float64
	for _, t := range trials {
		switch {
		case t.Score == nil || t.Answerable == nil:
		case *t.Answerable:
			answerable = append(answerable, *t.Score)
		default:
			unanswerable = append(unanswerable, *t.Score)
		}
	}
	if len(answerable) == 0 || len(unanswerable) == 0 {
		return nil, nil
	}
	slices.Sort(answerable)
	slices.Sort(unanswerable)
	thresholds := slices.Concat(answerable, unanswerable)
	slices.Sort(thresholds)
	for _, t := range slices.Compact(thresholds) {
		points = append(points, Point{t, shareBelow(answerable, t), shareBelow(unanswerable, t)})
	}
	sum := 0.0
	for _, h := range answerable {
		i, _ := slices.BinarySearch(unanswerable, h)
		j := i
		for j < len(unanswerable) && unanswerable[j] == h {
			j++
		}
		sum += float64(i) + float64(j-i)/2
	}
	a := sum / float64(len(answerable)) / float64(len(unanswerable))
	return points, &a
}

// shareBelow returns the share of the sorted scores under the threshold.
func shareBelow(scores []float64, threshold float64) float64 {
	i, _ := slices.BinarySearch(scores, threshold)
	return float64(i) / float64(len(scores))
}

// RecallAt returns the most unanswerable questions that can be refused while no more than the share of answerable ones is, as a
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
