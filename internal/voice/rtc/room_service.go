package rtc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Room is what the media server is told of a room.
type Room struct {
	Name             string        // at most 256 bytes
	EmptyTimeout     time.Duration // how long it waits for its user
	DepartureTimeout time.Duration // how long it waits for a user who has left
}

// ErrRefused is an answer of the media server that trying again will not change.
var ErrRefused = errors.New("the media server refused")

// CreateRoom makes a room for one user, beside whom agents may join. Nobody gets into a room that was not opened.
func (s *Server) CreateRoom(ctx context.Context, r Room) error {
	return s.callRoomService(ctx, "CreateRoom", map[string]any{
		"name": r.Name, "max_participants": 1,
		"empty_timeout": int64(r.EmptyTimeout / time.Second), "departure_timeout": int64(r.DepartureTimeout / time.Second),
	})
}

// DeleteRoom puts everybody out of a room, for good: its tokens open nothing from now on. A room that is gone already is no failure.
func (s *Server) DeleteRoom(ctx context.Context, name string) error {
	if s.URL == "" && s.runningChild() == nil {
		return nil
	}
	err := s.callRoomService(ctx, "DeleteRoom", map[string]any{"room": name})
	var refusal *serverError
	if errors.As(err, &refusal) && refusal.Code == "not_found" {
		return nil
	}
	return err
}

// serverError is how the media server says no.
type serverError struct {
	Status int    `json:"-"`
	Code   string `json:"code"`
	Msg    string `json:"msg"`
}

func (a *serverError) Error() string {
	return fmt.Sprintf("the media server answered %d %s: %s", a.Status, a.Code, a.Msg)
}

// Is sorts the answers to which asking again gives no other.
func (a *serverError) Is(target error) bool {
	return target == ErrRefused && a.Status >= 400 && a.Status < 500
}

// callRoomService calls LiveKit's room service, which speaks Twirp with JSON.
func (s *Server) callRoomService(ctx context.Context, method string, body any) error {
	address, err := s.Address(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, withScheme(address, "http")+"/twirp/livekit.RoomService/"+method, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.adminToken())
	resp, err := roomServiceClient.Do(r)
	if err != nil {
		return fmt.Errorf("ask the media server: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || resp.StatusCode == http.StatusOK {
		return err
	}
	refused := &serverError{Status: resp.StatusCode}
	if json.Unmarshal(reply, refused) != nil {
		refused.Code, refused.Msg = "malformed", "no JSON"
	}
	return refused
}
