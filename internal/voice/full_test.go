package voice_test

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"parley"
	"parley/internal/rig"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// crowd are talks on stages that say what the test has them say of their packets.
type crowd struct {
	*dialogue
	meter   *voice.Meter
	refused []string

	mu    sync.Mutex
	rooms []*counted
}

type counted struct {
	*stage
	mu    sync.Mutex
	stats rtc.Stats
}

func (c *counted) Stats() rtc.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// newCrowd holds talks whose customers have come.
func newCrowd(t *testing.T, talks int, change ...func(d *dialogue)) *crowd {
	t.Helper()
	c := newQueue(t, talks, change...)
	c.arrive(0, talks)
	return c
}

// arrive has the customers of the talks from one to before another come.
func (c *crowd) arrive(from, to int) {
	c.Helper()
	c.mu.Lock()
	rooms := c.rooms[from:to]
	c.mu.Unlock()
	for _, room := range rooms {
		room.events <- rtc.Event{Kind: rtc.EventJoined}
	}
	rig.Eventually(c.TB, "the customers", func() bool { return c.meter.Read().Attended == to })
}

// newQueue holds talks that wait for their customers.
func newQueue(t *testing.T, talks int, change ...func(d *dialogue)) *crowd {
	t.Helper()
	c := &crowd{}
	c.dialogue = talk(t, `{}`, append(change, func(d *dialogue) {
		c.meter = d.talker.Meter
		d.Desk.Full = c.meter.Full
		d.Desk.Watch.Refused = func(reason string) { c.refused = append(c.refused, reason) }
		d.talker.Join = func(context.Context, *parley.VoiceSession) (rtc.Transport, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			room := &counted{stage: newStage(d.clock.Now)}
			c.rooms = append(c.rooms, room)
			return room, nil
		}
	})...)
	for range talks - 1 {
		c.start(voice.Ask{})
	}
	rig.Eventually(t, "the talks", func() bool { return c.meter.Read().Talks == talks })
	return c
}

// passes lets seconds pass in which every talk speaks, and so many of its fifty packets a second are late.
func (c *crowd) passes(seconds, late int) {
	for range seconds {
		c.mu.Lock()
		for _, room := range c.rooms {
			room.mu.Lock()
			room.stats.Sent += 50
			room.stats.Tardy += late
			room.mu.Unlock()
		}
		c.mu.Unlock()
		c.meter.Look()
	}
}

// takes asserts whether the server takes another session, and that none of those that live was ended for it.
func (c *crowd) takes(want bool) {
	c.Helper()
	before := len(c.Sessions())
	if c.meter.Full() == want || c.meter.Read().Overloaded == want {
		c.Errorf("full: %v", !want)
	}
	_, err := c.ask(voice.Ask{})
	if want {
		before++
		c.must(err)
		rig.Eventually(c.TB, "the talk", func() bool { return c.meter.Read().Talks == before })
	} else if e := c.fails(err, parley.CodeUnderMaintenance, "server_overloaded"); e.RetryAfter <= 0 || e.Code.Status() != http.StatusServiceUnavailable {
		c.Error("no word on when to come back: ", e)
	}
	if n := len(c.Sessions()); n != before {
		c.Errorf("%d sessions live instead of %d", n, before)
	}
	for _, l := range c.Sessions() {
		if s := l.Current(); s.EndedAt != nil {
			c.Errorf("a session was ended: %s", s.Reason)
		}
	}
}

func TestAStarvingServerTakesNoSession(t *testing.T) {
	c := newCrowd(t, 3)
	c.passes(5, 2) // 4 %
	c.takes(true)
	c.passes(1, 20)
	c.takes(false) // at once
	c.passes(10, 2)
	c.takes(false) // not recovered yet
	c.passes(2, 0)
	c.takes(false) // there was something a moment ago
	c.passes(3, 0)
	c.takes(true)
	c.passes(10, 2)
	c.takes(true)
	if len(c.refused) != 3 || c.refused[0] != "server_overloaded" {
		t.Error("told of the refusals: ", c.refused)
	}
	c.passes(5, 50)
	c.takes(false)
	for range 5 { // nobody speaks
		c.meter.Look()
	}
	c.takes(true)
	m := c.meter.Read()
	if m.Packets == 0 || m.Late == 0 || m.Overloaded {
		t.Errorf("%+v", m)
	}
	for _, l := range c.Sessions() {
		c.ends(l, parley.EndOperator)
	}
	rig.Eventually(t, "the end of the talks", func() bool { return c.meter.Read().Talks == 0 })
	if after := c.meter.Read(); after.Packets != m.Packets || after.Late != m.Late {
		t.Errorf("what has ended does not count any more: %+v", after)
	}
}

func TestAServerAlwaysTakesTwo(t *testing.T) {
	c := newCrowd(t, 1)
	c.passes(10, 50)
	c.takes(true)
	c.passes(10, 50)
	c.takes(true) // the second waits for its customer
	c.arrive(1, 2)
	c.passes(10, 50)
	c.takes(false)
}

// Sessions that nobody has joined close voice for nobody, however many they are and however busy the machine is.
func TestWaitingSessionsAreNoLoad(t *testing.T) {
	asked := false
	c := newQueue(t, 4*runtime.GOMAXPROCS(0)+1, func(d *dialogue) { d.talker.Meter.Load = func() float64 { asked = true; return 1 } })
	c.passes(10, 0)
	c.takes(true)
	if asked {
		t.Error("the load was asked for, although nobody talks")
	}
	c.arrive(0, 4*runtime.GOMAXPROCS(0)-1)
	c.passes(10, 0)
	c.takes(true) // one too few
	c.arrive(4*runtime.GOMAXPROCS(0)-1, 4*runtime.GOMAXPROCS(0))
	c.passes(10, 0)
	c.takes(false)
}

func TestABusyServerTakesNoSession(t *testing.T) {
	load := -1.0
	var asked int
	share := func() float64 { asked++; return load }
	c := newCrowd(t, 4*runtime.GOMAXPROCS(0), func(d *dialogue) { d.talker.Meter.Load = share })
	c.passes(5, 0)
	c.takes(true) // nothing is known
	load = .95
	c.passes(2, 0)
	c.takes(true) // that may have been a moment
	c.passes(3, 0)
	c.takes(false)
	load = .8
	c.passes(10, 0)
	c.takes(false)
	load = .7
	c.passes(5, 0)
	c.takes(true)
	load = .85
	c.passes(10, 0)
	c.takes(true)
	load = 1
	for _, l := range c.Sessions()[3:] {
		c.ends(l, parley.EndClientLeft)
	}
	rig.Eventually(t, "their end", func() bool { return c.meter.Read().Talks == 3 })
	c.passes(5, 0)
	c.takes(true) // so few are not the reason
	if asked == 0 {
		t.Error("the load was not asked for")
	}
}
