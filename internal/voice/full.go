package voice

import (
	"context"
	"runtime"
	"time"
)

// When a server takes no further talks. What is measured are the looks of a few seconds; a server that is full stays so until it has
// clearly recovered, so that it does not go to and fro.
const (
	lookEvery = time.Second
	lastLooks = 5

	fewTalks   = 2   // with a customer in them; as many are always taken: a machine on which fewer starve is none for voice
	enoughSent = 100 // packets of speech, of all talks, after which their lateness says something
	tooLate    = .05 // of the packets: the 95th percentile of the gaps passes 25 ms
	lateAgain  = .02

	sureTalks = 4 // that a processor carries in any case: with fewer, it is something else that keeps it busy, and may give way
	tooBusy   = .90
	busyAgain = .75
)

// look is what the time since the look before was like.
type look struct {
	sent, tardy int     // packets of speech
	load        float64 // that this server is to the processors; below 0 where unknown
}

// Run looks at the talks until ctx is done.
func (m *Meter) Run(ctx context.Context) error {
	if m == nil {
		<-ctx.Done()
		return nil
	}
	every := time.NewTicker(lookEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			m.Look()
		case <-ctx.Done():
			return nil
		}
	}
}

// Look measures the time since the last call and judges whether the server is full. Run calls it each second.
func (m *Meter) Look() {
	now := look{load: m.load()}
	m.mu.Lock()
	defer m.mu.Unlock()
	for t, a := range m.talks {
		s := t.room.Stats()
		now.sent, now.tardy = now.sent+s.Sent-a.last.Sent, now.tardy+s.Tardy-a.last.Tardy
		a.last = s
	}
	if len(m.looks) == lastLooks {
		m.looks = m.looks[1:]
	}
	m.looks = append(m.looks, now)
	m.full = m.attended() >= fewTalks && (m.starves() || m.toils())
}

// load asks for the load while there are talks for which it matters.
func (m *Meter) load() float64 {
	m.mu.Lock()
	talks := m.attended()
	m.mu.Unlock()
	if m.Load == nil || talks < fewTalks {
		return -1
	}
	return m.Load()
}

// Full reports that this server cannot hold another talk well: too many packets of speech leave late, or it nearly
// uses up the processors for many talks. Those that nobody has joined do not count. It is a Desk's.
func (m *Meter) Full() bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.full
}

// starves reports that packets of speech leave too late.
func (m *Meter) starves() bool {
	var sent, tardy int
	for _, l := range m.looks {
		sent, tardy = sent+l.sent, tardy+l.tardy
	}
	most := tooLate
	if m.full {
		most = lateAgain
	}
	return sent >= enoughSent && float64(tardy) > most*float64(sent)
}

// toils reports that this server keeps the processors busy, and that it is the talks that do so. What other programs
// do is not its business: where they leave too little, packets are late.
func (m *Meter) toils() bool {
	var sum, known float64
	for _, l := range m.looks {
		if l.load >= 0 {
			sum, known = sum+l.load, known+1
		}
	}
	most := tooBusy
	if m.full {
		most = busyAgain
	}
	return m.attended() >= sureTalks*runtime.GOMAXPROCS(0) && known*2 > lastLooks && sum > most*known
}
