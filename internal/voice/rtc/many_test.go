package rtc_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

// Sessions leave nothing behind. The SDK closes connections after it has left, and where it looks for the address of a STUN server
// at that moment it waits for the answer.
func TestManySessionsLeaveNothing(t *testing.T) {
	s := sfus.Start(t)
	openRoom(t, s, "many")
	before := runtime.NumGoroutine() // with the connection on which rooms are opened
	defer eventually(t, "the end of all goroutines", func() bool { return runtime.NumGoroutine() <= before })
	for range 20 {
		p := joinAgent(t, s, "many")
		p.Play(rtc.Clip{ID: "1", PCM: sineStream(700, time.Minute)})
		p.SetState(rtc.Speaking)
		p.End(context.Background(), "operator")
	}
}
