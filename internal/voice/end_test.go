package voice_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley"
	"parley/internal/rig/dbs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

func TestMinutesArePaid(t *testing.T) {
	each(t, func(s *studio) {
		type end struct {
			reason  parley.SessionEnd
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
			before, _, err := s.DB.CreditsUsed(s, s.account.ID, "2026-11")
			s.must(err)
			l := s.live(s.start(voice.Ask{}))
			s.clock.Turn(10 * time.Second)
			l.Joined()
			s.clock.Turn(e.seen)
			l.Seen()
			s.clock.Turn(e.after - e.seen)
			s.Look(s)
			v := s.ends(l, e.reason)
			if v.Reason != e.reason || v.Minutes != e.minutes || v.Charged != parley.Credits(e.minutes)*5*parley.Credit || s.rooms.Closed(l.ID) != e.reason {
				t.Errorf("%+v: %+v, closed for %q", e, v, s.rooms.Closed(l.ID))
			}
			s.credits((before + v.Charged).Whole(), 0)
		}
		if n := s.count(`select count(*) from credit_ledger where kind = 'voice'`); n != 5 {
			t.Errorf("%d entries in the ledger", n)
		}
	})
}

func TestASessionThatNobodyJoinsCostsNothing(t *testing.T) {
	each(t, func(s *studio) {
		l := s.live(s.start(voice.Ask{}))
		s.clock.Turn(parley.JoinPatience - 1)
		s.Look(s)
		if len(s.Sessions()) != 1 {
			t.Fatal("it did not wait")
		}
		s.clock.Turn(1)
		s.Look(s)
		if v := s.ended(l); v.Reason != parley.EndClientLeft || v.Charged != 0 || v.JoinedAt != nil {
			t.Errorf("%+v", v)
		}
		s.credits(0, 0)
	})
}

func TestTheLongestCall(t *testing.T) {
	each(t, func(s *studio) {
		s.settings(`{"maxCallDurationSeconds": 120}`)
		l := s.live(s.start(voice.Ask{}))
		l.Joined()
		s.clock.Turn(2*time.Minute - 1)
		s.Look(s)
		if len(s.Sessions()) != 1 {
			t.Fatal("it ended early")
		}
		s.clock.Turn(time.Second)
		s.Look(s)
		if v := s.ended(l); v.Reason != parley.EndMaxDuration || v.Minutes != 2 {
			t.Errorf("%+v", v)
		}
		s.credits(10, 0)
	})
}

func TestCreditsRunOut(t *testing.T) {
	each(t, func(s *studio) {
		twelve := 12 * parley.Credit
		s.must(s.DB.UpdateAccount(s, s.account.ID, s.clock.Now(), func(a *parley.Account) error { a.Credits = &twelve; return nil }))
		s.account.Credits = &twelve
		l := s.live(s.start(voice.Ask{}))
		l.Joined()
		s.clock.Turn(time.Minute + time.Second)
		s.Look(s)
		s.credits(0, 10)
		_, err := s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceCredits, "")
		s.clock.Turn(time.Minute)
		s.Look(s)
		if v := s.ended(l); v.Reason != parley.EndCredits || v.Minutes != 2 {
			t.Errorf("%+v", v)
		}
		s.credits(10, 0)

		s.account.Credits = nil
		s.must(s.DB.UpdateAccount(s, s.account.ID, s.clock.Now(), func(a *parley.Account) error { a.Credits = nil; return nil }))
		s.change(func(a *parley.Agent) { a.CreditLimit = new(int64(14)) })
		_, err = s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceAgentCredits, "")
		s.plan.CreditsPerVoiceMinute = 0
		s.start(voice.Ask{})
		s.change(func(a *parley.Agent) { a.CreditLimit = new(int64(10)) })
		_, err = s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceAgentCredits, "")
	})
}

func TestOrphansAreEndedOnce(t *testing.T) {
	each(t, func(s *studio) {
		l := s.live(s.start(voice.Ask{}))
		l.Joined()
		s.clock.Turn(90 * time.Second)
		s.Look(s)
		l.Seen()
		s.must(s.Beat(s))
		s.credits(0, 10)
		s.clock.Turn(5 * time.Minute) // the server hangs
		heirs := []*voice.Desk{s.desk(s.DB), s.desk(s.DB), s.desk(s.DB)}
		together(len(heirs), func(i int) {
			if err := heirs[i].Recover(s); err != nil {
				t.Error(err)
			}
		})
		v := s.stored(l.ID)
		if v.Reason != parley.EndServerStopped || v.Minutes != 2 || v.EndedAt == nil {
			t.Errorf("%+v", v)
		}
		s.credits(10, 0)
		if n := s.count(`select count(*) from events where kind = 'voice.ended'`); n != 1 {
			t.Errorf("ended %d times", n)
		}
		s.must(s.Beat(s)) // and the server that hung learns of it
		if after := s.ended(l); after.Minutes != 2 || after.Charged != v.Charged {
			t.Errorf("%+v", after)
		}
		s.credits(10, 0)
	})
}

