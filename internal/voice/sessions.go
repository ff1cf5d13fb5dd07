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

func (d *Sessions) leaseDuration() time.Duration { return cmp.Or(d.Lease, 30*time.Second) }

func (d *Sessions) logger() *slog.Logger { return cmp.Or(d.Logger, slog.Default()) }

// Active returns the sessions that this server holds.
func (d *Sessions) Active() []*Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(d.active))
}

func (d *Sessions) findActive(id parley.VoiceSessionID) *Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.active[id]
}

// beginAdmission adds a session that is being admitted to d.work. It fails if the server is stopping.
func (d *Sessions) beginAdmission() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.draining {
		fail := parley.NewError(parley.CodeUnderMaintenance)
		fail.RetryAfter = 5 * time.Second
		return fail
	}
	d.work.Add(1)
	return nil
}

// addActive adds an open session and runs it. One that was admitted while the server began to stop ends at once.
func (d *Sessions) addActive(l *Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.active == nil {
		d.active = map[parley.VoiceSessionID]*Session{}
	}
	d.active[l.ID] = l
	d.openingCount--
	d.work.Go(func() { d.runSession(l) })
	if d.draining {
		go l.End(parley.EndServerStopped)
	}
}

func (d *Sessions) removeActive(l *Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.active, l.ID)
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
