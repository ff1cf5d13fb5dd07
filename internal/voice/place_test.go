package voice_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/voice"
)

// A server holds no more sessions than it may, whoever asks at once, and each that ends or fails makes room.
func TestNoMoreThanAServerMayHold(t *testing.T) {
	each(t, func(s *studio) {
		s.Desk.Most = 5
		var opened, ended, refused, failed atomic.Int64
		s.Desk.Watch = voice.Watch{Opened: func() { opened.Add(1) }, Ended: func(parley.SessionEnd) { ended.Add(1) }, Refused: func(reason string) {
			switch reason {
			case "server_limit":
				refused.Add(1)
			case "failed":
				failed.Add(1)
			default:
				s.Error(reason)
			}
		}}
		together(64, func(int) {
			if _, err := s.ask(voice.Ask{}); err != nil {
				s.fails(err, parley.CodeVoiceLimit, "concurrent_exceeded")
			}
		})
		if opened.Load() != 5 || refused.Load() != 59 || len(s.Sessions()) != 5 || s.rooms.Number() != 5 {
			t.Errorf("%d admitted, %d refused, %d live, %d rooms", opened.Load(), refused.Load(), len(s.Sessions()), s.rooms.Number())
		}
		s.credits(0, 25)
		s.ends(s.Sessions()[0], parley.EndOperator)
		s.start(voice.Ask{})
		_, err := s.ask(voice.Ask{})
		s.fails(err, parley.CodeVoiceLimit, "concurrent_exceeded")
		s.ends(s.Sessions()[0], parley.EndOperator)
		s.rooms.Break(true)
		for range 3 {
			_, err = s.ask(voice.Ask{})
			s.fails(err, parley.CodeSessionFailed, "")
		}
		s.rooms.Break(false)
		s.start(voice.Ask{})
		if opened.Load() != 7 || ended.Load() != 2 || failed.Load() != 3 {
			t.Errorf("%d opened, %d ended, %d failed", opened.Load(), ended.Load(), failed.Load())
		}
	})
}

// An account keeps no more sessions waiting than it may, on all servers together and whoever asks at once; those that
// somebody has joined do not count, nor do other accounts.
func TestNoMoreWaitThanMay(t *testing.T) {
	each(t, func(s *studio) {
		other := s.desk(s.DB)
		s.Desk.Waiting, other.Waiting = 3, 3
		second := s.another(s.account)
		var admitted atomic.Int64
		together(24, func(i int) {
			_, err := []*voice.Desk{s.Desk, other}[i%2].Start(s, s.account, s.plan, []parley.AgentID{s.agent, second}[i/2%2], voice.Ask{})
			if err == nil {
				admitted.Add(1)
			} else if e := s.fails(err, parley.CodeVoiceLimit, "concurrent_exceeded"); e.RetryAfter <= 0 || e.Limit != 3 ||
				!strings.Contains(e.Message, "wait to be joined") {
				t.Error(e.RetryAfter, e.Limit, e.Message)
			}
		})
		if admitted.Load() != 3 || s.rooms.Number() != 3 {
			t.Fatalf("%d admitted, %d rooms", admitted.Load(), s.rooms.Number())
		}
		s.credits(0, 15)
		desk := s.Desk
		if len(desk.Sessions()) == 0 {
			desk = other
		}
		desk.Sessions()[0].Joined() // not on disk yet
		_, err := desk.Start(s, s.account, s.plan, s.agent, voice.Ask{})
		s.must(err)
		_, err = desk.Start(s, s.account, s.plan, s.agent, voice.Ask{})
		s.fails(err, parley.CodeVoiceLimit, "concurrent_exceeded")

		stranger := parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Else", Plan: "test", CreatedAt: s.clock.Now()}
		s.must(s.DB.CreateAccount(s, &stranger))
		_, err = desk.Start(s, stranger, s.plan, s.another(stranger), voice.Ask{})
		s.must(err)

		s.clock.Turn(parley.JoinPatience) // nobody comes
		for _, d := range []*voice.Desk{s.Desk, other} {
			list := d.Sessions()
			d.Look(s)
			for _, l := range list {
				if l.Current().JoinedAt == nil {
					s.ended(l)
				}
			}
		}
		s.start(voice.Ask{})
	})
}
