package rtc

import (
	"sync"
	"time"
)

// presence follows whether the user is in the room. A client that reconnects leaves and comes back: only who stays away for the
// grace has left, or who said so.
type presence struct {
	grace time.Duration
	tell  func(Kind)

	mu    sync.Mutex
	here  bool
	gone  bool // for good
	timer *time.Timer
}

func (p *presence) see(here bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || here == p.here {
		return
	}
	p.here = here
	if here {
		p.stop()
		p.tell(EventJoined)
		return
	}
	p.tell(EventAway)
	p.timer = time.AfterFunc(p.grace, p.bye)
}

// bye is the end: the user said it, or has been away for too long.
func (p *presence) bye() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || p.timer == nil && !p.here {
		return
	}
	p.gone = true
	p.stop()
	p.tell(EventLeft)
}

func (p *presence) stop() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// close stops the clock.
func (p *presence) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	p.stop()
}
