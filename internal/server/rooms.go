package server

import (
	"context"
	"time"

	"parley"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// mediaRooms lets voice sessions take place in the rooms of a media server.
type mediaRooms struct{ media *rtc.Server }

// departureTimeout is how long a room waits for a user whose connection is gone, the agent's patience being shorter.
const departureTimeout = 30 * time.Second

// setUpVoiceRooms joins the desk of voice sessions to the media server, where there is one: what dies with it ends there and then.
func (h *Server) setUpVoiceRooms() {
	if !h.Media.Available() {
		return
	}
	h.Voice.Rooms = &mediaRooms{h.Media}
	h.Media.OnChildExit = func(error) {
		for _, l := range h.Voice.Active() {
			l.End(parley.EndError)
		}
	}
}

var _ voice.Rooms = (*mediaRooms)(nil)

// Open makes the session's room and the customer's way into it.
func (r *mediaRooms) Open(ctx context.Context, s *parley.VoiceSession) (string, error) {
	empty := s.ExpiresAt().Sub(s.CreatedAt)
	if err := r.media.CreateRoom(ctx, rtc.Room{Name: s.Room(), EmptyTimeout: empty, DepartureTimeout: departureTimeout}); err != nil {
		return "", err
	}
	return r.media.UserToken(rtc.JoinGrant{Room: s.Room(), Identity: string(s.UserID), ExpiresAt: s.ExpiresAt()}), nil
}

// Close ends the room. Why was told in it by the agent, who has left by now.
func (r *mediaRooms) Close(ctx context.Context, s *parley.VoiceSession, _ parley.SessionEndReason) error {
	return r.media.DeleteRoom(ctx, s.Room())
}
