// Package voice admits, holds and ends voice sessions: talks between a customer and an agent.
//
// A session is admitted in a transaction that counts it against the agent's limits and sets the credits of its first minute aside.
// Then its room is made; when that fails, nothing of it is left. From there on the process that admitted it holds it under a lease:
// it pays for each minute that begins, and ends the session once, for one reason, with one settlement. Sessions of a process that has
// died are ended by another one, or by the next start.
package voice

import (
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

// Rooms is where sessions take place: the SFU, and the agent's way into it.
type Rooms interface {
	// Open makes the session's room and gives the token with which the customer's browser joins it; the token expires at
	// ExpiresAt at the latest. Asked again for a session that lives, it gives a token anew.
	Open(ctx context.Context, s *parley.VoiceSession) (token string, err error)
	// Close tells who is in the room why it ends, and ends it: its tokens are refused from then on. A room that is gone is no error.
	Close(ctx context.Context, s *parley.VoiceSession, reason parley.SessionEndReason) error
}

// RespondFunc is the agent's part of a session. It begins when the session is on disk, and must return soon after ctx is done; the session
// ends when it returns. It calls l.Joined, l.Seen and, where it knows why the session ends, l.End.
type RespondFunc func(ctx context.Context, l *Session) error

// Sessions holds the voice sessions of this server. Fill the exported fields, then call Run beside Start.
type Sessions struct {
	DB      *store.DB
	Rooms   Rooms       // nil where this server has no voice
	Respond RespondFunc // nil where the agent says nothing

	IsOverloaded func() bool // reports that this server has no power left for a further session; may be nil
	MaxUnjoined  int         // sessions of an account, on all servers, that nobody has joined yet; 0 for any number
	MaxSessions  int         // sessions that this server holds at a time; 0 for any number

	// Free removes the files of an agent that nothing needs any more; may be nil.
	DeleteUnusedFiles func(context.Context, parley.AccountID, parley.AgentID) error

	Now      func() time.Time
	Logger   *slog.Logger
	Observer Observer // is told of sessions

	Owner        string        // names this process in leases; unique per start
	Lease        time.Duration // how long a dead server's sessions stay open; 0 means 30 s
	PollInterval time.Duration // how often the sessions are looked at; 0 means 200 ms

	mu           sync.Mutex
	active       map[parley.VoiceSessionID]*Session
	openingCount int // sessions that have a place and are not live yet
	draining     bool
	work         sync.WaitGroup // sessions that are being admitted, held or ended
}

func (d *Sessions) leaseDuration() time.Duration { return orDefault(d.Lease, 30*time.Second) }

func (d *Sessions) logger() *slog.Logger { return orDefault(d.Logger, slog.Default()) }

// Active lists the sessions that this server holds.
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

// beginAdmission counts a session that is being admitted, until work is told that it is done, unless the server is stopping.
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

// addActive takes a session that lives. One that was admitted while the server began to stop ends at once.
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

func orDefault[T comparable](v, byDefault T) T {
	var zero T
	if v == zero {
		return byDefault
	}
	return v
}

// Observer is told of the sessions of a Sessions. Its functions must not wait; each may be nil.
type Observer struct {
	OnOpen   func()
	OnRefuse func(reason string) // details.reason of a limit, else server_limit, server_overloaded, not_available, credits, failed or other
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

// refusalReason names what a session was refused for.
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
