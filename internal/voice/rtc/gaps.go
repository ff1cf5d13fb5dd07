package rtc

import (
	"slices"
	"time"
)

// gapStats remembers the time between packets of speech that follow one another.
type gapStats struct {
	recent     [512]time.Duration // ten seconds of speech
	count      int
	max        time.Duration
	lastSentAt time.Time
}

// addPacket notes a packet. The time since the one before counts if there was no silence between.
func (g *gapStats) addPacket(now time.Time, follows bool) {
	if follows && !g.lastSentAt.IsZero() {
		gap := now.Sub(g.lastSentAt)
		g.recent[g.count%len(g.recent)] = gap
		g.count++
		g.max = max(g.max, gap)
	}
	g.lastSentAt = now
}

// p95 is the 95th percentile of the recent ones; zero where there are none.
func (g *gapStats) p95() time.Duration {
	n := min(g.count, len(g.recent))
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(g.recent[:n]))
	return sorted[(n*95-1)/100]
}
