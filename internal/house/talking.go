package house

import (
	"context"

	"parley"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// talk has the agent take part in the voice sessions of this server, with the engines that there are.
func (h *House) talk() {
	if h.Voice.Rooms == nil {
		return
	}
	h.Talker = &voice.Talker{DB: h.DB, Engine: h.Engine, Clerk: h.Clerk, Join: h.join, Synthesizer: h.Speech.Synthesizer, Transcriber: h.Speech.Transcriber,
		Archive: &voice.Archive{Incoming: h.incoming, Keep: h.Ingest.KeepFile}, Meter: &voice.Meter{}, Now: h.cfg.Now, Logger: h.cfg.Logger}
	h.Voice.Talk, h.Voice.Full = h.Talker.Talk, h.Talker.Meter.Full
}

// incoming is where recordings lie until they are kept.
func (h *House) incoming() (string, error) { return h.Ingest.Files.Incoming() }

// meter measures the talks of this server.
func (h *House) meter() *voice.Meter {
	if h.Talker == nil {
		return nil
	}
	return h.Talker.Meter
}

// join brings the agent into the room of a session. No user can have its name, which holds a colon.
func (h *House) join(ctx context.Context, s *parley.VoiceSession) (rtc.Transport, error) {
	address, err := h.Media.Address(ctx)
	if err != nil {
		return nil, err
	}
	token := h.Media.AgentToken(rtc.Pass{Room: s.Room(), Identity: "agent:" + string(s.ID), Until: s.ExpiresAt()})
	p, err := rtc.Join(ctx, rtc.Config{URL: address, Token: token, User: string(s.UserID), Near: h.Media.Near(), Now: h.cfg.Now, Log: h.cfg.Logger})
	if err != nil {
		return nil, err
	}
	return p, nil
}
