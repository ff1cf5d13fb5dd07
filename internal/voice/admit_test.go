package voice_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/voice"
)

func TestASessionIsAdmitted(t *testing.T) {
	each(t, func(s *studio) {
		s.settings(`{"maxCallDurationSeconds": 900}`)
		o := s.start(voice.Ask{UserID: "jo", Timezone: "Europe/Berlin"})
		if o.Room() != "chatbot-"+string(s.agent)+"-"+string(o.ConversationID)+"-"+string(o.ID) || o.MaxDuration != 15*time.Minute || o.UserID != "jo" || !strings.HasSuffix(o.Token, o.Room()) {
			t.Errorf("%+v", o)
		}
		c, err := s.DB.Conversation(s, s.account.ID, s.agent, o.ConversationID)
		s.must(err)
		if c.UserID != "jo" || c.Channel != parley.ChannelAPI || c.Status != parley.Ongoing || c.MessageCount != 0 {
			t.Errorf("%+v", c)
		}
		if v := s.stored(o.ID); v.Timezone != "Europe/Berlin" || v.EndedAt != nil || v.Owner != s.Owner {
			t.Errorf("%+v", v)
		}
		if again := s.start(voice.Ask{}); again.UserID == "" || again.Timezone != "UTC" || again.ConversationID == o.ConversationID {
			t.Errorf("%+v", again)
		}
		s.credits(0, 10)
	})
}

// A conversation has voice from when somebody has joined a session of it, and keeps it; one that nobody has joined has none.
func TestAConversationHasVoice(t *testing.T) {
	each(t, func(s *studio) {
		l, unjoined := s.live(s.start(voice.Ask{})), s.live(s.start(voice.Ask{}))
		has := func(l *voice.Live, want bool) {
			t.Helper()
			s.must(s.Note(s))
			if has, err := s.DB.HasVoice(s, s.account.ID, s.agent, l.ConversationID); err != nil || has != want {
				t.Error(has, err)
			}
		}
		has(l, false)
		l.Joined()
		has(l, true)
		has(l, true)
		if n := s.count(`select count(*) from events where kind = 'voice.joined' and subject_id = ?`, l.ID); n != 1 || s.stored(l.ID).JoinedAt == nil {
			t.Errorf("told %d times", n)
		}
		s.ends(l, parley.EndClientLeft)
		s.ends(unjoined, parley.EndClientLeft)
		has(l, true)
		has(unjoined, false)
	})
}

func TestAConversationGoesOn(t *testing.T) {
	each(t, func(s *studio) {
		first := s.start(voice.Ask{UserID: "jo"})
		goOn := voice.Ask{Continue: true, ConversationID: first.ConversationID}
		if o := s.start(goOn); o.ConversationID != first.ConversationID || o.UserID != "jo" || o.ID == first.ID {
			t.Errorf("%+v", o)
		}
		_, err := s.ask(voice.Ask{Continue: true, ConversationID: first.ConversationID, UserID: "kim"})
		s.fails(err, parley.CodeUserMismatch, "")
		nobodys := parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: s.account.ID, AgentID: s.agent, Face: parley.FaceV2, Channel: parley.ChannelAPI,
			Status: parley.Ongoing, CreatedAt: s.clock.Now(), UpdatedAt: s.clock.Now()}
		s.must(s.DB.Transact(s, sqldb.Turns, func(tx *store.DB) error { return tx.CreateVoiceConversation(s, &nobodys) }))
		_, err = s.ask(voice.Ask{Continue: true, ConversationID: nobodys.ID, UserID: "kim"})
		s.fails(err, parley.CodeUserMismatch, "")
		if o := s.start(voice.Ask{Continue: true, ConversationID: nobodys.ID}); o.UserID == "" {
			t.Error("no user was made for the session")
		}
		if c, err := s.DB.Conversation(s, s.account.ID, s.agent, nobodys.ID); err != nil || c.UserID != "" {
			t.Errorf("the conversation became %q's (%v)", c.UserID, err)
		}
		for _, id := range []parley.ConversationID{"", "x", "01900000-0000-7000-8000-000000000000"} {
			_, err := s.ask(voice.Ask{Continue: true, ConversationID: id})
			s.fails(err, parley.CodeConversationGone, "")
		}
		c := *must(s.DB.Conversation(s, s.account.ID, s.agent, first.ConversationID))(t)
		c.Status = parley.Ended
		s.must(s.DB.SaveStatus(s, &c, 1, "test"))
		_, err = s.ask(goOn)
		s.fails(err, parley.CodeNotOngoing, "")
	})
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestVoiceThatIsNotThere(t *testing.T) {
	each(t, func(s *studio) {
		_, err := s.Start(s, s.account, s.plan, "nobody", voice.Ask{})
		s.fails(err, parley.CodeAgentNotFound, "")
		s.settings(`null`)
		_, err = s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceNotAvailable, "")
		s.settings(`{}`)
		s.plan.Voice = false
		_, err = s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceNotAvailable, "")
		s.plan.Voice, s.Desk.Rooms = true, nil
		_, err = s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceNotAvailable, "")
	})
}

