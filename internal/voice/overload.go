package voice

import (
	"context"
	"runtime"
	"time"
)

// When a server accepts no further sessions. It is judged by the samples of a few seconds; an overloaded server stays
// so until it has clearly recovered, so that the state does not flap.
const (
	loadSampleInterval = time.Second
	maxLoadSamples     = 5

	// with a customer; fewer are always accepted: a machine on which those starve cannot serve voice
	alwaysAdmittedDialogs = 2
	minPacketsSent        = 100 // packets of speech, of all dialogs, after which their lateness is significant
	maxLateShare          = .05 // of the packets: the 95th percentile of the gaps exceeds 25 ms
	recoveredLateShare    = .02

	// that a processor can carry in any case: with fewer, something else keeps it busy, and may yield
	minBusyDialogs         = 4
	maxProcessorLoad       = .90
	recoveredProcessorLoad = .75
)

// loadSample is what happened since the previous sample.
type loadSample struct {
	sent, late int     // packets of speech
	load       float64 // share of the processors that this server used; below 0 if unknown
}

// Run samples the load until ctx is done.
func (m *Stats) Run(ctx context.Context) error {
	if m == nil {
		<-ctx.Done()
		return nil
	}
	for tick := time.Tick(loadSampleInterval); ; {
		select {
		case <-tick:
			m.SampleLoad()
		case <-ctx.Done():
			return nil
		}
	}
}

// SampleLoad measures the load since the last call and decides whether the server is overloaded. Run calls it every
// second.
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

// processorLoad returns the load of the processors if there are dialogs for which it matters, and -1 otherwise.
func (m *Stats) processorLoad() float64 {
	m.mu.Lock()
	joined := m.joinedDialogs()
	m.mu.Unlock()
	if m.ProcessorLoad == nil || joined < alwaysAdmittedDialogs {
		return -1
	}
	return m.ProcessorLoad()
}

// IsOverloaded reports whether this server cannot serve another dialog well: too many packets of speech are late, or
// many dialogs nearly use up the processors. Those that nobody has joined do not count. It is the IsOverloaded of
// Sessions.
func (m *Stats) IsOverloaded() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.isOverloaded
}

// packetsAreLate reports whether too many packets of speech are sent late.
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

// processorsAreBusy reports whether this server keeps the processors busy, and does so with dialogs. What other
// programs use does not count: if they leave too little, packets are late.
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
