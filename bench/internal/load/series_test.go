package load

import (
	"testing"
	"time"
)

func TestMedianOfRounds(t *testing.T) {
	var s Series
	for _, d := range []time.Duration{30 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond} {
		s = append(s, &Batch{Totals: []time.Duration{d}, duration: time.Second})
	}
	if got := s.TotalQuantile(.5); got != 20 {
		t.Errorf("median of rounds = %v, want 20", got)
	}
}
