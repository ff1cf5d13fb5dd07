package house

import (
	"context"
	"time"

	"parley"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// rooms lets voice sessions take place in the rooms of a media server.
type rooms struct{ media *rtc.Server }

// comeBack is how long a room waits for a user whose connection is gone, the agent's patience being shorter.
const comeBack = 30 * time.Second

// studio joins the desk of voice sessions to the media server, where there is one: what dies with it ends there and then.
func (h *House) studio() {
	if !h.Media.Available() {
		return
	}
	h.Voice.Rooms = &rooms{h.Media}
	h.Media.Lost = func(error) {
		for _, l := range h.Voice.Sessions() {
			l.End(parley.EndError)
		}
	}
}

var _ voice.Rooms = (*rooms)(nil)

// Open makes the session's room and the customer's way into it.
func (r *rooms) Open(ctx context.Context, s *parley.VoiceSession) (string, error) {
	empty := s.ExpiresAt().Sub(s.CreatedAt)
	if err := r.media.Open(ctx, rtc.Room{Name: s.Room(), Empty: empty, Departure: comeBack}); err != nil {
		return "", err
	}
	return r.media.UserToken(rtc.Pass{Room: s.Room(), Identity: string(s.UserID), Until: s.ExpiresAt()}), nil
}

// Close ends the room. Why was told in it by the agent, who has left by now.
func (r *rooms) Close(ctx context.Context, s *parley.VoiceSession, _ parley.SessionEnd) error {
	return r.media.End(ctx, s.Room())
}
