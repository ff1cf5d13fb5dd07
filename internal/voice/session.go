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
	Plan                parley.Plan
	Settings            *parley.VoiceSettings

	account               parley.Account
	continuesConversation bool // the conversation existed before
	hasSlot               bool // it holds one of this server's slots
	sessions              *Sessions
	ctx                   context.Context
	cancel                context.CancelCauseFunc
	done                  chan struct{}

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

func (d *Sessions) newSession(account parley.Account, plan parley.Plan, a *parley.Agent) *Session {
	now := d.Now()
	l := &Session{Agent: a, Plan: plan, account: account, sessions: d, done: make(chan struct{}), reservedMinutes: 1,
		VoiceSession: parley.VoiceSession{
			ID: parley.VoiceSessionID(parley.NewUUID()), AccountID: account.ID, AgentID: a.ID,
			PricePerMinute: plan.CreditsPerVoiceMinute, Owner: d.Owner,
			LeaseUntil: now.Add(openTimeout + d.leaseDuration()), Reserved: plan.CreditsPerVoiceMinute, CreatedAt: now}}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// Account returns the account that owns the session.
func (l *Session) Account() parley.Account { return l.account }

// MarkJoined records that the customer is in the room. From the first call on, minutes are charged and the maximum
// duration runs.
func (l *Session) MarkJoined() { l.recordPresence(true) }

// MarkSeen records a sign of the customer: sound, text, or a proper leave. A session whose customer has vanished is
// charged up to the last sign.
func (l *Session) MarkSeen() { l.recordPresence(false) }

func (l *Session) recordPresence(joins bool) {
	now := l.sessions.Now()
	l.update(func() {
		if joins && l.joinedAt == nil {
			l.joinedAt = &now
		}
		if l.joinedAt != nil && l.endedAt == nil {
			l.seenAt = &now
		}
	})
}

// update calls f with l.mu locked.
func (l *Session) update(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// Snapshot returns the session with what has happened to it so far.
func (l *Session) Snapshot() parley.VoiceSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.VoiceSession
	s.JoinedAt, s.LastSeenAt, s.EndedAt, s.EndReason = l.joinedAt, l.seenAt, l.endedAt, l.reason
	return s
}

func (l *Session) copySession() *parley.VoiceSession {
	s := l.VoiceSession
	return &s
}

// End ends the session for a reason; only the first one counts.
func (l *Session) End(reason parley.SessionEndReason) {
	now := l.sessions.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endedAt == nil {
		l.endedAt, l.reason = &now, reason
		l.cancel(&EndedError{reason})
	}
}

// endFromStore ends a session that was ended in the store by somebody else: there is nothing left to settle.
func (l *Session) endFromStore() {
	l.update(func() { l.endedElsewhere = true })
	l.End(parley.EndServerStopped)
}

// Done returns a channel that is closed when the session has ended and its end is stored.
func (l *Session) Done() <-chan struct{} { return l.done }

// overdueReason returns why the session has run out of time, or "" if it has not.
func (l *Session) overdueReason(now time.Time) parley.SessionEndReason {
	s := l.Snapshot()
	switch {
	case s.EndedAt != nil || now.Before(s.EndDeadline()):
		return ""
	case s.JoinedAt == nil:
		return parley.EndClientLeft
	}
	return parley.EndMaxDuration
}

// isMinuteDue reports whether a minute has begun that is not reserved yet and may be now.
func (l *Session) isMinuteDue(now time.Time) bool {
	s := l.Snapshot()
	l.mu.Lock()
	defer l.mu.Unlock()
	return s.EndedAt == nil && !now.Before(l.nextChargeAt) && l.reservedMinutes < s.MinutesUntil(now)
}
