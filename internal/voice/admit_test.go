package voice_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/voice"
)

func TestSessionIsAdmitted(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.setVoiceSettings(`{"maxCallDurationSeconds": 900}`)
		o := s.startSession(voice.SessionRequest{UserID: "jo", Timezone: "Europe/Berlin"})
		if o.Room() != "chatbot-"+string(s.agent)+"-"+string(o.ConversationID)+"-"+string(o.ID) ||
			o.MaxDuration != 15*time.Minute || o.UserID != "jo" || !strings.HasSuffix(o.Token, o.Room()) {
			t.Errorf("%+v", o)
		}
		c, err := s.DB.Conversation(s, s.account.ID.AgentRef(s.agent).ConversationRef(o.ConversationID))
		s.Must(err)
		if c.UserID != "jo" || c.Channel != parley.ChannelAPI || c.Status != parley.ConversationOngoing ||
			c.MessageCount != 0 {
			t.Errorf("%+v", c)
		}
		if v := s.storedSession(o.ID); v.Timezone != "Europe/Berlin" || v.EndedAt != nil || v.Owner != s.Owner {
			t.Errorf("%+v", v)
		}
		if again := s.startSession(voice.SessionRequest{}); again.UserID == "" || again.Timezone != "UTC" ||
			again.ConversationID == o.ConversationID {
			t.Errorf("%+v", again)
		}
		s.requireCredits(0, 10)
	})
}

// hasVoice is true for a conversation as soon as a customer has joined one of its sessions.
func TestAdmissionCreatesAConversation(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		l, unjoined := s.activeSession(s.startSession(voice.SessionRequest{})),
			s.activeSession(s.startSession(voice.SessionRequest{}))
		requireSession := func(l *voice.Session, want bool) {
			t.Helper()
			s.Must(s.StoreJoins(s))
			if exists, err := s.DB.HasVoiceSession(s,
				s.account.ID.AgentRef(s.agent).ConversationRef(l.ConversationID)); err != nil || exists != want {
				t.Error(exists, err)
			}
		}
		requireSession(l, false)
		l.MarkJoined()
		requireSession(l, true)
		requireSession(l, true)
		if n := dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from events where kind = 'voice.joined' and subject_id = ?`,
			l.ID); n != 1 || s.storedSession(l.ID).JoinedAt == nil {
			t.Errorf("reported %d times", n)
		}
		s.endSession(l, parley.EndClientLeft)
		s.endSession(unjoined, parley.EndClientLeft)
		requireSession(l, true)
		requireSession(unjoined, false)
	})
}

func TestSessionContinuesAConversation(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		first := s.startSession(voice.SessionRequest{UserID: "jo"})
		goOn := voice.SessionRequest{ContinueConversation: true, ConversationID: first.ConversationID}
		if o := s.startSession(goOn); o.ConversationID != first.ConversationID || o.UserID != "jo" || o.ID == first.ID {
			t.Errorf("%+v", o)
		}
		_, err := s.tryStart(voice.SessionRequest{ContinueConversation: true, ConversationID: first.ConversationID,
			UserID: "kim"})
		s.requireError(err, parley.CodeUserMismatch, "")
		orphan := parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: s.account.ID,
			AgentID: s.agent, API: parley.APIV2, Channel: parley.ChannelAPI,
			Status: parley.ConversationOngoing, CreatedAt: s.clock.Now(), UpdatedAt: s.clock.Now()}
		s.Must(s.DB.Transact(s, sqldb.Interactive, func(tx *store.DB) error {
			return tx.CreateVoiceConversation(s, &orphan)
		}))
		_, err = s.tryStart(voice.SessionRequest{ContinueConversation: true, ConversationID: orphan.ID, UserID: "kim"})
		s.requireError(err, parley.CodeUserMismatch, "")
		if o := s.startSession(voice.SessionRequest{ContinueConversation: true, ConversationID: orphan.ID}); o.UserID == "" {
			t.Error("no user was created for the session")
		}
		if c, err := s.DB.Conversation(s, s.account.ID.AgentRef(s.agent).ConversationRef(orphan.ID)); err != nil ||
			c.UserID != "" {
			t.Errorf("the conversation became %q's (%v)", c.UserID, err)
		}
		for _, id := range []parley.ConversationID{"", "x", "01900000-0000-7000-8000-000000000000"} {
			_, err := s.tryStart(voice.SessionRequest{ContinueConversation: true, ConversationID: id})
			s.requireError(err, parley.CodeConversationNotFound, "")
		}
		c := *requireValue(s.DB.Conversation(s, s.account.ID.AgentRef(s.agent).ConversationRef(first.ConversationID)))(t)
		c.Status = parley.ConversationEnded
		s.Must(s.DB.SaveConversationStatus(s, &c, 1, "test"))
		_, err = s.tryStart(goOn)
		s.requireError(err, parley.CodeNotOngoing, "")
	})
}

func requireValue[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestVoiceNotAvailable(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		_, err := s.Start(s, s.caller(), "nobody", voice.SessionRequest{})
		s.requireError(err, parley.CodeAgentNotFound, "")
		s.setVoiceSettings(`null`)
		_, err = s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceNotAvailable, "")
		s.setVoiceSettings(`{}`)
		s.plan.Voice = false
		_, err = s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceNotAvailable, "")
		s.plan.Voice, s.Sessions.Rooms = true, nil
		_, err = s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceNotAvailable, "")
	})
}

func TestFailedAdmissionLeavesNothing(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.setVoiceSettings(`{"maxConcurrentSessions": 1, "maxDailyCallsPerUser": 1}`)
		s.rooms.SetFailing(true)
		_, err := s.tryStart(voice.SessionRequest{UserID: "jo"})
		if e := s.requireError(err, parley.CodeSessionFailed, ""); strings.Contains(e.Message, "10.1.2.3") {
			t.Error("the message shows internals:", e.Message)
		}
		for _, table := range []string{"voice_sessions", "conversations", "conversation_counts", "events"} {
			if n := dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from `+table); n != 0 {
				t.Errorf("%d rows remain in %s", n, table)
			}
		}
		s.requireCredits(0, 0)
		s.rooms.SetFailing(false)
		s.startSession(voice.SessionRequest{UserID: "jo"})
	})
}

