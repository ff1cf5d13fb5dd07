package testkit

import (
	"context"
	"errors"
	"sync"

	"parley"
)

// FakeRooms replaces the media server in tests without sound: rooms open at once, and nobody is in them.
type FakeRooms struct {
	mu           sync.Mutex
	failsToOpen  bool
	openRooms    map[string]bool
	closeReasons map[parley.VoiceSessionID]parley.SessionEndReason
}

// SetFailing makes rooms fail to open from now on, or open again.
func (r *FakeRooms) SetFailing(broken bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failsToOpen = broken
}

// Open opens a room. The token holds its name.
func (r *FakeRooms) Open(_ context.Context, s *parley.VoiceSession) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failsToOpen {
		return "", errors.New("the media server at 10.1.2.3 does not answer")
	}
	if r.openRooms == nil {
		r.openRooms, r.closeReasons = map[string]bool{}, map[parley.VoiceSessionID]parley.SessionEndReason{}
	}
	r.openRooms[s.Room()] = true
	return "token of " + s.Room(), nil
}

// Close closes a room.
func (r *FakeRooms) Close(_ context.Context, s *parley.VoiceSession, reason parley.SessionEndReason) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.openRooms[s.Room()] {
		delete(r.openRooms, s.Room())
		r.closeReasons[s.ID] = reason
	}
	return nil
}

// CountOpen counts the rooms that are open.
func (r *FakeRooms) CountOpen() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.openRooms)
}

// CloseReason returns why a session's room was closed; empty if it was not.
func (r *FakeRooms) CloseReason(id parley.VoiceSessionID) parley.SessionEndReason {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closeReasons[id]
}
