// Package voice admits, runs and ends voice sessions, in which a customer talks to an agent.
//
// A session is admitted in a transaction that counts it against the agent's limits and reserves the credits of its
// first minute. Then its LiveKit room is created; if that fails, nothing of the session is left. From then on the
// process that admitted the session holds it under a lease: it charges each minute as it begins, and ends the session
// once, for one reason, with one settlement. Sessions of a process that has died are ended by another one, or at the
// next start.
package voice

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Rooms creates and deletes the LiveKit rooms in which sessions take place.
type Rooms interface {
	// Open creates the session's room and returns the token with which the customer's browser joins it; the token
	// expires at ExpiresAt at the latest. For a session that is open already it returns a new token.
	Open(ctx context.Context, s *parley.VoiceSession) (token string, err error)
	// Close shows the reason in the room and deletes it: its tokens are refused from then on. A room that no longer
	// exists is no error.
	Close(ctx context.Context, s *parley.VoiceSession, reason parley.SessionEndReason) error
}

// RespondFunc is the agent's part of a session. It is called once the session is stored, and must return soon after ctx
// is done; the session ends when it returns. It calls l.MarkJoined, l.MarkSeen and, where it knows why the session
// ends, l.End.
type RespondFunc func(ctx context.Context, l *Session) error

// Sessions are the voice sessions of this server. Set the exported fields, then call Run.
type Sessions struct {
	DB      *store.DB
	Rooms   Rooms       // nil if this server has no voice
	Respond RespondFunc // nil if the agent says nothing

	IsOverloaded func() bool // reports whether the machine has no capacity for another session; may be nil
	// limits the sessions of an account, on all servers, that nobody has joined yet; 0 for no limit
	MaxUnjoined int
	MaxSessions int // limits the sessions of this server; 0 for no limit

	// DeleteUnusedFiles deletes the files of an agent that nothing refers to; may be nil.
	DeleteUnusedFiles func(context.Context, parley.AgentRef) error

	Now      func() time.Time
	Logger   *slog.Logger
	Observer Observer // is notified of sessions

	Owner        string        // identifies this process in leases; unique per start
	Lease        time.Duration // how long a dead server's sessions stay open; 0 means 30 s
	PollInterval time.Duration // how often deadlines are checked; 0 means 200 ms

	mu           sync.Mutex
	active       map[parley.VoiceSessionID]*Session
	openingCount int // sessions that have a slot and are not active yet
	draining     bool
	work         sync.WaitGroup // sessions that are being admitted, run or ended
}

func (ss *Sessions) leaseDuration() time.Duration { return cmp.Or(ss.Lease, 30*time.Second) }

func (ss *Sessions) logger() *slog.Logger { return cmp.Or(ss.Logger, slog.Default()) }

// Active returns the sessions that this server holds.
func (ss *Sessions) Active() []*Session {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return slices.Collect(maps.Values(ss.active))
}

func (ss *Sessions) findActive(id parley.VoiceSessionID) *Session {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.active[id]
}

// beginAdmission adds a session that is being admitted to ss.work. It fails if the server is stopping.
func (ss *Sessions) beginAdmission() error {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.draining {
		fail := parley.NewError(parley.CodeUnderMaintenance)
		fail.RetryAfter = 5 * time.Second
		return fail
	}
	ss.work.Add(1)
	return nil
}

// addActive adds an open session and runs it. One that was admitted while the server began to stop ends at once.
func (ss *Sessions) addActive(l *Session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.active == nil {
		ss.active = map[parley.VoiceSessionID]*Session{}
	}
	ss.active[l.ID] = l
	ss.openingCount--
	ss.work.Go(func() { ss.runSession(l) })
	if ss.draining {
		go l.End(parley.EndServerStopped)
	}
}

// Observer is notified of sessions. Its functions must not block; each may be nil.
type Observer struct {
	OnOpen func()
	// details.reason of a limit, else server_limit, server_overloaded, not_available, credits, failed or other
	OnRefuse func(reason string)
	OnEnd    func(reason parley.SessionEndReason)
}

func (o *Observer) notifyAdmission(err error) {
	switch {
	case err == nil && o.OnOpen != nil:
		o.OnOpen()
	case err != nil && o.OnRefuse != nil:
		o.OnRefuse(refusalReason(err))
	}
}

func (o *Observer) notifyEnd(reason parley.SessionEndReason) {
	if o.OnEnd != nil {
		o.OnEnd(reason)
	}
}

// refusalReason returns why a session was refused, as a label of metrics.
func refusalReason(err error) string {
	switch {
	case errors.Is(err, errTooManySessions):
		return "server_limit"
	case errors.Is(err, errOverloaded):
		return "server_overloaded"
	case errors.Is(err, parley.ErrDailyLimit):
		return "credits"
	}
	switch e := parley.AsError(err); e.Code {
	case parley.CodeVoiceLimit:
		return e.Details["reason"]
	case parley.CodeVoiceNotAvailable:
		return "not_available"
	case parley.CodeVoiceCredits, parley.CodeVoiceAgentCredits:
		return "credits"
	case parley.CodeSessionFailed:
		return "failed"
	default:
		return "other"
	}
}

const (
	endPollInterval  = time.Second // how often the store is polled for sessions that are to end
	recoverBatchSize = 100
)

