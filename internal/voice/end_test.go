package voice_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

func TestMinutesAreCharged(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		type end struct {
			reason  parley.SessionEndReason
			after   time.Duration // from joining
			seen    time.Duration // the last sign
			minutes int
		}
		for _, e := range []end{
			{parley.EndClientLeft, 30 * time.Second, 30 * time.Second, 1},
			{parley.EndClientLeft, 150 * time.Second, 59 * time.Second, 1}, // an abandoned browser
			{parley.EndSilence, 150 * time.Second, 59 * time.Second, 3},
			{parley.EndOperator, 60*time.Second - 1, 0, 1},
			{parley.EndError, 150 * time.Second, 61 * time.Second, 2},
		} {
			before, _, err := s.DB.AccountCreditUsage(s, s.account.ID, "2026-11")
			s.Must(err)
			l := s.activeSession(s.startSession(voice.SessionRequest{}))
			s.clock.Advance(10 * time.Second)
			l.MarkJoined()
			s.clock.Advance(e.seen)
			l.MarkSeen()
			s.clock.Advance(e.after - e.seen)
			s.CheckDeadlines(s)
			v := s.endSession(l, e.reason)
			if v.EndReason != e.reason || v.Minutes != e.minutes ||
				v.Charged != parley.Credits(e.minutes)*5*parley.Credit || s.rooms.CloseReason(l.ID) != e.reason {
				t.Errorf("%+v: %+v, closed for %q", e, v, s.rooms.CloseReason(l.ID))
			}
			s.requireCredits((before + v.Charged).RoundUp(), 0)
		}
		if n := dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from credit_ledger where kind = 'voice'`); n != 5 {
			t.Errorf("%d entries in the ledger", n)
		}
		for _, agent := range []parley.AgentID{"", s.agent} {
			if used, err := s.DB.ModelCredits(s, s.account.ID, agent, []string{store.DayOf(s.clock.Now())}); err != nil ||
				len(used) != 1 || used[0] != (store.ModelCredits{Kind: store.ChargedVoice, Used: 40 * parley.Credit,
				Charges: 5}) {
				t.Errorf("counted for %q: %+v %v", agent, used, err)
			}
		}
	})
}

func TestUnjoinedSessionCostsNothing(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		l := s.activeSession(s.startSession(voice.SessionRequest{}))
		s.clock.Advance(parley.VoiceJoinTimeout - 1)
		s.CheckDeadlines(s)
		if len(s.Active()) != 1 {
			t.Fatal("it did not wait")
		}
		s.clock.Advance(1)
		s.CheckDeadlines(s)
		if v := s.waitUntilEnded(l); v.EndReason != parley.EndClientLeft || v.Charged != 0 || v.JoinedAt != nil {
			t.Errorf("%+v", v)
		}
		s.requireCredits(0, 0)
	})
}

func TestMaxCallDuration(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.setVoiceSettings(`{"maxCallDurationSeconds": 120}`)
		l := s.activeSession(s.startSession(voice.SessionRequest{}))
		l.MarkJoined()
		s.clock.Advance(2*time.Minute - 1)
		s.CheckDeadlines(s)
		if len(s.Active()) != 1 {
			t.Fatal("it ended early")
		}
		s.clock.Advance(time.Second)
		s.CheckDeadlines(s)
		if v := s.waitUntilEnded(l); v.EndReason != parley.EndMaxDuration || v.Minutes != 2 {
			t.Errorf("%+v", v)
		}
		s.requireCredits(10, 0)
	})
}

func TestCreditsRunOut(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		twelve := 12 * parley.Credit
		s.Must(s.DB.UpdateAccount(s, s.account.ID, s.clock.Now(), func(a *parley.Account) error {
			a.Credits = &twelve
			return nil
		}))
		s.account.Credits = &twelve
		l := s.activeSession(s.startSession(voice.SessionRequest{}))
		l.MarkJoined()
		s.clock.Advance(time.Minute + time.Second)
		s.CheckDeadlines(s)
		s.requireCredits(0, 10)
		_, err := s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceCredits, "")
		s.clock.Advance(time.Minute)
		s.CheckDeadlines(s)
		if v := s.waitUntilEnded(l); v.EndReason != parley.EndCredits || v.Minutes != 2 {
			t.Errorf("%+v", v)
		}
		s.requireCredits(10, 0)

		s.account.Credits = nil
		s.Must(s.DB.UpdateAccount(s, s.account.ID, s.clock.Now(), func(a *parley.Account) error {
			a.Credits = nil
			return nil
		}))
		s.updateAgent(func(a *parley.Agent) { a.CreditLimit = new(int64(14)) })
		_, err = s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceAgentCredits, "")
		s.plan.CreditsPerVoiceMinute = 0
		s.startSession(voice.SessionRequest{})
		s.updateAgent(func(a *parley.Agent) { a.CreditLimit = new(int64(10)) })
		_, err = s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceAgentCredits, "")
	})
}

func TestOrphansAreEndedOnce(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		l := s.activeSession(s.startSession(voice.SessionRequest{}))
		l.MarkJoined()
		s.clock.Advance(90 * time.Second)
		s.CheckDeadlines(s)
		l.MarkSeen()
		s.Must(s.RenewLeases(s))
		s.requireCredits(0, 10)
		s.clock.Advance(5 * time.Minute) // the server does not respond
		successors := []*voice.Sessions{s.newSessions(s.DB), s.newSessions(s.DB), s.newSessions(s.DB)}
		check.Concurrently(len(successors), func(i int) {
			if err := successors[i].RecoverExpired(s); err != nil {
				t.Error(err)
			}
		})
		v := s.storedSession(l.ID)
		if v.EndReason != parley.EndServerStopped || v.Minutes != 2 || v.EndedAt == nil {
			t.Errorf("%+v", v)
		}
		s.requireCredits(10, 0)
		if n := dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from events where kind = 'voice.ended'`); n != 1 {
			t.Errorf("ended %d times", n)
		}
		s.Must(s.RenewLeases(s)) // and the server that did not respond is informed
		if after := s.waitUntilEnded(l); after.Minutes != 2 || after.Charged != v.Charged {
			t.Errorf("%+v", after)
		}
		s.requireCredits(10, 0)
	})
}

