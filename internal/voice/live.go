package voice

import (
	"context"
	"fmt"
	"sync"
	"time"

	"parley"
)

// Live is a voice session that this server holds. Its methods may be called from any goroutine.
type Live struct {
	parley.VoiceSession // as it was admitted; what happens to it since is asked by Now
	Agent               *parley.Agent
	Plan                parley.Plan
	Settings            *parley.VoiceSettings

	account parley.Account
	goesOn  bool // with a conversation that was there
	placed  bool // this server has a place for it
	desk    *Desk
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{}

	mu       sync.Mutex
	joined   *time.Time
	seen     *time.Time
	ended    *time.Time
	reason   parley.SessionEnd
	minutes  int // that credits are set aside for
	payAt    time.Time
	noted    bool // that the customer has joined is on disk
	lost     bool
	unstored *parley.VoiceSession // how it ended, while that is not on disk
}

// Ended is the cause of a session's context when it is done.
type Ended struct{ Reason parley.SessionEnd }

func (e *Ended) Error() string { return fmt.Sprintf("voice: the session ended: %s", e.Reason) }

func (d *Desk) newLive(account parley.Account, plan parley.Plan, a *parley.Agent) *Live {
	now := d.Now()
	l := &Live{Agent: a, Plan: plan, account: account, desk: d, done: make(chan struct{}), minutes: 1, VoiceSession: parley.VoiceSession{
		ID: parley.VoiceSessionID(parley.NewUUID()), AccountID: account.ID, AgentID: a.ID, Price: plan.CreditsPerVoiceMinute, Owner: d.Owner,
		LeaseUntil: now.Add(openTime + d.lease()), Reserved: plan.CreditsPerVoiceMinute, CreatedAt: now}}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// Account is whose session it is.
func (l *Live) Account() parley.Account { return l.account }

// Joined says that the customer is in the room. From the first time on, minutes are paid for and the longest call is counted.
func (l *Live) Joined() { l.sign(true) }

// Seen says that there was a sign of the customer: sound, text, or a proper leave. A session whose customer has vanished is paid for up
// to the last one.
func (l *Live) Seen() { l.sign(false) }

func (l *Live) sign(joins bool) {
	now := l.desk.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if joins && l.joined == nil {
		l.joined = &now
	}
	if l.joined != nil && l.ended == nil {
		l.seen = &now
	}
}

// Current gives the session with what has happened to it so far.
func (l *Live) Current() parley.VoiceSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current()
}

func (l *Live) current() parley.VoiceSession {
	s := l.VoiceSession
	s.JoinedAt, s.SeenAt, s.EndedAt, s.Reason = l.joined, l.seen, l.ended, l.reason
	return s
}

func (l *Live) copy() *parley.VoiceSession {
	s := l.VoiceSession
	return &s
}

// waits reports that the customer has not come yet.
func (l *Live) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.joined == nil && l.ended == nil
}

// arrival gives the session once its customer has joined, while that is not on disk.
func (l *Live) arrival() *parley.VoiceSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.noted || l.joined == nil || l.ended != nil {
		return nil
	}
	s := l.current()
	return &s
}

func (l *Live) note() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.noted = true
}

// End ends the session for a reason; only the first one counts.
func (l *Live) End(reason parley.SessionEnd) {
	now := l.desk.Now()
	l.mu.Lock()
	first := l.ended == nil
	if first {
		l.ended, l.reason = &now, reason
	}
	l.mu.Unlock()
	if first {
		l.cancel(&Ended{reason})
	}
}

// lose ends a session that somebody else has ended in the store: there is nothing to settle any more.
func (l *Live) lose() {
	l.mu.Lock()
	l.lost = true
	l.mu.Unlock()
	l.End(parley.EndServerStopped)
}

// Done is closed when the session has ended and that is on disk.
func (l *Live) Done() <-chan struct{} { return l.done }

// overdue gives the reason for which the clock ends the session, or nothing.
func (l *Live) overdue(now time.Time) parley.SessionEnd {
	s := l.Current()
	switch {
	case s.EndedAt != nil || now.Before(s.EndsBy()):
		return ""
	case s.JoinedAt == nil:
		return parley.EndClientLeft
	}
	return parley.EndMaxDuration
}

// due counts the minutes that have begun.
func (l *Live) due(now time.Time) int {
	s := l.Current()
	if s.EndedAt != nil || now.Before(l.payTime()) {
		return 0
	}
	return s.MinutesUntil(now)
}

// payLater puts the next minute's payment off: the database is not there.
func (l *Live) payLater(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.payAt = at
}

func (l *Live) payTime() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.payAt
}

func (l *Live) granted() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.minutes
}

func (l *Live) grant() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.minutes++
}
