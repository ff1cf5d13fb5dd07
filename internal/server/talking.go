package server

import (
	"context"

	"parley"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// setUpResponder has the agent take part in the voice sessions of this server, with the engines that there are.
func (h *Server) setUpResponder() {
	if h.Voice.Rooms == nil {
		return
	}
	h.Responder = &voice.Responder{DB: h.DB, Engine: h.Engine, Conversations: h.Conversations, Join: h.joinRoom, Synthesizer: h.Speech.Synthesizer, Transcriber: h.Speech.Transcriber,
		Archive: &voice.Archive{IncomingFolder: h.incomingFolder, StoreFile: h.Ingest.StoreFile}, Stats: &voice.Stats{}, Now: h.cfg.Now, Logger: h.cfg.Logger}
	h.Voice.Respond, h.Voice.IsOverloaded = h.Responder.Respond, h.Responder.Stats.IsOverloaded
}

// incomingFolder is where recordings lie until they are kept.
func (h *Server) incomingFolder() (string, error) { return h.Ingest.Files.Incoming() }

// voiceStats measures the talks of this server.
func (h *Server) voiceStats() *voice.Stats {
	if h.Responder == nil {
		return nil
	}
	return h.Responder.Stats
}

// joinRoom brings the agent into the room of a session. No user can have its name, which holds a colon.
func (h *Server) joinRoom(ctx context.Context, s *parley.VoiceSession) (rtc.Transport, error) {
	address, err := h.Media.Address(ctx)
	if err != nil {
		return nil, err
	}
	token := h.Media.AgentToken(rtc.JoinGrant{Room: s.Room(), Identity: "agent:" + string(s.ID), ExpiresAt: s.ExpiresAt()})
	p, err := rtc.Join(ctx, rtc.Config{URL: address, Token: token, UserIdentity: string(s.UserID), ServerIsLocal: h.Media.IsLocal(), Now: h.cfg.Now, Log: h.cfg.Logger})
	if err != nil {
		return nil, err
	}
	return p, nil
}
