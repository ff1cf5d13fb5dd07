package voice_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/voice/rtc"
)

// fakeTransport is a room without a network. Clips end at once, or stay until the test lets them continue.
type fakeTransport struct {
	events chan rtc.Event
	audio  chan rtc.Frame
	now    func() time.Time

	mu          sync.Mutex
	changed     sync.Cond
	queue       []rtc.Clip
	clip        *playingClip
	holdsClips  bool // clips do not end by themselves
	paused      bool
	isClosed    bool
	calls       []string // of Duck, Pause, Resume, Stop and SetState
	lines       []rtc.Segment
	faults      []string
	reason      string
	lastMediaAt time.Time
	tickCount   int // ticks of the dialog, which asks for the last media at each
}

type playingClip struct {
	rtc.Clip
	length     time.Duration
	heardShare float64 // how much of it has been played
	isWhole    bool    // all of its sound has been taken
	cut        chan struct{}
	wasCut     bool
}

func newFakeTransport(now func() time.Time) *fakeTransport {
	s := &fakeTransport{events: make(chan rtc.Event, 1024), audio: make(chan rtc.Frame, 8192), now: now}
	s.changed.L = &s.mu
	go s.playClips()
	return s
}

// playClips plays the clips, one after the other.
func (t *fakeTransport) playClips() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		for !t.isClosed && (len(t.queue) == 0 || t.paused) {
			t.changed.Wait()
		}
		if t.isClosed {
			close(t.events)
			close(t.audio)
			return
		}
		t.clip = &playingClip{Clip: t.queue[0], cut: make(chan struct{})}
		t.queue = t.queue[1:]
		t.playClip(t.clip)
		t.clip = nil
	}
}

// playClip plays a clip. t.mu is locked, except while waiting.
func (t *fakeTransport) playClip(c *playingClip) {
	begun := false
	for {
		t.mu.Unlock()
		var pcm []int16
		var open bool
		select {
		case pcm, open = <-c.PCM:
		case <-c.cut:
			open = false
		}
		t.mu.Lock()
		c.length += time.Duration(len(pcm)) * time.Second / rtc.OutputRate
		for t.paused && !c.wasCut && !t.isClosed {
			t.changed.Wait()
		}
		if len(pcm) > 0 && !begun && !c.wasCut {
			begun = true
			t.events <- rtc.Event{Kind: rtc.EventStarted, At: t.now(), Position: rtc.Position{ID: c.ID}}
		}
		if !open {
			break
		}
	}
	c.isWhole = true
	t.changed.Broadcast()
	for (t.holdsClips || t.paused) && !c.wasCut && !t.isClosed && begun {
		t.changed.Wait()
	}
	if c.wasCut || t.isClosed {
		return
	}
	t.events <- rtc.Event{Kind: rtc.EventEnded, At: t.now(), Position: rtc.Position{ID: c.ID, Played: c.length},
		Complete: true}
}

func (t *fakeTransport) addCall(call string) {
	t.calls = append(t.calls, call)
	t.changed.Broadcast()
}

// sendAudio sends 20 ms of the customer's microphone.
func (t *fakeTransport) sendAudio(pcm []int16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isClosed {
		t.audio <- rtc.Frame{PCM: pcm, At: t.now()}
	}
}

// setHeardShare sets how much of the current clip has been played.
func (t *fakeTransport) setHeardShare(share float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.clip != nil && !t.clip.isWhole && !t.isClosed {
		t.changed.Wait() // a share of what is still growing would say little
	}
	if t.clip != nil {
		t.clip.heardShare = share
	}
}

func (t *fakeTransport) setHoldsClips(slow bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holdsClips = slow
	t.changed.Broadcast()
}

func (t *fakeTransport) Events() <-chan rtc.Event { return t.events }
func (t *fakeTransport) Audio() <-chan rtc.Frame  { return t.audio }

func (t *fakeTransport) Play(c rtc.Clip) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, c)
	t.changed.Broadcast()
}

func (t *fakeTransport) recordCall(name string, f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	t.addCall(name)
}

func (t *fakeTransport) Duck(low bool) {
	name := "loud"
	if low {
		name = "duck"
	}
	t.recordCall(name, func() {})
}
func (t *fakeTransport) Pause()  { t.recordCall("pause", func() { t.paused = true }) }
func (t *fakeTransport) Resume() { t.recordCall("resume", func() { t.paused = false }) }

func (t *fakeTransport) Stop() (at rtc.Position) {
	t.recordCall("stop", func() {
		at = t.position()
		if t.clip != nil && !t.clip.wasCut {
			t.clip.wasCut = true
			close(t.clip.cut)
		}
		t.queue, t.paused = nil, false
	})
	return at
}

func (t *fakeTransport) Position() rtc.Position {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.position()
}

func (t *fakeTransport) position() rtc.Position {
	if t.clip == nil || t.clip.wasCut {
		return rtc.Position{}
	}
	return rtc.Position{ID: t.clip.ID, Played: time.Duration(float64(t.clip.length) * t.clip.heardShare)}
}

func (t *fakeTransport) SetState(state rtc.State) { t.recordCall("is "+string(state), func() {}) }

func (t *fakeTransport) Transcript(line rtc.Segment) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.lines {
		if t.lines[i].ID == line.ID {
			t.lines[i] = line
			return
		}
	}
	t.lines = append(t.lines, line)
}

func (t *fakeTransport) Fault(message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, message)
}

func (t *fakeTransport) End(_ context.Context, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isClosed {
		return
	}
	t.reason, t.isClosed = reason, true
	t.changed.Broadcast()
	if t.clip != nil && !t.clip.wasCut {
		t.clip.wasCut = true
		close(t.clip.cut)
	}
}

func (t *fakeTransport) LastMedia() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tickCount++
	t.changed.Broadcast()
	return t.lastMediaAt
}

// noteMedia records a sign of the customer.
func (t *fakeTransport) noteMedia(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastMediaAt = at
}

// waitForTick waits until the dialog has handled a tick that begins after the call, or has ended.
func (t *fakeTransport) waitForTick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	// one tick may have begun before, and one must have ended
	for until := t.tickCount + 3; t.tickCount < until && !t.isClosed; {
		t.changed.Wait()
	}
}

func (t *fakeTransport) Stats() rtc.Stats { return rtc.Stats{} }

// transcript returns the lines as the client shows them.
func (t *fakeTransport) transcript() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, line := range t.lines {
		speaker, end := "agent", "…"
		if line.FromUser {
			speaker = "user"
		}
		if line.Final {
			end = ""
		}
		b.WriteString(speaker + ": " + line.Text + end + "\n")
	}
	return b.String()
}

func (t *fakeTransport) wasCalled(call string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.calls, call)
}

// lastState returns the state that was shown last.
func (t *fakeTransport) lastState() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, call := range slices.Backward(t.calls) {
		if state, ok := strings.CutPrefix(call, "is "); ok {
			return state
		}
	}
	return ""
}

func (t *fakeTransport) clearCalls() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = nil
}
