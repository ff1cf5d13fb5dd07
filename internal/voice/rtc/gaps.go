package rtc

import (
	"slices"
	"time"
)

// gaps remembers the time between packets of speech that follow one another.
type gaps struct {
	recent [512]time.Duration // ten seconds of speech
	count  int
	max    time.Duration
	last   time.Time
}

// sent notes a packet. The time since the one before counts if there was no silence between.
func (g *gaps) sent(now time.Time, follows bool) {
	if follows && !g.last.IsZero() {
		gap := now.Sub(g.last)
		g.recent[g.count%len(g.recent)] = gap
		g.count++
		g.max = max(g.max, gap)
	}
	g.last = now
}

// p95 is the 95th percentile of the recent ones; zero where there are none.
func (g *gaps) p95() time.Duration {
	n := min(g.count, len(g.recent))
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(g.recent[:n]))
	return sorted[(n*95-1)/100]
}
