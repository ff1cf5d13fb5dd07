package rtc_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"parley/internal/rig/sfus"
	"parley/internal/voice/rtc"
)

// The way of a word through the house: from the user's first packet to a frame, and from Play to the user's ear; and from Stop to
// silence. A loaded machine must not fail it, so it holds only what would be plainly wrong.
func TestTheWayIsShort(t *testing.T) {
	s := sfus.Start(t)
	p := enter(t, s, "way")
	u := newUser(t, address(t, s), s.UserToken(pass("way")))
	u.publish()
	expect(t, p, rtc.EventJoined, rtc.EventMicOn)
	var there, stop []time.Duration
	for n := range 10 {
		began := time.Now()
		p.Play(rtc.Clip{ID: "1", PCM: spoken(700, 5*time.Second)})
		u.until("sound", func() bool { return u.lastHeard.After(began) })
		there = append(there, time.Since(began))
		time.Sleep(time.Duration(50+7*n) * time.Millisecond)
		p.Stop()
		cut := time.Now()
		time.Sleep(200 * time.Millisecond)
		u.mu.Lock()
		stop = append(stop, max(0, u.lastHeard.Sub(cut)))
		u.mu.Unlock()
		expect(t, p, rtc.EventStarted, rtc.EventEnded)
	}
	slices.Sort(there)
	slices.Sort(stop)
	t.Logf("from Play to the user: median %v, worst %v; from Stop to the last sound: median %v, worst %v", there[5], there[9], stop[5], stop[9])
	if there[5] > 150*time.Millisecond || stop[5] > 40*time.Millisecond {
		t.Error("the way is long")
	}
}

// Sessions leave nothing behind. The SDK closes connections after it has left, and where it looks for the address of a STUN server
// at that moment it waits for the answer.
func TestManySessionsLeaveNothing(t *testing.T) {
	s := sfus.Start(t)
	open(t, s, "many")
	before := runtime.NumGoroutine() // with the connection on which rooms are opened
	defer func() { await(t, func() bool { return runtime.NumGoroutine() <= before }) }()
	for range 20 {
		p := enter(t, s, "many")
		p.Play(rtc.Clip{ID: "1", PCM: spoken(700, time.Minute)})
		p.SetState(rtc.Speaking)
		p.End(context.Background(), "operator")
	}
}
