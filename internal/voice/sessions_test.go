package voice_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/voice"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// testSessions are Sessions on a database, with one account that has one agent with voice.
type testSessions struct {
	check.T
	context.Context
	*voice.Sessions
	clock   *clock.Clock
	rooms   *testkit.FakeRooms
	account parley.Account
	plan    parley.Plan
	agent   parley.AgentID
}

func forEachStore(t *testing.T, f func(s *testSessions)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newTestSessions(t, db)) })
}

func newTestSessions(t testing.TB, db *store.DB) *testSessions {
	t.Helper()
	s := &testSessions{T: check.T{TB: t}, Context: t.Context(), clock: clock.New(), rooms: &testkit.FakeRooms{},
		plan: parley.Plan{Name: "test", API: true, Voice: true, CreditsPerVoiceMinute: 5 * parley.Credit}}
	s.Sessions = s.newSessions(db)
	s.account = dbs.CreateAccount(t, db, "test", s.clock.Now())
	s.agent = s.createAgent(s.account)
	return s
}

// createAgent creates another agent with voice, of any account.
func (s *testSessions) caller() parley.Caller { return parley.Caller{Account: s.account, Plan: s.plan} }

func (s *testSessions) createAgent(account parley.Account) parley.AgentID {
	s.Helper()
	a := dbs.NewAgent(account.ID, s.clock.Now())
	a.Voice = json.RawMessage(`{}`)
	return dbs.CreateAgent(s.TB, s.DB, a)
}

// newSessions returns the Sessions of another server.
func (s *testSessions) newSessions(db *store.DB) *voice.Sessions {
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	if os.Getenv("VERBOSE") != "" {
		logger = slog.Default()
	}
	d := &voice.Sessions{DB: db, Rooms: s.rooms, Now: s.clock.Now, Logger: logger, Owner: parley.NewUUID()}
	s.Cleanup(func() { d.Drain(context.Background()) })
	return d
}

// setVoiceSettings sets the agent's voice settings; null turns voice off.
func (s *testSessions) setVoiceSettings(text string) {
	s.Helper()
	s.updateAgent(func(a *parley.Agent) {
		if a.Voice = nil; text != "null" {
			a.Voice = json.RawMessage(text)
		}
	})
}

func (s *testSessions) updateAgent(f func(a *parley.Agent)) {
	s.Helper()
	s.Must(s.DB.UpdateAgent(s, s.account.ID.AgentRef(s.agent), func(a *parley.Agent) error { f(a); return nil }))
}

func (s *testSessions) tryStart(a voice.SessionRequest) (*voice.AdmittedSession, error) {
	return s.Start(s, s.caller(), s.agent, a)
}

func (s *testSessions) startSession(a voice.SessionRequest) *voice.AdmittedSession {
	s.Helper()
	o, err := s.tryStart(a)
	s.Must(err)
	return o
}

// activeSession returns the session as its server holds it.
func (s *testSessions) activeSession(o *voice.AdmittedSession) *voice.Session {
	s.Helper()
	for _, l := range s.Active() {
		if l.ID == o.ID {
			return l
		}
	}
	s.Fatal("the session is not held")
	return nil
}

// endSession ends a session and waits until its end is stored.
func (s *testSessions) endSession(l *voice.Session, reason parley.SessionEndReason) *parley.VoiceSession {
	s.Helper()
	l.End(reason)
	return s.waitUntilEnded(l)
}

func (s *testSessions) waitUntilEnded(l *voice.Session) *parley.VoiceSession {
	s.Helper()
	select {
	case <-l.Done():
	case <-time.After(testkit.WaitTimeout):
		s.Fatal("the session does not end")
	}
	return s.storedSession(l.ID)
}

func (s *testSessions) storedSession(id parley.VoiceSessionID) *parley.VoiceSession {
	s.Helper()
	v, err := s.DB.VoiceSession(s, s.account.ID.AgentRef(s.agent), id)
	s.Must(err)
	return v
}

// requireError asserts the code of a failure, and the reason of a limit.
func (s *testSessions) requireError(err error, code parley.Code, reason string) *parley.Error {
	s.Helper()
	e := parley.AsError(err)
	if err == nil || e.Code != code || e.Details["reason"] != reason {
		s.Errorf("got %v with reason %q, want %s with %q", err, e.Details["reason"], code, reason)
	}
	return e
}

// requireCredits asserts what the account has used and reserved, in whole credits.
func (s *testSessions) requireCredits(used, reserved int64) {
	s.Helper()
	u, r, err := s.DB.AccountCreditUsage(s, s.account.ID, store.MonthOf(s.clock.Now()))
	s.Must(err)
	if u.RoundUp() != used || r.RoundUp() != reserved {
		s.Errorf("%d credits used and %d set aside, want %d and %d", u.RoundUp(), r.RoundUp(), used, reserved)
	}
}