func TestLimits(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		one, two := 1, 2
		s.setVoiceSettings(`{"maxConcurrentSessions": 1}`)
		o := s.startSession(voice.SessionRequest{})
		_, err := s.tryStart(voice.SessionRequest{})
		if e := s.requireError(err, parley.CodeVoiceLimit, "concurrent_exceeded"); e.RetryAfter <= 0 {
			t.Error("no time for a retry")
		}
		s.endSession(s.activeSession(o), parley.EndClientLeft)
		s.startSession(voice.SessionRequest{})

		s.setVoiceSettings(`{"maxDailyCallsPerUser": 1}`)
		s.startSession(voice.SessionRequest{UserID: "jo"})
		s.clock.Advance(time.Hour)
		_, err = s.tryStart(voice.SessionRequest{UserID: "jo"})
		if e := s.requireError(err, parley.CodeVoiceLimit, "per_user_exceeded"); e.RetryAfter != 23*time.Hour {
			t.Errorf("retry after %v", e.RetryAfter)
		}
		s.startSession(voice.SessionRequest{UserID: "kim"})

		s.setVoiceSettings(`{}`)
		s.plan.VoicePerHour = &two
		s.startSession(voice.SessionRequest{})
		_, err = s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceLimit, "hourly_exceeded")
		s.plan.VoicePerDay = &two
		s.clock.Advance(2 * time.Hour)
		_, err = s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceLimit, "daily_exceeded")
		s.updateAgent(func(a *parley.Agent) { a.VoiceLimits = parley.VoiceLimits{PerHour: &one, PerDay: new(1000)} })
		s.startSession(voice.SessionRequest{})
		_, err = s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceLimit, "hourly_exceeded")
	})
}

// If there are several reasons to refuse a session, the first one in the order is returned, and nothing is stored.
func TestOrderOfRefusals(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		none := 0
		s.Sessions.IsOverloaded = func() bool { return true }
		s.setVoiceSettings(`{"maxDailyCallsPerUser": 0}`)
		s.updateAgent(func(a *parley.Agent) {
			a.CreditLimit, a.VoiceLimits = new(int64(4)), parley.VoiceLimits{PerHour: &none}
		})
		s.account.Credits = new(4 * parley.Credit)
		for _, step := range []struct {
			code   parley.Code
			reason string
			allow  func()
		}{
			{parley.CodeVoiceCredits, "", func() { s.account.Credits = nil }},
			{parley.CodeVoiceAgentCredits, "", func() { s.updateAgent(func(a *parley.Agent) { a.CreditLimit = nil }) }},
			{parley.CodeVoiceLimit, "per_user_exceeded", func() { s.setVoiceSettings(`{}`) }},
			{parley.CodeVoiceLimit, "hourly_exceeded", func() {
				s.updateAgent(func(a *parley.Agent) { a.VoiceLimits = parley.VoiceLimits{} })
			}},
			{parley.CodeUnderMaintenance, "server_overloaded", func() { s.Sessions.IsOverloaded = nil }},
		} {
			_, err := s.tryStart(voice.SessionRequest{})
			s.requireError(err, step.code, step.reason)
			s.requireCredits(0, 0)
			step.allow()
		}
		s.startSession(voice.SessionRequest{})
		s.Sessions.MaxSessions = 1
		_, err := s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceLimit, "concurrent_exceeded")
		s.requireCredits(0, 5)
	})
}

func TestConcurrentStartsRespectTheLimit(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.setVoiceSettings(`{"maxConcurrentSessions": 5}`)
		other := s.newSessions(s.DB)
		var admitted, refused atomic.Int64
		check.Concurrently(64, func(i int) {
			sessions := s.Sessions
			if i%2 == 1 {
				sessions = other
			}
			_, err := sessions.Start(s, s.caller(), s.agent, voice.SessionRequest{})
			switch e := parley.AsError(err); {
			case err == nil:
				admitted.Add(1)
			case e.Details["reason"] == "concurrent_exceeded":
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
		if admitted.Load() != 5 || refused.Load() != 59 || s.rooms.CountOpen() != 5 {
			t.Errorf("%d admitted, %d refused, %d rooms", admitted.Load(), refused.Load(), s.rooms.CountOpen())
		}
		s.requireCredits(0, 25)
	})
}
