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

// Room describes a room to the media server.
type Room struct {
	Name             string        // at most 256 bytes
	EmptyTimeout     time.Duration // how long it is kept without its user
	DepartureTimeout time.Duration // how long it is kept after its user has left
}

// ErrRefused is a refusal of the media server that will not change on another try.
var ErrRefused = errors.New("the media server refused")

// CreateRoom creates a room for one user, whom agents may join. Nobody can join a room that was not created.
func (s *Server) CreateRoom(ctx context.Context, r Room) error {
	return s.callRoomService(ctx, "CreateRoom", map[string]any{
		"name": r.Name, "max_participants": 1,
		"empty_timeout": int64(r.EmptyTimeout / time.Second), "departure_timeout": int64(r.DepartureTimeout / time.Second),
	})
}

// DeleteRoom removes everybody from a room for good: its tokens are refused from then on. A room that does not exist is
// no error.
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

// serverError is an error of the media server.
type serverError struct {
	Status int    `json:"-"`
	Code   string `json:"code"`
	Msg    string `json:"msg"`
}

func (a *serverError) Error() string {
	return fmt.Sprintf("the media server answered %d %s: %s", a.Status, a.Code, a.Msg)
}

// Is reports whether the error is an ErrRefused.
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
	r, err := http.NewRequestWithContext(ctx, http.MethodPost,
		withScheme(address, "http")+"/twirp/livekit.RoomService/"+method, bytes.NewReader(text))
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
