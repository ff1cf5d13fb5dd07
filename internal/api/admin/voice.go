package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// VoiceSessionQuery narrows a list of voice sessions. Empty fields do not.
type VoiceSessionQuery struct {
	AgentID string `json:"agentId,omitempty"`
	Live    bool   `json:"live,omitempty"` // only those that have not ended
	Limit   int    `json:"limit"`
}

// VoiceSessionRef names a voice session.
type VoiceSessionRef struct {
	ID string `json:"sessionId"`
}

// VoiceSession is the record of a voice session.
type VoiceSession struct {
	ID             string     `json:"sessionId"`
	AccountID      string     `json:"accountId"`
	AgentID        string     `json:"agentId"`
	ConversationID string     `json:"conversationId"`
	UserID         string     `json:"userId"`
	CreatedAt      time.Time  `json:"createdAt"`
	JoinedAt       *time.Time `json:"joinedAt"` // null where nobody has joined
	EndedAt        *time.Time `json:"endedAt"`  // null while it lives
	Reason         string     `json:"reason,omitempty"`
	Minutes        int        `json:"minutes"` // that were charged
	Credits        float64    `json:"credits"`
}

// EndedVoiceSession tells what came of ending a session.
type EndedVoiceSession struct {
	ID      string `json:"sessionId"`
	WasLive bool   `json:"lived"` // false where it had ended before
}

// The verbs on voice sessions.
var (
	ListVoiceSessions = Command[VoiceSessionQuery, []VoiceSession]{"voice.sessions", false, (*Service).listVoiceSessions}
	EndVoiceSession   = Command[VoiceSessionRef, EndedVoiceSession]{"voice.end", false, (*Service).endVoiceSession}
)

func (d *Service) listVoiceSessions(ctx context.Context, in VoiceSessionQuery) ([]VoiceSession, error) {
	found, err := d.DB.VoiceSessions(ctx, store.VoiceFilter{Agent: parley.AgentID(in.AgentID), Live: in.Live}, in.Limit)
	if err != nil {
		return nil, err
	}
	list := make([]VoiceSession, len(found))
	for i, s := range found {
		list[i] = VoiceSession{ID: string(s.ID), AccountID: string(s.AccountID), AgentID: string(s.AgentID), ConversationID: string(s.ConversationID), UserID: string(s.UserID),
			CreatedAt: s.CreatedAt, JoinedAt: s.JoinedAt, EndedAt: s.EndedAt, Reason: string(s.EndReason), Minutes: s.Minutes, Credits: s.Charged.Float()}
	}
	return list, nil
}

func (d *Service) endVoiceSession(ctx context.Context, in VoiceSessionRef) (EndedVoiceSession, error) {
	s, err := d.DB.VoiceSessionInAnyAccount(ctx, parley.VoiceSessionID(in.ID))
	if err != nil {
		return EndedVoiceSession{}, err
	}
	if s == nil {
		return EndedVoiceSession{}, parley.NewErrorf(parley.CodeNotFound, "Voice session not found.")
	}
	lived, err := d.Voice.Stop(ctx, s)
	return EndedVoiceSession{ID: in.ID, WasLive: lived}, err
}