func TestWhatWasOpeningIsTakenBack(t *testing.T) {
	each(t, func(s *studio) {
		o := s.start(voice.Ask{})
		for _, q := range []string{`update voice_sessions set state = 'opening', owner = 'dead' where id = ?`, `delete from conversations where id = (select conversation_id from voice_sessions where id = ?)`} {
			_, err := s.DB.SQL().Exec(s, q, o.ID)
			s.must(err)
		}
		s.clock.Turn(10 * time.Minute)
		s.must(s.desk(s.DB).Recover(s))
		if n := s.count(`select count(*) from voice_sessions`); n != 0 {
			t.Errorf("%d sessions left", n)
		}
		s.credits(0, 0)
	})
}

func TestTheOperatorEndsASession(t *testing.T) {
	each(t, func(s *studio) {
		l := s.live(s.start(voice.Ask{}))
		other := s.desk(s.DB)
		v := l.Current()
		if s.DB.SQL().Dialect() == sqldb.Postgres { // elsewhere there is no other server
			if asked, err := other.Stop(s, &v); err != nil || !asked {
				t.Fatal(asked, err)
			}
			s.must(s.Heed(s))
		} else if ended, err := s.Stop(s, &v); err != nil || !ended {
			t.Fatal(ended, err)
		}
		if v := s.ended(l); v.Reason != parley.EndOperator {
			t.Errorf("%+v", v)
		}
		if again, err := other.Stop(s, s.stored(l.ID)); err != nil || again {
			t.Error("it was ended twice", err)
		}
	})
}

func TestSessionsEndWithTheirConversationAndAgent(t *testing.T) {
	each(t, func(s *studio) {
		a, b := s.live(s.start(voice.Ask{})), s.live(s.start(voice.Ask{}))
		s.must(s.DB.Transact(s, sqldb.Turns, func(tx *store.DB) error {
			_, err := tx.DeleteConversations(s, s.account.ID, s.agent, []parley.ConversationID{a.ConversationID}, nil, s.clock.Now())
			return err
		}))
		gone, err := s.DB.EraseConversations(s, s.account.ID, s.agent)
		if s.must(err); gone {
			t.Error("the conversation of a living session was erased")
		}
		s.must(s.Heed(s))
		s.ended(a)
		if gone, err := s.DB.EraseConversations(s, s.account.ID, s.agent); err != nil || !gone || s.count(`select count(*) from voice_sessions`) != 1 {
			t.Error(gone, err)
		}
		s.must(s.DB.DeleteAgent(s, s.account.ID, s.agent, s.clock.Now()))
		if gone, err := s.DB.EraseAgent(s, s.account.ID, s.agent); err != nil || gone {
			t.Error(gone, err)
		}
		s.must(s.Heed(s))
		s.ended(b)
		if gone, err := s.DB.EraseAgent(s, s.account.ID, s.agent); err != nil || !gone {
			t.Error(gone, err)
		}
	})
}

func TestTheTalkEndsTheSession(t *testing.T) {
	each(t, func(s *studio) {
		begun, leave := make(chan *voice.Live), make(chan error)
		s.Desk.Talk = func(ctx context.Context, l *voice.Live) error {
			l.Joined()
			begun <- l
			select {
			case err := <-leave:
				return err
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		for reason, err := range map[parley.SessionEnd]error{parley.EndClientLeft: nil, parley.EndError: errors.New("the ears fell off")} {
			s.start(voice.Ask{})
			l := <-begun
			leave <- err
			if v := s.ended(l); v.Reason != reason || v.Minutes != 1 {
				t.Errorf("%+v", v)
			}
		}
		s.start(voice.Ask{})
		l := <-begun
		s.Drain(s)
		if v := s.ended(l); v.Reason != parley.EndServerStopped {
			t.Errorf("%+v", v)
		}
		_, err := s.ask(voice.Ask{})
		s.fails(err, parley.CodeUnderMaintenance, "")
	})
}

// Minutes pay for what is said in them, to the last one that the account can afford.
func TestMinutesPayForTheAnswers(t *testing.T) {
	dbs.EachStore(t, func(t *testing.T, db *store.DB) {
		d := newDialogue(t, db, `{}`, func(d *dialogue) {
			d.change(func(a *parley.Agent) { a.CreditLimit = new(int64(5)) })
		})
		d.join()
		d.answers("Ten euros.", "Eleven.")
		d.says(question, time.Second)
		d.shows(`
			user: What does it cost?
			agent: Ten euros.
		`)
		d.is("listening")
		d.types("And now?")
		d.stores(`
			user: What does it cost?
			assistant: Ten euros.
			user: And now?
			assistant: Eleven.
		`)
		d.is("listening")
		d.events <- rtc.Event{Kind: rtc.EventLeft}
		if s := d.over(parley.EndClientLeft); s.Minutes != 1 {
			t.Errorf("%+v", s)
		}
		d.credits(5, 0)
		if n := d.count(`select count(*) from credit_ledger`); n != 1 {
			t.Errorf("%d entries in the ledger", n)
		}
	})
}
