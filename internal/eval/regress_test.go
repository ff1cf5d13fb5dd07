package eval_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// logisticWeights of a logistic regression, the base first.
type logisticWeights []float64

func (w logisticWeights) score(l trainingExample) float64 {
	if l.Features == nil {
		return 0
	}
	return 1 / (1 + math.Exp(-w.sum(l)))
}

func (w logisticWeights) sum(l trainingExample) (z float64) {
	z = w[0]
	for i, v := range l.Features {
		z += w[i+1] * v
	}
	return z
}

// fitWeights finds the weights by Newton's method, in standardised signs, with a little pull towards nothing.
func fitWeights(all []trainingExample) logisticWeights {
	const pull, steps = 2, 8
	n := len(all[0].Features)
	mean, spread := standardise(all)
	w, z := make([]float64, n+1), make([]float64, n+1)
	z[0] = 1
	for range steps {
		slope, curve := make([]float64, n+1), make([][]float64, n+1)
		for i := range curve {
			curve[i] = make([]float64, n+1)
			if i > 0 {
				slope[i], curve[i][i] = -pull*w[i], pull
			}
		}
		for _, l := range all {
			sum := w[0]
			for i, v := range l.Features {
				z[i+1] = (v - mean[i]) / spread[i]
				sum += w[i+1] * z[i+1]
			}
			p := 1 / (1 + math.Exp(-sum))
			for i := range z {
				slope[i] += l.Weight * (l.IsRight - p) * z[i]
				for j := range z {
					curve[i][j] += l.Weight * p * (1 - p) * z[i] * z[j]
				}
			}
		}
		for i, v := range solve(curve, slope) {
			w[i] += v
		}
	}
	for i := range n {
		w[i+1] /= spread[i]
		w[0] -= w[i+1] * mean[i]
	}
	return w
}

// standardise returns the mean and the spread of each sign.
func standardise(all []trainingExample) (mean, spread []float64) {
	n, total := len(all[0].Features), 0.0
	mean, spread = make([]float64, n), make([]float64, n)
	for _, l := range all {
		total += l.Weight
		for i, v := range l.Features {
			mean[i] += l.Weight * v
		}
	}
	for i := range mean {
		mean[i] /= total
		for _, l := range all {
			spread[i] += l.Weight * (l.Features[i] - mean[i]) * (l.Features[i] - mean[i])
		}
		spread[i] = math.Sqrt(spread[i]/total) + 1e-9
	}
	return mean, spread
}

// solve returns x of a·x = b by elimination; it changes both.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		for r := i + 1; r < n; r++ { // a is positive definite: no row is exchanged
			f := a[r][i] / a[i][i]
			for c := i; c < n; c++ {
				a[r][c] -= f * a[i][c]
			}
			b[r] -= f * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for c := i + 1; c < n; c++ {
			b[i] -= a[i][c] * b[c]
		}
		b[i] /= a[i][i]
	}
	return b
}

// describeSeparation returns how well the scores tell right answers from others, how much of what can be answered
// rightly is answered where 95 % of the answers are right, and where 90 % of what is not answerable is refused.
func describeSeparation(all []trainingExample, scores []float64) string {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	right, wrong, answerable, above, answered := 0.0, 0.0, 0.0, 0.0, 0.0
	at95, at90 := 0.0, 0.0
	open := 0.0
	for _, l := range all {
		answerable += boolToFloat(l.Answerable)
		open += boolToFloat(!l.Answerable)
	}
	bar, openAbove := 1.0, 0.0
	for _, i := range order {
		right, wrong = right+all[i].IsRight, wrong+1-all[i].IsRight
		above += (1 - all[i].IsRight) * right
		if all[i].Answerable {
			answered++
		} else if openAbove++; openAbove <= open/10 {
			at90 = answered / max(answerable, 1)
		}
		if right >= .95*(right+wrong) {
			at95, bar = right/max(answerable, 1), scores[i]
		}
	}
	return fmt.Sprintf("%4.0f answerable, %4.0f others: AUC %.3f, at 95 %% right %.2f answered rightly (over "+
		"%.2f), at 90 %% "+
		"refused %.2f answered", answerable, open, above/max(right*wrong, 1), at95, bar, at90)
}

func boolToFloat(value bool) float64 {
	if value {
		return 1
	}
	return 0
}
