// Package ready answers load balancers whether a server should get requests: not before its search indexes are warm,
// not while it stops, and not while its database does not answer.
package ready

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Path is where the question is answered.
const Path = "/readyz"

// Phase is a part of a server's life. Later ones are larger.
type Phase int32

// The phases of a server.
const (
	Starting Phase = iota // its services do not run yet
	Warming               // it reads the search indexes of the agents that were asked last
	Serving
	Draining // it stops, and finishes what runs
)

const (
	checkTimeout = 2 * time.Second // how long the database may take to answer
	checkMaxAge  = time.Second     // how long an answer is used: whoever asks has shown no key, and may ask often
)

// State knows in which phase a server is and whether its database answers.
type State struct {
	CheckDatabase func(ctx context.Context) error // fails while the database does not answer
	Now           func() time.Time

	phase atomic.Int32

	mu        sync.Mutex
	checkedAt time.Time
	lastErr   error
}

// Enter begins a phase. Phases never go back: nothing happens where a later one has begun.
func (s *State) Enter(p Phase) {
	for {
		old := s.phase.Load()
		if int32(p) <= old || s.phase.CompareAndSwap(old, int32(p)) {
			return
		}
	}
}

// Reply is what a server says of itself.
type Reply struct {
	Status  string `json:"status"`           // ready or not_ready
	Reason  string `json:"reason,omitempty"` // starting, warming, draining or database; none if it is ready
	Message string `json:"message,omitempty"`
}

// Check returns what the server says of itself now.
func (s *State) Check(ctx context.Context) Reply {
	switch Phase(s.phase.Load()) {
	case Starting:
		return notReady("starting", "The server starts.")
	case Warming:
		return notReady("warming", "The server reads the search indexes of its agents.")
	case Draining:
		return notReady("draining", "The server stops, and finishes what runs.")
	case Serving:
	}
	if s.databaseFailure(ctx) != nil {
		return notReady("database", "The database does not answer.")
	}
	return Reply{Status: "ready"}
}

func notReady(reason, message string) Reply { return Reply{"not_ready", reason, message} }

// databaseFailure asks the database, unless it was asked just now. That a client leaves says nothing of it.
func (s *State) databaseFailure(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.Now(); s.checkedAt.IsZero() || now.Sub(s.checkedAt) >= checkMaxAge {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
		defer stop()
		s.lastErr = s.CheckDatabase(ctx)
		s.checkedAt = now
	}
	return s.lastErr
}

// ServeHTTP answers with 200 if the server is ready, and with 503 and a reason if it is not.
func (s *State) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET and HEAD are answered here.", http.StatusMethodNotAllowed)
		return
	}
	reply := s.Check(r.Context())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if reply.Reason != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(reply) // a failure means that the client is gone
}
