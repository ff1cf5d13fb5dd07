package server

import (
	"parley"
	"parley/internal/voice"
)

// newVoiceSessions makes the desk of voice sessions.
func (h *Server) newVoiceSessions() *voice.Sessions {
	return &voice.Sessions{DB: h.DB, DeleteUnusedFiles: h.Ingest.RemoveUnusedFiles, Now: h.cfg.Now, Logger: h.cfg.Logger, Owner: h.Engine.Owner,
		MaxSessions: h.cfg.VoiceMaxSessions, MaxUnjoined: h.cfg.VoiceWaiting}
}

// stopAgent cuts short what an agent is saying on this server.
func (h *Server) stopAgent(account parley.AccountID, agent parley.AgentID) {
	h.Engine.StopAgent(account, agent)
	h.Voice.StopAgent(account, agent)
}
