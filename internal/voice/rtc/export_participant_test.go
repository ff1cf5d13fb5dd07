package rtc

import lksdk "github.com/livekit/server-sdk-go/v2"

// Simulate makes the agent's own connection fail.
func (p *Participant) Simulate(how lksdk.SimulateScenario) { p.room.Simulate(how) }

// IsListeningTo reports whether this is the track that is read.
func (p *Participant) IsListeningTo(sid string) bool {
	p.receiver.mu.Lock()
	defer p.receiver.mu.Unlock()
	return p.receiver.trackID == sid
}
