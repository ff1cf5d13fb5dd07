package voice_test

import (
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
