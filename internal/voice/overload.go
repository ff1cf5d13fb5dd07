package voice

import (
	"context"
	"runtime"
	"time"
)

// When a server takes no further talks. What is measured are the looks of a few seconds; a server that is full stays so until it has
// clearly recovered, so that it does not go to and fro.
const (
	loadSampleInterval = time.Second
	maxLoadSamples     = 5

	alwaysAdmittedDialogs = 2   // with a customer in them; as many are always taken: a machine on which fewer starve is none for voice
	minPacketsSent        = 100 // packets of speech, of all talks, after which their lateness says something
	maxLateShare          = .05 // of the packets: the 95th percentile of the gaps passes 25 ms
	recoveredLateShare    = .02

	minBusyDialogs         = 4 // that a processor carries in any case: with fewer, it is something else that keeps it busy, and may give way
	maxProcessorLoad       = .90
	recoveredProcessorLoad = .75
)

// loadSample is what the time since the look before was like.
type loadSample struct {
	sent, late int     // packets of speech
	load       float64 // that this server is to the processors; below 0 where unknown
}

// Run looks at the talks until ctx is done.
func (m *Stats) Run(ctx context.Context) error {
	if m == nil {
		<-ctx.Done()
		return nil
	}
	ticker := time.NewTicker(loadSampleInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.SampleLoad()
		case <-ctx.Done():
			return nil
		}
	}
}

// SampleLoad measures the time since the last call and judges whether the server is full. Run calls it each second.
func (m *Stats) SampleLoad() {
	now := loadSample{load: m.processorLoad()}
	m.mu.Lock()
	defer m.mu.Unlock()
	for t, a := range m.dialogs {
		s := t.room.Stats()
		now.sent, now.late = now.sent+s.Sent-a.lastStats.Sent, now.late+s.SentLate-a.lastStats.SentLate
		a.lastStats = s
	}
	if len(m.loadSamples) == maxLoadSamples {
		m.loadSamples = m.loadSamples[1:]
	}
	m.loadSamples = append(m.loadSamples, now)
	m.isOverloaded = m.joinedDialogs() >= alwaysAdmittedDialogs && (m.packetsAreLate() || m.processorsAreBusy())
}

// processorLoad asks for the load while there are talks for which it matters.
func (m *Stats) processorLoad() float64 {
	m.mu.Lock()
	joined := m.joinedDialogs()
	m.mu.Unlock()
	if m.ProcessorLoad == nil || joined < alwaysAdmittedDialogs {
		return -1
	}
	return m.ProcessorLoad()
}

// IsOverloaded reports that this server cannot hold another talk well: too many packets of speech leave late, or it nearly
// uses up the processors for many talks. Those that nobody has joined do not count. It is a Sessions's.
func (m *Stats) IsOverloaded() bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.isOverloaded
}

// packetsAreLate reports that packets of speech leave too late.
func (m *Stats) packetsAreLate() bool {
	var sent, late int
	for _, l := range m.loadSamples {
		sent, late = sent+l.sent, late+l.late
	}
	limit := maxLateShare
	if m.isOverloaded {
		limit = recoveredLateShare
	}
	return sent >= minPacketsSent && float64(late) > limit*float64(sent)
}

// processorsAreBusy reports that this server keeps the processors busy, and that it is the talks that do so. What other programs
// do is not its business: where they leave too little, packets are late.
func (m *Stats) processorsAreBusy() bool {
	var sum, known float64
	for _, l := range m.loadSamples {
		if l.load >= 0 {
			sum, known = sum+l.load, known+1
		}
	}
	limit := maxProcessorLoad
	if m.isOverloaded {
		limit = recoveredProcessorLoad
	}
	return m.joinedDialogs() >= minBusyDialogs*runtime.GOMAXPROCS(0) && known*2 > maxLoadSamples && sum > limit*known
}
