package rtc

import lksdk "github.com/livekit/server-sdk-go/v2"

// Simulate makes the agent's own connection fail.
func (p *Participant) Simulate(how lksdk.SimulateScenario) { p.room.Simulate(how) }

// HearsTrack tells whether this is the track that is heard.
func (p *Participant) HearsTrack(sid string) bool {
	p.ears.mu.Lock()
	defer p.ears.mu.Unlock()
	return p.ears.sid == sid
}