func TestOpeningSessionIsUndone(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		o := s.startSession(voice.SessionRequest{})
		for _, q := range []string{`update voice_sessions set state = 'opening', owner = 'dead' where id = ?`,
			`delete from conversations where id = (select conversation_id from voice_sessions where id = ?)`} {
			_, err := s.DB.SQL().Exec(s, q, o.ID)
			s.Must(err)
		}
		s.clock.Advance(10 * time.Minute)
		s.Must(s.newSessions(s.DB).RecoverExpired(s))
		if n := dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from voice_sessions`); n != 0 {
			t.Errorf("%d sessions remain", n)
		}
		s.requireCredits(0, 0)
	})
}

func TestOperatorEndsSession(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		l := s.activeSession(s.startSession(voice.SessionRequest{}))
		other := s.newSessions(s.DB)
		v := l.Snapshot()
		if s.DB.SQL().Dialect() == sqldb.Postgres { // SQLite has only one server
			if accepted, err := other.Stop(s, &v); err != nil || !accepted {
				t.Fatal(accepted, err)
			}
			s.Must(s.ApplyEndRequests(s))
		} else if ended, err := s.Stop(s, &v); err != nil || !ended {
			t.Fatal(ended, err)
		}
		if v := s.waitUntilEnded(l); v.EndReason != parley.EndOperator {
			t.Errorf("%+v", v)
		}
		if again, err := other.Stop(s, s.storedSession(l.ID)); err != nil || again {
			t.Error("it was ended twice", err)
		}
	})
}

func TestSessionsEndWithTheirConversationAndAgent(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		a, b := s.activeSession(s.startSession(voice.SessionRequest{})),
			s.activeSession(s.startSession(voice.SessionRequest{}))
		s.Must(s.DB.Transact(s, sqldb.Interactive, func(tx *store.DB) error {
			_, err := tx.DeleteConversations(s, s.account.ID.AgentRef(s.agent),
				[]parley.ConversationID{a.ConversationID}, nil, s.clock.Now())
			return err
		}))
		isErased, err := s.DB.EraseConversations(s, s.account.ID.AgentRef(s.agent))
		if s.Must(err); isErased {
			t.Error("the conversation of a living session was erased")
		}
		s.Must(s.ApplyEndRequests(s))
		s.waitUntilEnded(a)
		if isErased, err := s.DB.EraseConversations(s, s.account.ID.AgentRef(s.agent)); err != nil || !isErased ||
			dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from voice_sessions`) != 1 {
			t.Error(isErased, err)
		}
		s.Must(s.DB.DeleteAgent(s, s.account.ID.AgentRef(s.agent), s.clock.Now()))
		if isErased, err := s.DB.EraseAgent(s, s.account.ID.AgentRef(s.agent)); err != nil || isErased {
			t.Error(isErased, err)
		}
		s.Must(s.ApplyEndRequests(s))
		s.waitUntilEnded(b)
		if isErased, err := s.DB.EraseAgent(s, s.account.ID.AgentRef(s.agent)); err != nil || !isErased {
			t.Error(isErased, err)
		}
	})
}

func TestDialogEndsTheSession(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		begun, leave := make(chan *voice.Session), make(chan error)
		s.Sessions.Respond = func(ctx context.Context, l *voice.Session) error {
			l.MarkJoined()
			begun <- l
			select {
			case err := <-leave:
				return err
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		for reason, err := range map[parley.SessionEndReason]error{parley.EndClientLeft: nil,
			parley.EndError: errors.New("the ears fell off")} {
			s.startSession(voice.SessionRequest{})
			l := <-begun
			leave <- err
			if v := s.waitUntilEnded(l); v.EndReason != reason || v.Minutes != 1 {
				t.Errorf("%+v", v)
			}
		}
		s.startSession(voice.SessionRequest{})
		l := <-begun
		s.Drain(s)
		if v := s.waitUntilEnded(l); v.EndReason != parley.EndServerStopped {
			t.Errorf("%+v", v)
		}
		_, err := s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeUnderMaintenance, "")
	})
}

// The price of minutes includes the answers, up to the last minute that the account can afford.
func TestAnswersArePaidByMinutes(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		d := newTestDialog(t, db, `{}`, func(d *testDialog) {
			d.updateAgent(func(a *parley.Agent) { a.CreditLimit = new(int64(5)) })
		})
		d.joinUser()
		d.scriptAnswers("Ten euros.", "Eleven.")
		d.saySegment(question, time.Second)
		d.waitForTranscript(`
			user: What does it cost?
			agent: Ten euros.
		`)
		d.waitForState("listening")
		d.typeText("And now?")
		d.waitForStored(`
			user: What does it cost?
			assistant: Ten euros.
			user: And now?
			assistant: Eleven.
		`)
		d.waitForState("listening")
		d.events <- rtc.Event{Kind: rtc.EventLeft}
		if s := d.waitForEnd(parley.EndClientLeft); s.Minutes != 1 {
			t.Errorf("%+v", s)
		}
		d.requireCredits(5, 0)
		if n := dbs.CountRows(d.TB, d.DB.SQL(), `select count(*) from credit_ledger`); n != 1 {
			t.Errorf("%d entries in the ledger", n)
		}
	})
}