func TestNothingIsLeftOfAFailure(t *testing.T) {
	each(t, func(s *studio) {
		s.settings(`{"maxConcurrentSessions": 1, "maxDailyCallsPerUser": 1}`)
		s.rooms.Break(true)
		_, err := s.ask(voice.Ask{UserID: "jo"})
		if e := s.fails(err, parley.CodeSessionFailed, ""); strings.Contains(e.Message, "10.1.2.3") {
			t.Error("the message tells what is inside:", e.Message)
		}
		for _, table := range []string{"voice_sessions", "conversations", "conversation_counts", "events"} {
			if n := s.count(`select count(*) from ` + table); n != 0 {
				t.Errorf("%d rows left in %s", n, table)
			}
		}
		s.credits(0, 0)
		s.rooms.Break(false)
		s.start(voice.Ask{UserID: "jo"})
	})
}

func TestLimits(t *testing.T) {
	each(t, func(s *studio) {
		one, two := 1, 2
		s.settings(`{"maxConcurrentSessions": 1}`)
		o := s.start(voice.Ask{})
		_, err := s.ask(voice.Ask{})
		if e := s.fails(err, parley.CodeVoiceLimit, "concurrent_exceeded"); e.RetryAfter <= 0 {
			t.Error("no word on when to come back")
		}
		s.ends(s.live(o), parley.EndClientLeft)
		s.start(voice.Ask{})

		s.settings(`{"maxDailyCallsPerUser": 1}`)
		s.start(voice.Ask{UserID: "jo"})
		s.clock.Turn(time.Hour)
		_, err = s.ask(voice.Ask{UserID: "jo"})
		if e := s.fails(err, parley.CodeVoiceLimit, "per_user_exceeded"); e.RetryAfter != 23*time.Hour {
			t.Errorf("come back in %v", e.RetryAfter)
		}
		s.start(voice.Ask{UserID: "kim"})

		s.settings(`{}`)
		s.plan.VoicePerHour = &two
		s.start(voice.Ask{})
		_, err = s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceLimit, "hourly_exceeded")
		s.plan.VoicePerDay = &two
		s.clock.Turn(2 * time.Hour)
		_, err = s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceLimit, "daily_exceeded")
		s.change(func(a *parley.Agent) { a.VoiceLimits = parley.VoiceLimits{PerHour: &one, PerDay: new(1000)} })
		s.start(voice.Ask{})
		_, err = s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceLimit, "hourly_exceeded")
	})
}

// Of several reasons to refuse a session the first of the order is told, and nothing is kept of it.
func TestTheFirstReasonIsTold(t *testing.T) {
	each(t, func(s *studio) {
		none := 0
		s.Desk.Full = func() bool { return true }
		s.settings(`{"maxDailyCallsPerUser": 0}`)
		s.change(func(a *parley.Agent) {
			a.CreditLimit, a.VoiceLimits = new(int64(4)), parley.VoiceLimits{PerHour: &none}
		})
		s.account.Credits = new(4 * parley.Credit)
		for _, step := range []struct {
			code   parley.Code
			reason string
			mend   func()
		}{
			{parley.CodeVoiceCredits, "", func() { s.account.Credits = nil }},
			{parley.CodeVoiceAgentCredits, "", func() { s.change(func(a *parley.Agent) { a.CreditLimit = nil }) }},
			{parley.CodeVoiceLimit, "per_user_exceeded", func() { s.settings(`{}`) }},
			{parley.CodeVoiceLimit, "hourly_exceeded", func() { s.change(func(a *parley.Agent) { a.VoiceLimits = parley.VoiceLimits{} }) }},
			{parley.CodeUnderMaintenance, "server_overloaded", func() { s.Desk.Full = nil }},
		} {
			_, err := s.ask(voice.Ask{})
			s.fails(err, step.code, step.reason)
			s.credits(0, 0)
			step.mend()
		}
		s.start(voice.Ask{})
		s.Desk.Most = 1
		_, err := s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceLimit, "concurrent_exceeded")
		s.credits(0, 5)
	})
}

func TestNoMoreThanTheLimitAtOnce(t *testing.T) {
	each(t, func(s *studio) {
		s.settings(`{"maxConcurrentSessions": 5}`)
		other := s.desk(s.DB)
		var admitted, refused atomic.Int64
		together(64, func(i int) {
			desk := s.Desk
			if i%2 == 1 {
				desk = other
			}
			_, err := desk.Start(s, s.account, s.plan, s.agent, voice.Ask{})
			switch e := parley.ErrorOf(err); {
			case err == nil:
				admitted.Add(1)
			case e.Details["reason"] == "concurrent_exceeded":
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
		if admitted.Load() != 5 || refused.Load() != 59 || s.rooms.Number() != 5 {
			t.Errorf("%d admitted, %d refused, %d rooms", admitted.Load(), refused.Load(), s.rooms.Number())
		}
		s.credits(0, 25)
	})
}
