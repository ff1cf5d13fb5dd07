package rtc

import (
	"testing"
	"time"
)

// A packet that leaves later than its beat is counted, and silence is not.
func TestTardyPackets(t *testing.T) {
	now := time.UnixMilli(1_000_000)
	p := newPump(numbered{}, func() time.Time { return now }, func([]byte, time.Time) error { return nil }, func(Event) {})
	p.Play(clip("a", 4, 1))
	for _, late := range []time.Duration{0, tardyAfter, tardyAfter + 1, 300 * time.Millisecond, time.Second, time.Second} {
		p.tick(now.Add(-late))
	}
	var s Stats
	if p.stats(&s); s.Sent != 4 || s.Tardy != 2 {
		t.Errorf("%+v", s)
	}
}
