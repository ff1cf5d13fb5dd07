package main

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// quantile returns the smallest value that at least the share q of the values does not exceed. The values are sorted; of none
// it is zero.
func quantile[T cmp.Ordered](sorted []T, q float64) T {
	var none T
	if len(sorted) == 0 {
		return none
	}
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// median is the middle value, or the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	half := len(s) / 2
	if len(s)%2 == 1 {
		return s[half]
	}
	return (s[half-1] + s[half]) / 2
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// batch is what one target did in one round.
type batch struct {
	firstTokens []time.Duration // to the first token, sorted
	totals      []time.Duration // to the whole answer, sorted
	failures    int
	firstErr    error         // of the first failure
	duration    time.Duration // of the whole round
	cpuTime     time.Duration // that the asked process used meanwhile
}

func (b *batch) sort() {
	slices.Sort(b.firstTokens)
	slices.Sort(b.totals)
}

func (b *batch) rate() float64 { return float64(len(b.totals)) / b.duration.Seconds() }

// series is what one target did, a batch a round.
type series []*batch

// medianOf returns the median over the rounds of one figure.
func (s series) medianOf(figure func(*batch) float64) float64 {
	var values []float64
	for _, b := range s {
		values = append(values, figure(b))
	}
	return median(values)
}

func (s series) totalQuantile(q float64) float64 {
	return s.medianOf(func(b *batch) float64 { return milliseconds(quantile(b.totals, q)) })
}

func (s series) firstTokenQuantile(q float64) float64 {
	return s.medianOf(func(b *batch) float64 { return milliseconds(quantile(b.firstTokens, q)) })
}

func (s series) rate() float64 { return s.medianOf((*batch).rate) }

// cpuPerAnswer is the processor time of one answer, in milliseconds.
func (s series) cpuPerAnswer() float64 {
	return s.medianOf(func(b *batch) float64 { return milliseconds(b.cpuTime) / float64(max(1, len(b.totals))) })
}

// failures counts what went wrong, with the first reason.
func (s series) failures() (n int, why error) {
	for _, b := range s {
		n += b.failures
		why = firstError(why, b.firstErr)
	}
	return n, why
}
