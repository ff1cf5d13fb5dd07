package bus

import "time"

// NetInterval is how often servers look for themselves for what the bus should have told.
const NetInterval = 10 * time.Second

// Pace thins out looks for changes in the database, which come at each tick of an interval: while the bus is complete,
// one in a NetInterval is enough. It is not safe for concurrent use.
type Pace struct {
	Bus      *Bus
	Interval time.Duration

	waited time.Duration
}

// IsDue is asked at each tick, and reports whether to look now.
func (p *Pace) IsDue() bool {
	p.waited += p.Interval
	if p.Bus.IsComplete() && p.waited < NetInterval {
		return false
	}
	p.waited = 0
	return true
}
