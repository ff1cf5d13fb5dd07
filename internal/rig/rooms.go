package rig

import (
	"context"
	"errors"
	"sync"

	"parley"
)

// Rooms stands for the SFU where a test is not about sound: rooms open at once, and nobody is in them.
type Rooms struct {
	mu     sync.Mutex
	broken bool
	open   map[string]bool
	closed map[parley.VoiceSessionID]parley.SessionEnd
}

// Break has rooms fail to open from now on, or open again.
func (r *Rooms) Break(broken bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = broken
}

// Open opens a room. The token names it.
func (r *Rooms) Open(_ context.Context, s *parley.VoiceSession) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken {
		return "", errors.New("rig: the SFU at 10.1.2.3 does not answer")
	}
	if r.open == nil {
		r.open, r.closed = map[string]bool{}, map[parley.VoiceSessionID]parley.SessionEnd{}
	}
	r.open[s.Room()] = true
	return "token of " + s.Room(), nil
}

// Close closes a room.
func (r *Rooms) Close(_ context.Context, s *parley.VoiceSession, reason parley.SessionEnd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[s.Room()] {
		delete(r.open, s.Room())
		r.closed[s.ID] = reason
	}
	return nil
}

// Number counts the rooms that are open.
func (r *Rooms) Number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open)
}

// Closed tells why a session's room was closed; empty where it was not.
func (r *Rooms) Closed(id parley.VoiceSessionID) parley.SessionEnd {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed[id]
}
