package report

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Quantile returns the smallest value that at least the share q of the values does not exceed. The values are sorted;
// of none it is zero.
func Quantile[T cmp.Ordered](sorted []T, q float64) T {
	var none T
	if len(sorted) == 0 {
		return none
	}
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// Median is the middle value, or the mean of the two in the middle.
func Median(values []float64) float64 {
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

func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func FirstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

const Megabyte = 1e6
