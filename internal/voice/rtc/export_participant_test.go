package rtc

import lksdk "github.com/livekit/server-sdk-go/v2"

// Simulate makes the agent's own connection fail.
func (p *Participant) Simulate(how lksdk.SimulateScenario) { p.room.Simulate(how) }
