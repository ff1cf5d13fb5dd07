package voice

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley"
)

// Session is a voice session that this server holds. Its methods may be called from any goroutine.
type Session struct {
	parley.VoiceSession // as it was admitted; Snapshot returns what has happened since
	Agent               *parley.Agent
	Caller              parley.Caller // the account that owns the session
	Settings            *parley.VoiceSettings

	request  SessionRequest
	hasSlot  bool // it holds one of this server's slots
	sessions *Sessions
	ctx      context.Context
	cancel   context.CancelCauseFunc
	done     chan struct{}

	mu              sync.Mutex
	joinedAt        *time.Time
	seenAt          *time.Time
	endedAt         *time.Time
	reason          parley.SessionEndReason
	reservedMinutes int // minutes whose credits are reserved
	nextChargeAt    time.Time
	joinStored      atomic.Bool // the customer's join is stored
	endedElsewhere  bool
	unstoredEnd     *parley.VoiceSession // how it ended, until that is stored
}

// EndedError is the cause of a session's context once the session has ended.
type EndedError struct{ Reason parley.SessionEndReason }

func (e *EndedError) Error() string { return fmt.Sprintf("voice: the session ended: %s", e.Reason) }

func (ss *Sessions) newSession(caller parley.Caller, a *parley.Agent) *Session {
	now := ss.Now()
	l := &Session{Agent: a, Caller: caller, sessions: ss, done: make(chan struct{}), reservedMinutes: 1,
		VoiceSession: parley.VoiceSession{
			ID: parley.VoiceSessionID(parley.NewUUID()), AccountID: caller.Account.ID, AgentID: a.ID,
			PricePerMinute: caller.Plan.CreditsPerVoiceMinute, Owner: ss.Owner,
			LeaseUntil: now.Add(openTimeout + ss.leaseDuration()), Reserved: caller.Plan.CreditsPerVoiceMinute, CreatedAt: now}}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// MarkJoined records that the customer is in the room. From the first call on, minutes are charged and the maximum
// duration runs.
func (s *Session) MarkJoined() { s.recordPresence(true) }

// MarkSeen records a sign of the customer: sound, text, or a proper leave. A session whose customer has vanished is
// charged up to the last sign.
func (s *Session) MarkSeen() { s.recordPresence(false) }

func (s *Session) recordPresence(joins bool) {
	now := s.sessions.Now()
	s.update(func() {
		if joins && s.joinedAt == nil {
			s.joinedAt = &now
		}
		if s.joinedAt != nil && s.endedAt == nil {
			s.seenAt = &now
		}
	})
}

// update calls f with s.mu locked.
func (s *Session) update(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Snapshot returns the session with what has happened to it so far.
func (s *Session) Snapshot() parley.VoiceSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.VoiceSession
	out.JoinedAt, out.LastSeenAt, out.EndedAt, out.EndReason = s.joinedAt, s.seenAt, s.endedAt, s.reason
	return out
}

func (s *Session) copySession() *parley.VoiceSession { return new(s.VoiceSession) }

// End ends the session for a reason; only the first one counts.
func (s *Session) End(reason parley.SessionEndReason) {
	now := s.sessions.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endedAt == nil {
		s.endedAt, s.reason = &now, reason
		s.cancel(&EndedError{reason})
	}
}

// endFromStore ends a session that was ended in the store by somebody else: there is nothing left to settle.
func (s *Session) endFromStore() {
	s.update(func() { s.endedElsewhere = true })
	s.End(parley.EndServerStopped)
}

// Done returns a channel that is closed when the session has ended and its end is stored.
func (s *Session) Done() <-chan struct{} { return s.done }

// overdueReason returns why the session has run out of time, or "" if it has not.
func (s *Session) overdueReason(now time.Time) parley.SessionEndReason {
	seen := s.Snapshot()
	switch {
	case seen.EndedAt != nil || now.Before(seen.EndDeadline()):
		return ""
	case seen.JoinedAt == nil:
		return parley.EndClientLeft
	}
	return parley.EndMaxDuration
}

// isMinuteDue reports whether a minute has begun that is not reserved yet and may be now.
func (s *Session) isMinuteDue(now time.Time) bool {
	seen := s.Snapshot()
	s.mu.Lock()
	defer s.mu.Unlock()
	return seen.EndedAt == nil && !now.Before(s.nextChargeAt) && s.reservedMinutes < seen.MinutesUntil(now)
}
