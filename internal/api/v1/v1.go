// Package apiv1 is REST v1 (interface 2.9 and 4.10), the earlier interface: integrations that were written for it go on working.
// It has words and shapes of its own over the verbs that REST v2 uses, and v2 knows nothing of it. An agent is called a chatbot
// here. routes.go is the one list of what it serves.
package v1

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/agents"
	"parley/internal/chat"
	"parley/internal/contact"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/store"
	"parley/internal/webhook"
)

// Base is where REST v1 lives.
const Base = "/api/v1"

// DocumentPath is where its OpenAPI document lies.
const DocumentPath = "/openapi-v1.json"

// Config is what the face stands on.
type Config struct {
	Authenticator *access.Authenticator
	Limiter       *access.Limiter // nil where requests were counted before
	Chat          *chat.Engine
	Agents        *agents.Service
	Ingest        *ingest.Service
	DB            *store.DB

	Contacts *contact.Service
	Webhooks *webhook.Service

	BaseURL           string // where clients reach this server, without a path; may be empty
	Now               func() time.Time
	Logger            *slog.Logger
	Observer          *httpapi.Observer // of its requests; may be nil
	TrustProxy        bool              // take the caller's address from X-Forwarded-For
	KeepAliveInterval time.Duration     // of a stream, after which a comment shows that it lives; 0 is 15 s
}

// New returns the handler of everything under /api/v1 and of /openapi-v1.json.
func New(cfg Config) http.Handler {
	f := newAPI(cfg)
	doc := sync.OnceValue(func() []byte { // when it is first asked for: it takes longer than opening the database
		text, err := renderDocument(f, cfg.BaseURL)
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
	documents := httpapi.PlainHandler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == DocumentPath {
			documents.ServeHTTP(w, r)
			return
		}
		f.ServeHTTP(w, r)
	})
}

func newAPI(cfg Config) *httpapi.API {
	s := &server{cfg}
	admission := &access.Admission{Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Now: cfg.Now, TrustProxy: cfg.TrustProxy}
	f := httpapi.New(httpapi.Config{
		BasePath:    Base,
		Admit:       admission.Admit,
		AgentParam:  "chatbotId",
		CheckAgent:  s.checkChatbot,
		UploadDir:   s.uploadFolder,
		RenderError: renderFailure,
		Now:         cfg.Now,
		Logger:      cfg.Logger,
		Observer:    cfg.Observer,
	})
	s.addRoutes(f)
	return f
}

// server holds what the handlers share.
type server struct{ Config }

// callerOf is who sent the request; every operation with a key has one.
func callerOf(c *httpapi.Call) *access.Caller { return c.Caller.(*access.Caller) }

// checkChatbot fails with AGENT_NOT_FOUND unless the caller has the agent.
func (s *server) checkChatbot(ctx context.Context, caller any, id string) error {
	who, ok := caller.(*access.Caller)
	if !ok {
		return nil
	}
	return s.DB.ShareLockAgent(ctx, who.Account.ID, parley.AgentID(id))
}
