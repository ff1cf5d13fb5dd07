package voice_test

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"parley"
	"parley/internal/testkit"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// dialogGroup are dialogs whose transports report the packet statistics that the test sets.
type dialogGroup struct {
	*testDialog
	stats   *voice.Stats
	refused []string

	mu         sync.Mutex
	transports []*countedTransport
}

type countedTransport struct {
	*fakeTransport
	mu    sync.Mutex
	stats rtc.Stats
}

func (c *countedTransport) Stats() rtc.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// newDialogGroup starts dialogs whose customers have joined.
func newDialogGroup(t *testing.T, talks int, change ...func(d *testDialog)) *dialogGroup {
	t.Helper()
	c := newUnjoinedGroup(t, talks, change...)
	c.joinUsers(0, talks)
	return c
}

// joinUsers lets the customers of some of the dialogs join.
func (g *dialogGroup) joinUsers(from, to int) {
	g.Helper()
	g.mu.Lock()
	rooms := g.transports[from:to]
	g.mu.Unlock()
	for _, room := range rooms {
		room.events <- rtc.Event{Kind: rtc.EventJoined}
	}
	testkit.Eventually(g.TB, "the customers", func() bool { return g.stats.Snapshot().Joined == to })
}

// newUnjoinedGroup starts dialogs that wait for their customers.
func newUnjoinedGroup(t *testing.T, talks int, change ...func(d *testDialog)) *dialogGroup {
	t.Helper()
	c := &dialogGroup{}
	c.testDialog = newSQLiteDialog(t, `{}`, append(change, func(d *testDialog) {
		c.stats = d.responder.Stats
		d.Sessions.IsOverloaded = c.stats.IsOverloaded
		d.Sessions.Observer.OnRefuse = func(reason string) { c.refused = append(c.refused, reason) }
		d.responder.Join = func(context.Context, *parley.VoiceSession) (rtc.Transport, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			room := &countedTransport{fakeTransport: newFakeTransport(d.clock.Now)}
			c.transports = append(c.transports, room)
			return room, nil
		}
	})...)
	for range talks - 1 {
		c.startSession(voice.SessionRequest{})
	}
	testkit.Eventually(t, "the talks", func() bool { return c.stats.Snapshot().Dialogs == talks })
	return c
}

// passSeconds lets seconds pass in which every dialog speaks, and a number of its fifty packets a second are late.
func (g *dialogGroup) passSeconds(seconds, late int) {
	for range seconds {
		g.mu.Lock()
		for _, room := range g.transports {
			room.mu.Lock()
			room.stats.Sent += 50
			room.stats.SentLate += late
			room.mu.Unlock()
		}
		g.mu.Unlock()
		g.stats.SampleLoad()
	}
}

// requireAdmits asserts whether the server admits another session, and that no other one was ended for it.
func (g *dialogGroup) requireAdmits(want bool) {
	g.Helper()
	before := len(g.Active())
	if g.stats.IsOverloaded() == want || g.stats.Snapshot().Overloaded == want {
		g.Errorf("full: %v", !want)
	}
	_, err := g.tryStart(voice.SessionRequest{})
	if want {
		before++
		g.Must(err)
		testkit.Eventually(g.TB, "the talk", func() bool { return g.stats.Snapshot().Dialogs == before })
	} else if e := g.requireError(err, parley.CodeUnderMaintenance, "server_overloaded"); e.RetryAfter <= 0 ||
		e.Code.Status() != http.StatusServiceUnavailable {
		g.Error("no word on when to come back: ", e)
	}
	if n := len(g.Active()); n != before {
		g.Errorf("%d sessions live instead of %d", n, before)
	}
	for _, l := range g.Active() {
		if s := l.Snapshot(); s.EndedAt != nil {
			g.Errorf("a session was ended: %s", s.EndReason)
		}
	}
}

