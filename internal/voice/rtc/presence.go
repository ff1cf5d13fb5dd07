//go:build !novoice

package rtc

import (
	"sync"
	"time"
)

const (
	// The media server reports at once who comes and goes of those who have published a microphone, and others every
	// three seconds.
	announceDelay = 4 * time.Second
	// A user who has been announced can hear a little later, which their subscription shows: usually at once, and after
	// seconds if a machine is busy or a network slow. What is said before is lost. A client with sound switched off
	// never subscribes, and is not waited for any longer.
	hearingTimeout = 5 * time.Second
)

// presence tracks whether the user is in the room. A client that reconnects leaves and comes back: only a user who
// stays away for the grace period, or who said so, has left.
type presence struct {
	grace   time.Duration
	onEvent func(Kind)

	mu           sync.Mutex
	isAnnounced  bool
	isPresent    bool
	hasPublished bool // has had a microphone
	hasLeft      bool // for good
	timer        *time.Timer
}

// handleAnnounced handles the media server's report whether the user is in the room.
func (p *presence) handleAnnounced(isPresent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hasLeft || isPresent == p.isAnnounced {
		return
	}
	p.isAnnounced = isPresent
	switch {
	case isPresent && p.timer == nil: // the first time
		p.timer = time.AfterFunc(hearingTimeout, p.handleUserSign)
	case isPresent: // back again
		p.markPresent()
	case p.isPresent:
		p.markAway()
	default:
		p.stopTimer()
	}
}

// handleUserSign handles a sign of the user: they can hear, or have typed.
func (p *presence) handleUserSign() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.hasLeft {
		p.markPresent()
	}
}

// handlePublished handles the publication of the user's microphone. A user who can be heard for the first time cannot
// hear yet: the two directions are connected one after the other.
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

// handleBye ends the presence because the user leaves for good.
func (p *presence) handleBye() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.markLeft()
}

// handleGraceOver ends the presence because the user has been away for too long.
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

// close stops the timer.
func (p *presence) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasLeft = true
	p.stopTimer()
}
