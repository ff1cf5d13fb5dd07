package eval_test

import (
	"fmt"
	"math"
	"slices"
)

// logisticWeights of a logistic regression, the base first.
type logisticWeights []float64

func (w logisticWeights) score(l trainingExample) float64 {
	if l.features == nil {
		return 0
	}
	return 1 / (1 + math.Exp(-w.sum(l)))
}

func (w logisticWeights) sum(l trainingExample) (z float64) {
	z = w[0]
	for i, v := range l.features {
		z += w[i+1] * v
	}
	return z
}

func (w logisticWeights) scores(all []trainingExample) (scores []float64) {
	for _, l := range all {
		scores = append(scores, w.score(l))
	}
	return scores
}

// fitWeights finds the weights by gradient descent, in standardised signs, with a little pull towards nothing.
func fitWeights(all []trainingExample) logisticWeights {
	const pull, steps, pace = 10, 600, 4
	all = filterExamples(all, func(l trainingExample) bool { return l.features != nil })
	n := len(all[0].features)
	mean, spread, total := make([]float64, n), make([]float64, n), 0.0
	for _, l := range all {
		total += l.weight
		for i, v := range l.features {
			mean[i] += l.weight * v
		}
	}
	for i := range mean {
		mean[i] /= total
		for _, l := range all {
			spread[i] += l.weight * (l.features[i] - mean[i]) * (l.features[i] - mean[i])
		}
		spread[i] = math.Sqrt(spread[i]/total) + 1e-9
	}
	w := make([]float64, n+1)
	for range steps {
		slope := make([]float64, n+1)
		for i := range n {
			slope[i+1] = -pull * w[i+1]
		}
		for _, l := range all {
			z := w[0]
			for i, v := range l.features {
				z += w[i+1] * (v - mean[i]) / spread[i]
			}
			miss := l.weight * (l.isAnswerable - 1/(1+math.Exp(-z)))
			slope[0] += miss
			for i, v := range l.features {
				slope[i+1] += miss * (v - mean[i]) / spread[i]
			}
		}
		for i := range w {
			w[i] += pace * slope[i] / total
		}
	}
	for i := range n {
		w[i+1] /= spread[i]
		w[0] -= w[i+1] * mean[i]
	}
	return w
}

func quantile(scores []float64, share float64) float64 {
	scores = slices.Sorted(slices.Values(scores))
	return scores[int(share*float64(len(scores)))]
}

// describeSeparation returns how well the scores tell answerable questions from others.
func describeSeparation(all []trainingExample, scores []float64) string {
	var answerable, open []float64
	for i, l := range all {
		if l.isAnswerable == 1 {
			answerable = append(answerable, scores[i])
		} else {
			open = append(open, scores[i])
		}
	}
	above := 0.0
	for _, h := range answerable {
		for _, o := range open {
			if h > o {
				above++
			}
		}
	}
	recall := func(falsely float64) float64 {
		n, bar := 0.0, quantile(answerable, falsely)
		for _, o := range open {
			if o < bar {
				n++
			}
		}
		return n / float64(len(open))
	}
	return fmt.Sprintf("AUC %.3f, refused rightly at 10 %% %.3f, at 15 %% %.3f",
		above/float64(len(answerable)*len(open)), recall(.1), recall(.15))
}
