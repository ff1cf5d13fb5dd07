// Package api is REST v2 (interface, section 4): bytes to words and back. It holds shapes and no rules; what may be done and
// what happens is decided below. routes.go is the one list of what it serves.
package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/agents"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/insight"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/voice"
	"parley/internal/wire"
)

// Base is where REST v2 lives.
const Base = "/api/v2"

// Config is what the face stands on.
type Config struct {
	Gate    *access.Gate
	Limiter *access.Limiter // nil where requests were counted before
	Chat    *chat.Engine
	Clerk   *chat.Clerk
	Agents  *agents.Keeper
	Ingest  *ingest.Desk
	Search  *search.Finder
	Insight *insight.Keeper
	DB      *store.DB

	Helpdesk *helpdesk.Desk
	Voice    *voice.Desk

	CursorKey  []byte // signs cursors; the same on all servers of a database
	BaseURL    string // where clients reach this server, without a path; may be empty
	FilesURL   string // where they upload files; empty is BaseURL
	Now        func() time.Time
	Logger     *slog.Logger
	Watch      *wire.Watch             // of its requests; may be nil
	TrustProxy bool                    // take the caller's address from X-Forwarded-For
	Settable   func(model string) bool // which models may be chosen; nil asks Chat.Models
	Silence    time.Duration           // of a stream, after which a comment shows that it lives; 0 is 15 s
	Patience   time.Duration           // after which a stream is opened although the answer has not begun; 0 is 10 s
}

// New gives the handler of everything under /api/v2, of /openapi.json, and of /docs, the same for people.
func New(cfg Config) http.Handler {
	f := newFace(cfg)
	doc := sync.OnceValue(func() []byte { // when it is first asked for: it takes longer than opening the database
		text, err := document(f, cfg.BaseURL, cfg.FilesURL)
		if err != nil {
			panic(err) // the document is made from types of ours
		}
		return text
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(doc()) // a client that has gone needs no document
	})
	mux.Handle("GET /docs", servePage(doc))
	documents := wire.Plain(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.json" || r.URL.Path == "/docs" {
			documents.ServeHTTP(w, r)
			return
		}
		f.ServeHTTP(w, r)
	})
}

func newFace(cfg Config) *wire.Face {
	s := &server{Config: cfg, cursors: wire.Cursors{Key: cfg.CursorKey}}
	s.agains = s.doneAgain()
	door := &access.Door{Gate: cfg.Gate, Limiter: cfg.Limiter, Now: cfg.Now, TrustProxy: cfg.TrustProxy}
	f := wire.NewFace(wire.Config{Base: Base, Admit: door.Admit, Missing: s.missing, Once: s.once, Spool: s.spool, Render: wire.RenderEnvelope, Now: cfg.Now, Logger: cfg.Logger, Watch: cfg.Watch})
	s.routes(f)
	return f
}

// server holds what the handlers share.
type server struct {
	Config
	cursors wire.Cursors
	agains  map[string]again
}

// caller is who sent the request; every operation with a key has one.
func caller(c *wire.Call) *access.Caller { return c.Caller.(*access.Caller) }

// settable reports whether an agent may be given the model.
func (s *server) settable(model string) bool {
	if s.Settable != nil {
		return s.Settable(model)
	}
	return s.Chat.Models.CanSet(model)
}

// agent finds the caller's agent, or fails with AGENT_NOT_FOUND.
func (s *server) agent(ctx context.Context, c *wire.Call, id string) (*parley.Agent, error) {
	a, err := s.DB.Agent(ctx, caller(c).Account.ID, parley.AgentID(id), s.Now())
	if err != nil {
		return nil, fmt.Errorf("find agent: %w", err)
	}
	return a, nil
}
