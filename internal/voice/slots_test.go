package voice_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/testkit/check"
	"parley/internal/voice"
)

// A server never holds more sessions than its limit, and each that ends or fails frees a slot.
func TestSessionsOfAServerAreLimited(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.Sessions.MaxSessions = 5
		var opened, ended, refused, failed atomic.Int64
		s.Sessions.Observer = voice.Observer{OnOpen: func() { opened.Add(1) }, OnEnd: func(parley.SessionEndReason) {
			ended.Add(1)
		}, OnRefuse: func(reason string) {
			switch reason {
			case "server_limit":
				refused.Add(1)
			case "failed":
				failed.Add(1)
			default:
				s.Error(reason)
			}
		}}
		check.Concurrently(64, func(int) {
			if _, err := s.tryStart(voice.SessionRequest{}); err != nil {
				s.requireError(err, parley.CodeVoiceLimit, "concurrent_exceeded")
			}
		})
		if opened.Load() != 5 || refused.Load() != 59 || len(s.Active()) != 5 || s.rooms.CountOpen() != 5 {
			t.Errorf("%d admitted, %d refused, %d live, %d rooms", opened.Load(), refused.Load(), len(s.Active()),
				s.rooms.CountOpen())
		}
		s.requireCredits(0, 25)
		s.endSession(s.Active()[0], parley.EndOperator)
		s.startSession(voice.SessionRequest{})
		_, err := s.tryStart(voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceLimit, "concurrent_exceeded")
		s.endSession(s.Active()[0], parley.EndOperator)
		s.rooms.SetFailing(true)
		for range 3 {
			_, err = s.tryStart(voice.SessionRequest{})
			s.requireError(err, parley.CodeSessionFailed, "")
		}
		s.rooms.SetFailing(false)
		s.startSession(voice.SessionRequest{})
		if opened.Load() != 7 || ended.Load() != 2 || failed.Load() != 3 {
			t.Errorf("%d opened, %d ended, %d failed", opened.Load(), ended.Load(), failed.Load())
		}
	})
}

// The unjoined sessions of an account are limited, on all servers together; those that somebody has joined do not
// count, nor do those of other accounts.
func TestUnjoinedSessionsAreLimited(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		other := s.newSessions(s.DB)
		s.Sessions.MaxUnjoined, other.MaxUnjoined = 3, 3
		second := s.createAgent(s.account)
		var admitted atomic.Int64
		check.Concurrently(24, func(i int) {
			_, err := []*voice.Sessions{s.Sessions, other}[i%2].Start(s, s.caller(),
				[]parley.AgentID{s.agent, second}[i/2%2], voice.SessionRequest{})
			if err == nil {
				admitted.Add(1)
			} else if e := s.requireError(err, parley.CodeVoiceLimit, "concurrent_exceeded"); e.RetryAfter <= 0 ||
				e.Limit != 3 ||
				!strings.Contains(e.Message, "wait to be joined") {
				t.Error(e.RetryAfter, e.Limit, e.Message)
			}
		})
		if admitted.Load() != 3 || s.rooms.CountOpen() != 3 {
			t.Fatalf("%d admitted, %d rooms", admitted.Load(), s.rooms.CountOpen())
		}
		s.requireCredits(0, 15)
		sessions := s.Sessions
		if len(sessions.Active()) == 0 {
			sessions = other
		}
		sessions.Active()[0].MarkJoined() // not stored yet
		_, err := sessions.Start(s, s.caller(), s.agent, voice.SessionRequest{})
		s.Must(err)
		_, err = sessions.Start(s, s.caller(), s.agent, voice.SessionRequest{})
		s.requireError(err, parley.CodeVoiceLimit, "concurrent_exceeded")

		stranger := parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Else", Plan: "test",
			CreatedAt: s.clock.Now()}
		s.Must(s.DB.CreateAccount(s, &stranger))
		_, err = sessions.Start(s, parley.Caller{Account: stranger, Plan: s.plan}, s.createAgent(stranger),
			voice.SessionRequest{})
		s.Must(err)

		s.clock.Advance(parley.VoiceJoinTimeout) // nobody joins
		for _, d := range []*voice.Sessions{s.Sessions, other} {
			list := d.Active()
			d.CheckDeadlines(s)
			for _, l := range list {
				if l.Snapshot().JoinedAt == nil {
					s.waitUntilEnded(l)
				}
			}
		}
		s.startSession(voice.SessionRequest{})
	})
}
