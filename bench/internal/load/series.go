package load

import (
	"slices"
	"time"

	"parley/bench/internal/report"
)

// Batch is what one target did in one round.
type Batch struct {
	firstTokens []time.Duration // to the first token, sorted
	Totals      []time.Duration // to the whole answer, sorted
	Failures    int
	FirstErr    error         // of the first failure
	duration    time.Duration // of the whole round
	cpuTime     time.Duration // that the asked process used meanwhile
	databaseCPU time.Duration // that the processes of its database used meanwhile
}

func (b *Batch) Sort() {
	slices.Sort(b.firstTokens)
	slices.Sort(b.Totals)
}

func (b *Batch) rate() float64 { return float64(len(b.Totals)) / b.duration.Seconds() }

// Series is what one target did, a batch a round.
type Series []*Batch

// MedianOf returns the median over the rounds of one figure.
func (s Series) MedianOf(figure func(*Batch) float64) float64 {
	var values []float64
	for _, b := range s {
		values = append(values, figure(b))
	}
	return report.Median(values)
}

func (s Series) TotalQuantile(q float64) float64 {
	return s.MedianOf(func(b *Batch) float64 { return report.Milliseconds(report.Quantile(b.Totals, q)) })
}

func (s Series) FirstTokenQuantile(q float64) float64 {
	return s.MedianOf(func(b *Batch) float64 { return report.Milliseconds(report.Quantile(b.firstTokens, q)) })
}

func (s Series) Rate() float64 { return s.MedianOf((*Batch).rate) }

// CPUPerAnswer is the processor time of one answer, in milliseconds.
func (s Series) CPUPerAnswer() float64 {
	return s.MedianOf(func(b *Batch) float64 { return report.Milliseconds(b.cpuTime) / float64(max(1, len(b.Totals))) })
}

// DatabaseCPUPerAnswer is the processor time that the database used for one answer, in milliseconds.
func (s Series) DatabaseCPUPerAnswer() float64 {
	return s.MedianOf(func(b *Batch) float64 {
		return report.Milliseconds(b.databaseCPU) / float64(max(1, len(b.Totals)))
	})
}

// Failures counts what went wrong, with the first reason.
func (s Series) Failures() (n int, firstErr error) {
	for _, b := range s {
		n += b.Failures
		firstErr = report.FirstError(firstErr, b.FirstErr)
	}
	return n, firstErr
}
