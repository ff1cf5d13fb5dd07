package rtc

import (
	"sync"
	"time"
)

const (
	// The media server tells who comes and goes at once of those who have published a microphone, and of others every three seconds.
	batched = 4 * time.Second
	// A user who has been announced can hear a little later, and tells so: at once as a rule, and after seconds where a machine is busy or
	// a network slow. What is said before is lost. One who has switched sound off never tells so, and is not waited for longer.
	hearing = 5 * time.Second
)

// presence follows whether the user is in the room. A client that reconnects leaves and comes back: only who stays away for the
// grace has left, or who said so.
type presence struct {
	grace time.Duration
	tell  func(Kind)

	mu        sync.Mutex
	announced bool
	here      bool
	published bool // had a microphone
	gone      bool // for good
	timer     *time.Timer
}

// announce takes what the media server says of the user.
func (p *presence) announce(here bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || here == p.announced {
		return
	}
	p.announced = here
	switch {
	case here && p.timer == nil: // the first time
		p.timer = time.AfterFunc(hearing, p.prove)
	case here: // back again
		p.come()
	case p.here:
		p.away()
	default:
		p.stop()
	}
}

// prove takes a sign of the user: they can hear, or have typed.
func (p *presence) prove() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.come()
	}
}

// publish takes a user's microphone. Who is heard the first time does not yet hear: the two ways of sound open one after the other.
func (p *presence) publish() {
	p.announce(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.published = true
}

func (p *presence) come() {
	p.stop()
	if !p.here {
		p.here, p.announced = true, true
		p.tell(EventJoined)
	}
}

func (p *presence) away() {
	p.here = false
	p.tell(EventAway)
	grace := p.grace
	if !p.published {
		grace += batched
	}
	p.timer = time.AfterFunc(grace, p.leave)
}

// bye is the end because the user says so.
func (p *presence) bye() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left()
}

// leave is the end because the user has been away for too long.
func (p *presence) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.here {
		p.left()
	}
}

func (p *presence) left() {
	p.stop()
	if !p.gone {
		p.gone = true
		p.tell(EventLeft)
	}
}

func (p *presence) stop() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

func (p *presence) isHere() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.here && !p.gone
}

// close stops the clock.
func (p *presence) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	p.stop()
}
