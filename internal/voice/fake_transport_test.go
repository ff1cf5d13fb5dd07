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
func (s *fakeTransport) playClips() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for !s.isClosed && (len(s.queue) == 0 || s.paused) {
			s.changed.Wait()
		}
		if s.isClosed {
			close(s.events)
			close(s.audio)
			return
		}
		s.clip = &playingClip{Clip: s.queue[0], cut: make(chan struct{})}
		s.queue = s.queue[1:]
		s.playClip(s.clip)
		s.clip = nil
	}
}

// playClip plays a clip. s.mu is locked, except while waiting.
func (s *fakeTransport) playClip(c *playingClip) {
	begun := false
	for {
		s.mu.Unlock()
		var pcm []int16
		var open bool
		select {
		case pcm, open = <-c.PCM:
		case <-c.cut:
			open = false
		}
		s.mu.Lock()
		c.length += time.Duration(len(pcm)) * time.Second / rtc.OutputRate
		for s.paused && !c.wasCut && !s.isClosed {
			s.changed.Wait()
		}
		if len(pcm) > 0 && !begun && !c.wasCut {
			begun = true
			s.events <- rtc.Event{Kind: rtc.EventStarted, At: s.now(), Position: rtc.Position{ID: c.ID}}
		}
		if !open {
			break
		}
	}
	for (s.holdsClips || s.paused) && !c.wasCut && !s.isClosed && begun {
		s.changed.Wait()
	}
	if c.wasCut || s.isClosed {
		return
	}
	s.events <- rtc.Event{Kind: rtc.EventEnded, At: s.now(), Position: rtc.Position{ID: c.ID, Played: c.length},
		Complete: true}
}

func (s *fakeTransport) addCall(call string) {
	s.calls = append(s.calls, call)
	s.changed.Broadcast()
}

// sendAudio sends 20 ms of the customer's microphone.
func (s *fakeTransport) sendAudio(pcm []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isClosed {
		s.audio <- rtc.Frame{PCM: pcm, At: s.now()}
	}
}

// setHeardShare sets how much of the current clip has been played.
func (s *fakeTransport) setHeardShare(share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clip.heardShare = share
}

func (s *fakeTransport) setHoldsClips(slow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holdsClips = slow
	s.changed.Broadcast()
}

func (s *fakeTransport) Events() <-chan rtc.Event { return s.events }
func (s *fakeTransport) Audio() <-chan rtc.Frame  { return s.audio }

func (s *fakeTransport) Play(c rtc.Clip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, c)
	s.changed.Broadcast()
}

func (s *fakeTransport) recordCall(name string, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.addCall(name)
}

func (s *fakeTransport) Duck(low bool) {
	name := "loud"
	if low {
		name = "duck"
	}
	s.recordCall(name, func() {})
}
func (s *fakeTransport) Pause()  { s.recordCall("pause", func() { s.paused = true }) }
func (s *fakeTransport) Resume() { s.recordCall("resume", func() { s.paused = false }) }

func (s *fakeTransport) Stop() (at rtc.Position) {
	s.recordCall("stop", func() {
		at = s.position()
		if s.clip != nil && !s.clip.wasCut {
			s.clip.wasCut = true
			close(s.clip.cut)
		}
		s.queue, s.paused = nil, false
	})
	return at
}

func (s *fakeTransport) Position() rtc.Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position()
}

func (s *fakeTransport) position() rtc.Position {
	if s.clip == nil || s.clip.wasCut {
		return rtc.Position{}
	}
	return rtc.Position{ID: s.clip.ID, Played: time.Duration(float64(s.clip.length) * s.clip.heardShare)}
}

func (s *fakeTransport) SetState(state rtc.State) { s.recordCall("is "+string(state), func() {}) }

func (s *fakeTransport) Transcript(line rtc.Segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.lines {
		if s.lines[i].ID == line.ID {
			s.lines[i] = line
			return
		}
	}
	s.lines = append(s.lines, line)
}

func (s *fakeTransport) Fault(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, message)
}

func (s *fakeTransport) End(_ context.Context, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return
	}
	s.reason, s.isClosed = reason, true
	s.changed.Broadcast()
	if s.clip != nil && !s.clip.wasCut {
		s.clip.wasCut = true
		close(s.clip.cut)
	}
}

func (s *fakeTransport) LastMedia() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tickCount++
	s.changed.Broadcast()
	return s.lastMediaAt
}

// noteMedia records a sign of the customer.
func (s *fakeTransport) noteMedia(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastMediaAt = at
}

// waitForTick waits until the dialog has handled a tick that begins after the call, or has ended.
func (s *fakeTransport) waitForTick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	// one tick may have begun before, and one must have ended
	for until := s.tickCount + 3; s.tickCount < until && !s.isClosed; {
		s.changed.Wait()
	}
}

func (s *fakeTransport) Stats() rtc.Stats { return rtc.Stats{} }

// transcript returns the lines as the client shows them.
func (s *fakeTransport) transcript() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, line := range s.lines {
		who, end := "agent", "…"
		if line.FromUser {
			who = "user"
		}
		if line.Final {
			end = ""
		}
		b.WriteString(who + ": " + line.Text + end + "\n")
	}
	return b.String()
}

func (s *fakeTransport) wasCalled(call string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.calls, call)
}

// lastState returns the state that was shown last.
func (s *fakeTransport) lastState() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range slices.Backward(s.calls) {
		if state, ok := strings.CutPrefix(call, "is "); ok {
			return state
		}
	}
	return ""
}

func (s *fakeTransport) clearCalls() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}