func TestServerWithLatePacketsRefusesSessions(t *testing.T) {
	c := newDialogGroup(t, 3)
	c.passSeconds(5, 2) // 4 %
	c.requireAdmits(true)
	c.passSeconds(1, 20)
	c.requireAdmits(false) // at once
	c.passSeconds(10, 2)
	c.requireAdmits(false) // not recovered yet
	c.passSeconds(2, 0)
	c.requireAdmits(false) // packets were late a moment ago
	c.passSeconds(3, 0)
	c.requireAdmits(true)
	c.passSeconds(10, 2)
	c.requireAdmits(true)
	if len(c.refused) != 3 || c.refused[0] != "server_overloaded" {
		t.Error("refusals were reported: ", c.refused)
	}
	c.passSeconds(5, 50)
	c.requireAdmits(false)
	for range 5 { // nobody speaks
		c.stats.SampleLoad()
	}
	c.requireAdmits(true)
	m := c.stats.Snapshot()
	if m.Packets == 0 || m.Late == 0 || m.Overloaded {
		t.Errorf("%+v", m)
	}
	for _, l := range c.Active() {
		c.endSession(l, parley.EndOperator)
	}
	testkit.Eventually(t, "the end of the talks", func() bool { return c.stats.Snapshot().Dialogs == 0 })
	if after := c.stats.Snapshot(); after.Packets != m.Packets || after.Late != m.Late {
		t.Errorf("what has ended does not count any more: %+v", after)
	}
}

func TestServerAlwaysAdmitsTwoSessions(t *testing.T) {
	c := newDialogGroup(t, 1)
	c.passSeconds(10, 50)
	c.requireAdmits(true)
	c.passSeconds(10, 50)
	c.requireAdmits(true) // the second waits for its customer
	c.joinUsers(1, 2)
	c.passSeconds(10, 50)
	c.requireAdmits(false)
}

// Sessions that nobody has joined never cause an overload, however many they are and however busy the machine is.
func TestUnjoinedSessionsAreNoLoad(t *testing.T) {
	isAsked := false
	c := newUnjoinedGroup(t, 4*runtime.GOMAXPROCS(0)+1, func(d *testDialog) {
		d.responder.Stats.ProcessorLoad = func() float64 { isAsked = true; return 1 }
	})
	c.passSeconds(10, 0)
	c.requireAdmits(true)
	if isAsked {
		t.Error("the load was measured without sessions")
	}
	c.joinUsers(0, 4*runtime.GOMAXPROCS(0)-1)
	c.passSeconds(10, 0)
	c.requireAdmits(true) // one too few
	c.joinUsers(4*runtime.GOMAXPROCS(0)-1, 4*runtime.GOMAXPROCS(0))
	c.passSeconds(10, 0)
	c.requireAdmits(false)
}

func TestBusyServerRefusesSessions(t *testing.T) {
	load := -1.0
	var requests int
	share := func() float64 { requests++; return load }
	c := newDialogGroup(t, 4*runtime.GOMAXPROCS(0), func(d *testDialog) { d.responder.Stats.ProcessorLoad = share })
	c.passSeconds(5, 0)
	c.requireAdmits(true) // nothing is known
	load = .95
	c.passSeconds(2, 0)
	c.requireAdmits(true) // it may have been a short peak
	c.passSeconds(3, 0)
	c.requireAdmits(false)
	load = .8
	c.passSeconds(10, 0)
	c.requireAdmits(false)
	load = .7
	c.passSeconds(5, 0)
	c.requireAdmits(true)
	load = .85
	c.passSeconds(10, 0)
	c.requireAdmits(true)
	load = 1
	for _, l := range c.Active()[3:] {
		c.endSession(l, parley.EndClientLeft)
	}
	testkit.Eventually(t, "their end", func() bool { return c.stats.Snapshot().Dialogs == 3 })
	c.passSeconds(5, 0)
	c.requireAdmits(true) // so few sessions cannot be the reason
	if requests == 0 {
		t.Error("the load was not measured")
	}
}
