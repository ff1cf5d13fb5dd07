package voice_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/voice"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// studio is a desk on a database, with one account that has one agent with a voice.
type studio struct {
	testing.TB
	context.Context
	*voice.Desk
	clock   *rig.Clock
	rooms   *rig.Rooms
	account parley.Account
	plan    parley.Plan
	agent   parley.AgentID
}

func each(t *testing.T, f func(s *studio)) {
	t.Helper()
	dbs.EachStore(t, func(t *testing.T, db *store.DB) { f(newStudio(t, db)) })
}

func newStudio(t testing.TB, db *store.DB) *studio {
	t.Helper()
	s := &studio{TB: t, Context: t.Context(), clock: rig.NewClock(), rooms: &rig.Rooms{}, plan: parley.Plan{Name: "test", API: true, Voice: true, CreditsPerVoiceMinute: 5 * parley.Credit},
		account: parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Acme", Plan: "test"}}
	s.account.CreatedAt = s.clock.Now()
	s.Desk = s.desk(db)
	s.must(db.CreateAccount(s, &s.account))
	s.agent = s.another(s.account)
	return s
}

// another makes one more agent with a voice, of any account.
func (s *studio) another(account parley.Account) parley.AgentID {
	s.Helper()
	a := &parley.Agent{ID: parley.NewAgentID(), AccountID: account.ID, Name: "Guide", Model: "auto", Visibility: "private", RateLimit: parley.DefaultDeviceLimit(),
		IdentitySecret: "s", ConfigVersion: 1, Voice: json.RawMessage(`{}`), CreatedAt: s.clock.Now(), UpdatedAt: s.clock.Now()}
	s.must(s.DB.CreateAgent(s, a))
	return a.ID
}

// desk makes a desk as another server has one.
func (s *studio) desk(db *store.DB) *voice.Desk {
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	if os.Getenv("VERBOSE") != "" {
		logger = slog.Default()
	}
	d := &voice.Desk{DB: db, Rooms: s.rooms, Now: s.clock.Now, Logger: logger, Owner: parley.NewUUID()}
	s.Cleanup(func() { d.Drain(context.Background()) })
	return d
}

func (s *studio) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// settings sets the agent's voice settings; null turns voice off.
func (s *studio) settings(text string) {
	s.Helper()
	s.change(func(a *parley.Agent) {
		if a.Voice = nil; text != "null" {
			a.Voice = json.RawMessage(text)
		}
	})
}

func (s *studio) change(f func(a *parley.Agent)) {
	s.Helper()
	s.must(s.DB.UpdateAgent(s, s.account.ID, s.agent, func(a *parley.Agent) error { f(a); return nil }))
}

func (s *studio) ask(a voice.Ask) (*voice.Opened, error) {
	return s.Start(s, s.account, s.plan, s.agent, a)
}

func (s *studio) start(a voice.Ask) *voice.Opened {
	s.Helper()
	o, err := s.ask(a)
	s.must(err)
	return o
}

// live gives the session as its server holds it.
func (s *studio) live(o *voice.Opened) *voice.Live {
	s.Helper()
	for _, l := range s.Sessions() {
		if l.ID == o.ID {
			return l
		}
	}
	s.Fatal("the session is not held")
	return nil
}

// ends ends a session and waits until that is on disk.
func (s *studio) ends(l *voice.Live, reason parley.SessionEnd) *parley.VoiceSession {
	s.Helper()
	l.End(reason)
	return s.ended(l)
}

func (s *studio) ended(l *voice.Live) *parley.VoiceSession {
	s.Helper()
	select {
	case <-l.Done():
	case <-time.After(rig.Patience):
		s.Fatal("the session does not end")
	}
	return s.stored(l.ID)
}

func (s *studio) stored(id parley.VoiceSessionID) *parley.VoiceSession {
	s.Helper()
	v, err := s.DB.VoiceSession(s, s.account.ID, s.agent, id)
	s.must(err)
	return v
}

// fails asserts the code of a failure, and the reason of a limit.
func (s *studio) fails(err error, code parley.Code, reason string) *parley.Error {
	s.Helper()
	e := parley.ErrorOf(err)
	if err == nil || e.Code != code || e.Details["reason"] != reason {
		s.Errorf("got %v with reason %q, want %s with %q", err, e.Details["reason"], code, reason)
	}
	return e
}

// credits asserts what the account has used and set aside, in whole credits.
func (s *studio) credits(used, reserved int64) {
	s.Helper()
	u, r, err := s.DB.CreditsUsed(s, s.account.ID, store.MonthOf(s.clock.Now()))
	s.must(err)
	if u.Whole() != used || r.Whole() != reserved {
		s.Errorf("%d credits used and %d set aside, want %d and %d", u.Whole(), r.Whole(), used, reserved)
	}
}

func (s *studio) count(query string, args ...any) int {
	s.Helper()
	n, err := sqldb.One(s, s.DB.SQL(), sqldb.Column[int], query, args...)
	s.must(err)
	return n
}

// together runs f n times at once.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}
