// Package apiv1 is REST v1 (interface 2.9 and 4.10), the earlier interface: integrations that were written for it go on working.
// It has words and shapes of its own over the verbs that REST v2 uses, and v2 knows nothing of it. An agent is called a chatbot
// here. routes.go is the one list of what it serves.
package apiv1

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
	"parley/internal/contact"
	"parley/internal/ingest"
	"parley/internal/store"
	"parley/internal/webhook"
	"parley/internal/wire"
)

// Base is where REST v1 lives.
const Base = "/api/v1"

// DocumentPath is where its OpenAPI document lies.
const DocumentPath = "/openapi-v1.json"

// Config is what the face stands on.
type Config struct {
	Gate    *access.Gate
	Limiter *access.Limiter // nil where requests were counted before
	Chat    *chat.Engine
	Agents  *agents.Keeper
	Ingest  *ingest.Desk
	DB      *store.DB

	Contacts *contact.Book
	Webhooks *webhook.Desk

	BaseURL    string // where clients reach this server, without a path; may be empty
	Now        func() time.Time
	Logger     *slog.Logger
	Watch      *wire.Watch   // of its requests; may be nil
	TrustProxy bool          // take the caller's address from X-Forwarded-For
	Silence    time.Duration // of a stream, after which a comment shows that it lives; 0 is 15 s
}

// New gives the handler of everything under /api/v1 and of /openapi-v1.json.
func New(cfg Config) http.Handler {
	f := newFace(cfg)
	doc := sync.OnceValue(func() []byte { // when it is first asked for: it takes longer than opening the database
		text, err := document(f, cfg.BaseURL)
		if err != nil {
			panic(err) // the document is made from types of ours
		}
		return text
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+DocumentPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(doc()) // a client that has gone needs no document
	})
	documents := wire.Plain(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == DocumentPath {
			documents.ServeHTTP(w, r)
			return
		}
		f.ServeHTTP(w, r)
	})
}

func newFace(cfg Config) *wire.Face {
	s := &server{cfg}
	door := &access.Door{Gate: cfg.Gate, Limiter: cfg.Limiter, Now: cfg.Now, TrustProxy: cfg.TrustProxy}
	f := wire.NewFace(wire.Config{Base: Base, Admit: door.Admit, Missing: s.missing, Spool: s.spool, Render: render, Now: cfg.Now, Logger: cfg.Logger, Watch: cfg.Watch})
	s.routes(f)
	return f
}

// server holds what the handlers share.
type server struct{ Config }

// caller is who sent the request; every operation with a key has one.
func caller(c *wire.Call) *access.Caller { return c.Caller.(*access.Caller) }

// chatbot finds the caller's agent, or fails with AGENT_NOT_FOUND.
func (s *server) chatbot(ctx context.Context, c *wire.Call, id string) (*parley.Agent, error) {
	a, err := s.DB.Agent(ctx, caller(c).Account.ID, parley.AgentID(id), s.Now())
	if err != nil {
		return nil, fmt.Errorf("find chatbot: %w", err)
	}
	return a, nil
}

// missing says AGENT_NOT_FOUND of a request that is wrong and names, in its path or query, a chatbot that is not the caller's:
// existence comes before what is wrong with the request.
func (s *server) missing(ctx context.Context, r *http.Request, who any, _ *wire.Meta) error {
	id := r.PathValue("chatbotId")
	if id == "" {
		id = r.URL.Query().Get("chatbotId")
	}
	known, ok := who.(*access.Caller)
	if !ok || id == "" {
		return nil
	}
	return s.DB.AgentLives(ctx, known.Account.ID, parley.AgentID(wire.Clean(id)))
}
