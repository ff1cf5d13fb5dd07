package rtc

import (
	"sync"
	"time"
)

const (
	// The media server tells who comes and goes at once of those who have published a microphone, and of others every three seconds.
	announceDelay = 4 * time.Second
	// A user who has been announced can hear a little later, and tells so: at once as a rule, and after seconds where a machine is busy or
	// a network slow. What is said before is lost. One who has switched sound off never tells so, and is not waited for longer.
	hearingTimeout = 5 * time.Second
)

// presence follows whether the user is in the room. A client that reconnects leaves and comes back: only who stays away for the
// grace has left, or who said so.
type presence struct {
	grace   time.Duration
	onEvent func(Kind)

	mu           sync.Mutex
	isAnnounced  bool
	isPresent    bool
	hasPublished bool // had a microphone
	hasLeft      bool // for good
	timer        *time.Timer
}

// handleAnnounced takes what the media server says of the user.
func (p *presence) handleAnnounced(here bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hasLeft || here == p.isAnnounced {
		return
	}
	p.isAnnounced = here
	switch {
	case here && p.timer == nil: // the first time
		p.timer = time.AfterFunc(hearingTimeout, p.handleUserSign)
	case here: // back again
		p.markPresent()
	case p.isPresent:
		p.markAway()
	default:
		p.stopTimer()
	}
}

// handleUserSign takes a sign of the user: they can hear, or have typed.
func (p *presence) handleUserSign() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.hasLeft {
		p.markPresent()
	}
}

// handlePublished takes a user's microphone. Who is heard the first time does not yet hear: the two ways of sound open one after the other.
func (p *presence) handlePublished() {
	p.handleAnnounced(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasPublished = true
}

func (p *presence) markPresent() {
	p.stopTimer()
	if !p.isPresent {
		p.isPresent, p.isAnnounced = true, true
		p.onEvent(EventJoined)
	}
}

func (p *presence) markAway() {
	p.isPresent = false
	p.onEvent(EventAway)
	grace := p.grace
	if !p.hasPublished {
		grace += announceDelay
	}
	p.timer = time.AfterFunc(grace, p.handleGraceOver)
}

// handleBye is the end because the user says so.
func (p *presence) handleBye() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.markLeft()
}

// handleGraceOver is the end because the user has been away for too long.
func (p *presence) handleGraceOver() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isPresent {
		p.markLeft()
	}
}

func (p *presence) markLeft() {
	p.stopTimer()
	if !p.hasLeft {
		p.hasLeft = true
		p.onEvent(EventLeft)
	}
}

func (p *presence) stopTimer() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

func (p *presence) isHere() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isPresent && !p.hasLeft
}

// close stops the clock.
func (p *presence) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasLeft = true
	p.stopTimer()
}
