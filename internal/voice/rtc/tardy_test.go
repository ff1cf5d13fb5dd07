package rtc

import (
	"testing"
	"time"
)

// A packet that leaves later than its beat is counted, and silence is not.
func TestTardyPackets(t *testing.T) {
	now := time.UnixMilli(1_000_000)
	p := newPlayer(numberCodec{}, func() time.Time { return now }, func([]byte, time.Time) error { return nil }, func(Event) {})
	p.Play(constantClip("a", 4, 1))
	for _, late := range []time.Duration{0, lateAfter, lateAfter + 1, 300 * time.Millisecond, time.Second, time.Second} {
		p.tick(now.Add(-late))
	}
	var s Stats
	if p.addStats(&s); s.Sent != 4 || s.SentLate != 2 {
		t.Errorf("%+v", s)
	}
}