// Run maintains this server's sessions and ends those that a dead server left open, until ctx is done.
func (ss *Sessions) Run(ctx context.Context) error {
	deadlineTick, endTick := time.Tick(cmp.Or(ss.PollInterval, 200*time.Millisecond)), time.Tick(endPollInterval)
	leaseTick, recordingTick := time.Tick(ss.leaseDuration()/3), time.Tick(sweepInterval)
	ss.warn(ctx, "voice sessions of dead servers", ss.RecoverExpired(ctx))
	ss.warn(ctx, "old recordings", ss.DeleteExpiredRecordings(ctx))
	for {
		select {
		case <-deadlineTick:
			ss.CheckDeadlines(ctx)
		case <-endTick:
			ss.warn(ctx, "voice sessions that are to end", ss.ApplyEndRequests(ctx))
			ss.warn(ctx, "customers who have joined", ss.StoreJoins(ctx))
		case <-leaseTick:
			ss.warn(ctx, "leases of voice sessions", errors.Join(ss.RenewLeases(ctx), ss.RecoverExpired(ctx)))
		case <-recordingTick:
			ss.warn(ctx, "old recordings", ss.DeleteExpiredRecordings(ctx))
		case <-ctx.Done():
			return nil
		}
	}
}

func (ss *Sessions) warn(ctx context.Context, message string, err error) {
	if err != nil && ctx.Err() == nil {
		ss.logger().Warn(message, "err", err)
	}
}

// CheckDeadlines ends the sessions whose time is up and charges the minutes that have begun.
func (ss *Sessions) CheckDeadlines(ctx context.Context) {
	now := ss.Now()
	for _, l := range ss.Active() {
		if reason := l.overdueReason(now); reason != "" {
			l.End(reason)
			continue
		}
		ss.warn(ctx, "the next minute of a voice session", ss.chargeMinutes(ctx, l, now))
	}
}

// ApplyEndRequests ends the sessions of this server whose end was requested, on any server, and those whose agent or
// conversation was deleted.
func (ss *Sessions) ApplyEndRequests(ctx context.Context) error {
	if len(ss.Active()) == 0 {
		return nil
	}
	requests, err := ss.DB.RequestedVoiceEnds(ctx, ss.Owner)
	for id, reason := range requests {
		if l := ss.findActive(id); l != nil {
			l.End(reason)
		}
	}
	return err
}

// StoreJoins stores which customers have joined since the last call: from then on searches with hasVoice find their
// conversations, and they are charged even if this server dies.
func (ss *Sessions) StoreJoins(ctx context.Context) error {
	var errs []error
	for _, l := range ss.Active() {
		s := l.Snapshot()
		if l.joinStored.Load() || s.JoinedAt == nil || s.EndedAt != nil {
			continue
		}
		err := ss.DB.SaveVoiceJoin(ctx, &s, l.newEvent(parley.EventVoiceJoined))
		l.joinStored.Store(err == nil)
		if !errors.Is(err, store.ErrVoiceLost) { // otherwise somebody has ended it
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// RenewLeases renews the leases of this server's sessions, and stores the ends that could not be stored before. A
// session that was ended by somebody else ends here too.
func (ss *Sessions) RenewLeases(ctx context.Context) error {
	var active []parley.VoiceSession
	for _, l := range ss.Active() {
		ss.storeEnd(l)
		if s := l.Snapshot(); s.EndedAt == nil {
			active = append(active, s)
		}
	}
	if len(active) == 0 {
		return nil
	}
	lostIDs, err := ss.DB.RenewVoiceLeases(ctx, ss.Owner, active, ss.Now().Add(ss.leaseDuration()))
	for _, id := range lostIDs {
		if l := ss.findActive(id); l != nil {
			l.endFromStore()
		}
	}
	return err
}

// RecoverExpired ends the sessions whose lease has expired: each is charged up to when its customer was last seen, and
// one whose room was still being created is removed.
func (ss *Sessions) RecoverExpired(ctx context.Context) error {
	now := ss.Now()
	list, opening, err := ss.DB.ExpiredVoiceSessions(ctx, now, recoverBatchSize)
	if err != nil {
		return err
	}
	var errs []error
	for i := range list {
		s := &list[i]
		if ss.findActive(s.ID) != nil {
			continue // its lease could not be renewed in time, but it is still running
		}
		err := ss.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
			return ss.endOrphan(ctx, tx, *s, opening[s.ID], now)
		})
		if errors.Is(err, store.ErrVoiceLost) {
			continue
		}
		if errs = append(errs, err); err == nil && ss.Rooms != nil {
			ss.warn(ctx, "close the room of a lost voice session", ss.Rooms.Close(ctx, s, parley.EndServerStopped))
		}
	}
	return errors.Join(errs...)
}

// endOrphan ends a session that no server holds. The first server to take it over does so. s is a copy, since the
// transaction may run again.
func (ss *Sessions) endOrphan(ctx context.Context, tx *store.DB, s parley.VoiceSession, opening bool,
	now time.Time) error {
	if err := tx.TakeOverVoice(ctx, &s, ss.Owner, now.Add(ss.leaseDuration())); err != nil {
		return err
	}
	if opening {
		_, err := tx.DeleteOpeningVoice(ctx, &s)
		return err
	}
	s.EndedAt, s.EndReason = &now, parley.EndServerStopped
	s.Minutes = s.MinutesUntil(billedUntil(&s, 0))
	return closeSession(ctx, tx, &s)
}
