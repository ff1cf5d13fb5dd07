package voice_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/voice/rtc"
)

// stage is a room without a network. What is played is over at once, or stands until the test lets it go on.
type stage struct {
	events chan rtc.Event
	audio  chan rtc.Frame
	now    func() time.Time

	mu     sync.Mutex
	moved  sync.Cond
	queue  []rtc.Clip
	clip   *onStage
	slow   bool // clips stand when they have begun
	paused bool
	gone   bool
	calls  []string // of Duck, Pause, Resume, Stop and SetState
	lines  []rtc.Segment
	faults []string
	reason string
	media  time.Time
	looks  int // of the talk at the clock: at each it asks for the last media
}

type onStage struct {
	rtc.Clip
	length time.Duration
	share  float64 // how much of it has been heard
	cut    chan struct{}
	cutOff bool
}

func newStage(now func() time.Time) *stage {
	s := &stage{events: make(chan rtc.Event, 1024), audio: make(chan rtc.Frame, 8192), now: now}
	s.moved.L = &s.mu
	go s.play()
	return s
}

// play plays the clips, one after the other.
func (s *stage) play() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for !s.gone && (len(s.queue) == 0 || s.paused) {
			s.moved.Wait()
		}
		if s.gone {
			close(s.events)
			close(s.audio)
			return
		}
		s.clip = &onStage{Clip: s.queue[0], cut: make(chan struct{})}
		s.queue = s.queue[1:]
		s.perform(s.clip)
		s.clip = nil
	}
}

// perform plays a clip; s.mu is held, but while waiting.
func (s *stage) perform(c *onStage) {
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
		c.length += time.Duration(len(pcm)) * time.Second / rtc.SpeakRate
		for s.paused && !c.cutOff && !s.gone {
			s.moved.Wait()
		}
		if len(pcm) > 0 && !begun && !c.cutOff {
			begun = true
			s.events <- rtc.Event{Kind: rtc.EventStarted, At: s.now(), Position: rtc.Position{ID: c.ID}}
		}
		if !open {
			break
		}
	}
	for (s.slow || s.paused) && !c.cutOff && !s.gone && begun {
		s.moved.Wait()
	}
	if c.cutOff || s.gone {
		return
	}
	s.events <- rtc.Event{Kind: rtc.EventEnded, At: s.now(), Position: rtc.Position{ID: c.ID, Played: c.length}, Whole: true}
}

func (s *stage) does(call string) {
	s.calls = append(s.calls, call)
	s.moved.Broadcast()
}

// sound is 20 ms of the customer's microphone.
func (s *stage) sound(pcm []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.gone {
		s.audio <- rtc.Frame{PCM: pcm, At: s.now()}
	}
}

// at says how much of the clip that stands has been heard.
func (s *stage) at(share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clip.share = share
}

func (s *stage) speed(slow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = slow
	s.moved.Broadcast()
}

func (s *stage) Events() <-chan rtc.Event { return s.events }
func (s *stage) Audio() <-chan rtc.Frame  { return s.audio }

func (s *stage) Play(c rtc.Clip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, c)
	s.moved.Broadcast()
}

func (s *stage) call(name string, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.does(name)
}

func (s *stage) Duck(low bool) {
	name := "loud"
	if low {
		name = "duck"
	}
	s.call(name, func() {})
}
func (s *stage) Pause()  { s.call("pause", func() { s.paused = true }) }
func (s *stage) Resume() { s.call("resume", func() { s.paused = false }) }

func (s *stage) Stop() (at rtc.Position) {
	s.call("stop", func() {
		at = s.position()
		if s.clip != nil && !s.clip.cutOff {
			s.clip.cutOff = true
			close(s.clip.cut)
		}
		s.queue, s.paused = nil, false
	})
	return at
}

func (s *stage) Position() rtc.Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position()
}

func (s *stage) position() rtc.Position {
	if s.clip == nil || s.clip.cutOff {
		return rtc.Position{}
	}
	return rtc.Position{ID: s.clip.ID, Played: time.Duration(float64(s.clip.length) * s.clip.share)}
}

func (s *stage) SetState(state rtc.State) { s.call("is "+string(state), func() {}) }

func (s *stage) Transcript(line rtc.Segment) {
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

func (s *stage) Fault(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, message)
}

func (s *stage) End(_ context.Context, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return
	}
	s.reason, s.gone = reason, true
	s.moved.Broadcast()
	if s.clip != nil && !s.clip.cutOff {
		s.clip.cutOff = true
		close(s.clip.cut)
	}
}

func (s *stage) LastMedia() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	s.moved.Broadcast()
	return s.media
}

// hears notes a sign of the customer.
func (s *stage) hears(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.media = at
}

// looked waits until the talk has looked at the clock, from now on, and done what follows from it. A talk that is over does not look.
func (s *stage) looked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for until := s.looks + 3; s.looks < until && !s.gone; { // one may have begun before, and one must have ended
		s.moved.Wait()
	}
}

func (s *stage) Stats() rtc.Stats { return rtc.Stats{} }

// transcript gives the lines as the client shows them.
func (s *stage) transcript() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, line := range s.lines {
		who, end := "agent", "…"
		if line.User {
			who = "user"
		}
		if line.Final {
			end = ""
		}
		b.WriteString(who + ": " + line.Text + end + "\n")
	}
	return b.String()
}

func (s *stage) done(call string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.calls, call)
}

// state is the last one shown.
func (s *stage) state() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range slices.Backward(s.calls) {
		if state, ok := strings.CutPrefix(call, "is "); ok {
			return state
		}
	}
	return ""
}

func (s *stage) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}
