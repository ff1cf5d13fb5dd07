package house

import (
	"parley"
	"parley/internal/voice"
)

// speak makes the desk of voice sessions.
func (h *House) speak() *voice.Desk {
	return &voice.Desk{DB: h.DB, Free: h.Ingest.FreeFiles, Now: h.cfg.Now, Logger: h.cfg.Logger, Owner: h.Engine.Owner,
		Most: h.cfg.VoiceMaxSessions, Waiting: h.cfg.VoiceWaiting}
}

// stopAgent cuts short what an agent is saying on this server.
func (h *House) stopAgent(account parley.AccountID, agent parley.AgentID) {
	h.Engine.StopAgent(account, agent)
	h.Voice.StopAgent(account, agent)
}
