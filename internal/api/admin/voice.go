package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
	"parley/internal/voice"
)

// VoiceSessionQuery narrows a list of voice sessions. Empty fields do not.
type VoiceSessionQuery struct {
	AgentID string `query:"agentId"`
	Live    bool   `query:"live"` // only those that have not ended
	Limit   int    `query:"limit" default:"50" min:"1"`
}

// VoiceSessionRef names a voice session.
type VoiceSessionRef struct {
	ID string `path:"sessionId"`
}

// VoiceSession is the record of a voice session.
type VoiceSession struct {
	ID             string     `json:"sessionId"`
	AccountID      string     `json:"accountId"`
	AgentID        string     `json:"agentId"`
	ConversationID string     `json:"conversationId"`
	UserID         string     `json:"userId"`
	CreatedAt      time.Time  `json:"createdAt"`
	JoinedAt       *time.Time `json:"joinedAt"` // null if nobody has joined
	EndedAt        *time.Time `json:"endedAt"`  // null until it ends
	Reason         string     `json:"reason,omitempty"`
	Minutes        int        `json:"minutes"` // that were charged
	Credits        float64    `json:"credits"`
}

// EndedVoiceSession is the result of ending a session.
type EndedVoiceSession struct {
	ID      string `json:"sessionId"`
	WasLive bool   `json:"lived"` // false if it had ended before
}

func (s *Service) listVoiceSessions(ctx context.Context, in VoiceSessionQuery) ([]VoiceSession, error) {
	if in.AgentID != "" {
		if _, err := s.findAgent(ctx, in.AgentID); err != nil {
			return nil, err
		}
	}
	filter := store.VoiceFilter{Agent: parley.AgentID(in.AgentID), Live: in.Live}
	found, err := s.DB.VoiceSessions(ctx, filter, in.Limit)
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(found, newVoiceSession), nil
}

func (s *Service) getVoiceSession(ctx context.Context, in VoiceSessionRef) (VoiceSession, error) {
	session, err := s.findVoiceSession(ctx, in.ID)
	if err != nil {
		return VoiceSession{}, err
	}
	return newVoiceSession(session), nil
}

func newVoiceSession(session *parley.VoiceSession) VoiceSession {
	return VoiceSession{
		ID:             string(session.ID),
		AccountID:      string(session.AccountID),
		AgentID:        string(session.AgentID),
		ConversationID: string(session.ConversationID),
		UserID:         string(session.UserID),
		CreatedAt:      session.CreatedAt,
		JoinedAt:       session.JoinedAt,
		EndedAt:        session.EndedAt,
		Reason:         string(session.EndReason),
		Minutes:        session.Minutes,
		Credits:        session.Charged.Float(),
	}
}

func (s *Service) endVoiceSession(ctx context.Context, in VoiceSessionRef) (EndedVoiceSession, error) {
	session, err := s.findVoiceSession(ctx, in.ID)
	if err != nil {
		return EndedVoiceSession{}, err
	}
	wasLive, err := s.Voice.Stop(ctx, session)
	return EndedVoiceSession{ID: in.ID, WasLive: wasLive}, err
}

func (s *Service) findVoiceSession(ctx context.Context, id string) (*parley.VoiceSession, error) {
	session, err := s.DB.VoiceSessionInAnyAccount(ctx, parley.VoiceSessionID(id))
	if err == nil && (session == nil || s.checkAccount(session.AccountID) != nil) {
		err = parley.NewErrorf(parley.CodeNotFound, "Voice session not found.")
	}
	if err == nil {
		store.SetAuditAccount(ctx, session.AccountID)
	}
	return session, err
}

// VoiceRecordingRequest asks for a part of the recording of a voice session.
type VoiceRecordingRequest struct {
	ID   string `path:"sessionId"`
	Part int    `query:"part" min:"0"` // from 0
}

// VoiceRecording is the recording of a voice session, with one part of its file.
type VoiceRecording struct {
	ID        string  `json:"sessionId"`
	Name      string  `json:"name"`
	MediaType string  `json:"mediaType"`
	Bytes     int64   `json:"bytes"` // of the whole file
	Seconds   float64 `json:"seconds"`
	Part      []byte  `json:"part,omitempty"` // 1 MiB, and less at the end; empty behind it
}

// readVoiceRecording reads a recording part by part, so that none has to fit into memory. That it is read is recorded.
func (s *Service) readVoiceRecording(ctx context.Context, in VoiceRecordingRequest) (VoiceRecording, error) {
	session, err := s.findVoiceSession(ctx, in.ID)
	if err != nil {
		return VoiceRecording{}, err
	}
	r, blob, err := s.DB.SessionRecording(ctx, session)
	switch {
	case err != nil:
		return VoiceRecording{}, err
	case r == nil && session.EndedAt == nil:
		return VoiceRecording{}, parley.NewErrorf(parley.CodeNotFound,
			"The voice session goes on; a recording is kept when it has ended.")
	case r == nil:
		return VoiceRecording{}, parley.NewErrorf(parley.CodeNotFound,
			"The voice session has no recording: none was made, or it was deleted.")
	case s.ReadFilePart == nil:
		return VoiceRecording{}, errors.New("admin: no files")
	}
	part, err := s.ReadFilePart(ctx, blob, in.Part)
	if err == nil {
		err = s.recordReading(ctx, session, in.Part)
	}
	return VoiceRecording{in.ID, blob.Name, blob.MediaType, blob.Size, r.Duration.Seconds(), part}, err
}

const (
	recordingRead  = "recording.read" // in the audit chain
	readingTime    = time.Hour        // in which all parts of a recording are usually read
	latestReadings = 100              // of one actor that are looked through
)

// recordReading has the audit chain say that somebody reads a recording, once for all of its parts: with the first one,
// or with another one that is read without it.
func (s *Service) recordReading(ctx context.Context, session *parley.VoiceSession, part int) error {
	if part > 0 {
		isRecorded, err := s.isReadingRecorded(ctx, session)
		if err != nil || isRecorded {
			return err
		}
	}
	return s.DB.AppendAuditEvent(ctx, session.AccountID, s.Now(), s.actor(), recordingRead, string(session.ID),
		map[string]any{"agent": session.AgentID})
}

// isReadingRecorded reports whether the audit chain says that whoever reads the recording has done so a while ago.
func (s *Service) isReadingRecorded(ctx context.Context, session *parley.VoiceSession) (bool, error) {
	filter := store.AuditFilter{Actor: s.actor(), Action: recordingRead, From: s.Now().Add(-readingTime)}
	latest, err := s.DB.AuditPage(ctx, session.AccountID, filter, parley.PageRequest{Limit: latestReadings})
	isOfSession := func(a store.AuditEvent) bool { return a.Subject == string(session.ID) }
	return slices.ContainsFunc(latest.Items, isOfSession), err
}

// FilePartReader reads a part of a file, counted from 0: store.BlobPartBytes bytes, fewer at the end, and none behind
// it.
type FilePartReader func(ctx context.Context, blob *store.Blob, part int) ([]byte, error)

// VoiceUsage is how the voice sessions of an account went that have ended in a month.
type VoiceUsage struct {
	Month    string     `json:"month" doc:"UTC."`
	Sessions int64      `json:"sessions"`
	Joined   int64      `json:"joined" doc:"Those that a customer has joined."`
	Seconds  int64      `json:"seconds" doc:"How long those took, from when the customer had joined."`
	Minutes  int64      `json:"minutes" doc:"That were charged."`
	Ends     []VoiceEnd `json:"ends" doc:"Most first."`
}

// VoiceEnd is how many voice sessions have ended for one reason.
type VoiceEnd struct {
	Reason   string `json:"reason"`
	Sessions int64  `json:"sessions"`
}

func (s *Service) getVoiceUsage(ctx context.Context, in UsageQuery) (VoiceUsage, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return VoiceUsage{}, err
	}
	begin, err := s.beginOfMonth(in.Month)
	if err != nil {
		return VoiceUsage{}, err
	}
	agent := parley.AgentID(in.AgentID)
	if agent != "" {
		if err := s.DB.CheckAgent(ctx, account.AgentRef(agent), s.Now()); err != nil {
			return VoiceUsage{}, err
		}
	}
	found, err := s.DB.VoiceEnds(ctx, account, agent, begin, begin.AddDate(0, 1, 0))
	out := VoiceUsage{Month: store.MonthOf(begin), Ends: []VoiceEnd{}}
	for _, e := range found {
		out.Sessions, out.Joined = out.Sessions+e.Sessions, out.Joined+e.Joined
		out.Seconds, out.Minutes = out.Seconds+e.Seconds, out.Minutes+e.Minutes
		out.Ends = append(out.Ends, VoiceEnd{e.Reason, e.Sessions})
	}
	return out, err
}

// voiceStats measures the dialogs of the running server.
func (s *Service) voiceStats(context.Context, NoInput) (voice.StatsSnapshot, error) {
	return s.VoiceStats.Snapshot(), nil
}
