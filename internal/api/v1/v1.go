// Package v1 is REST v1, the earlier interface, for integrations that were written for it. It has its own names and
// types for what the services do; an agent is called a chatbot here. REST v2 does not depend on it. routes.go is
// the one list of what it serves.
package v1

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/agents"
	"parley/internal/chat"
	"parley/internal/contact"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/limits"
	"parley/internal/store"
	"parley/internal/webhook"
)

// Base is the path of REST v1.
const Base = "/api/v1"

// DocumentPath is the path of its OpenAPI document.
const DocumentPath = "/openapi-v1.json"

// Config holds what the API needs.
type Config struct {
	Authenticator *access.Authenticator
	Limiter       *limits.Limiter // nil if requests have been counted elsewhere
	Chat          *chat.Engine
	Agents        *agents.Service
	Ingest        *ingest.Service
	DB            *store.DB

	Contacts *contact.Service
	Webhooks *webhook.Service

	BaseURL           string // of this server as clients see it, without a path; may be empty
	Now               func() time.Time
	Logger            *slog.Logger
	Observer          *httpapi.Observer // may be nil
	TrustProxy        bool              // take the caller's address from X-Forwarded-For
	KeepAliveInterval time.Duration     // after so long without events a stream sends a comment; 0 is 15 s
}

// New returns the handler of everything below /api/v1 and of /openapi-v1.json.
func New(cfg Config) http.Handler {
	api := newAPI(cfg)
	doc := httpapi.NewDocument(func() ([]byte, error) { return renderDocument(api, cfg.BaseURL) })
	return api.WithDocuments(map[string]http.Handler{DocumentPath: doc})
}

func newAPI(cfg Config) *httpapi.API {
	s := &server{cfg}
	admission := &access.Admission{Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Now: cfg.Now,
		TrustProxy: cfg.TrustProxy}
	api := httpapi.New(httpapi.Config{
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
	s.addRoutes(api)
	return api
}

// server is the receiver of all handlers.
type server struct{ Config }

// callerOf returns who sent the request. Every operation that needs a key has a caller.
func callerOf(c *call) *access.Caller { return c.Caller.(*access.Caller) }

// audited returns the context of a change that is written to the audit log, in its transaction, as what the caller's
// key has done to something of a chatbot. Without a subject it is the chatbot itself; without a chatbot, the one that
// is made.
func (s *server) audited(ctx context.Context, c *call, action, chatbot, subject string) context.Context {
	caller := callerOf(c)
	return store.WithAuditEntry(ctx, &store.AuditEntry{
		Account:  caller.Account.ID,
		Actor:    access.KeyActor(caller.Key.ID),
		At:       s.Now(),
		AwaitsID: chatbot == "",
		Describe: func(id string) (string, string, map[string]any) {
			agent := cmp.Or(chatbot, id)
			return action, cmp.Or(subject, agent), map[string]any{"agent": agent}
		},
	})
}

// agentRef returns the id of one of the caller's agents.
func agentRef(c *call, chatbot string) parley.AgentRef {
	return callerOf(c).AgentRef(parley.AgentID(chatbot))
}

// checkChatbot fails with AGENT_NOT_FOUND unless the caller has the agent.
func (s *server) checkChatbot(ctx context.Context, caller any, id string) error {
	c, ok := caller.(*access.Caller)
	if !ok {
		return nil
	}
	return s.DB.CheckAgent(ctx, c.AgentRef(parley.AgentID(id)), s.Now())
}

// Failure is the body of a failure in REST v1 (docs/interface/v1.md#failures): a message, and for an invalid request
// its faults.
type Failure struct {
	Message string  `json:"message" doc:"What went wrong, for people."`
	Issues  []Issue `json:"issues,omitempty" doc:"What is wrong with the request, by field."`
}

// Issue is what is wrong with one field.
type Issue struct {
	Field   string `json:"field" doc:"The field, as a dotted path."`
	Message string `json:"message"`
}

// ownMessages holds what REST v1 says in place of any message, where an agent is a chatbot.
var ownMessages = map[parley.Code]string{
	parley.CodeAgentCredits:  "The chatbot has reached its own monthly credit limit.",
	parley.CodeAgentLimit:    "The plan's maximum number of chatbots is reached.",
	parley.CodeAgentNotFound: "Chatbot not found.",
}

// renderFailure renders a failure as REST v1 does.
func renderFailure(e *parley.Error) (int, any) {
	f := Failure{Message: cmp.Or(ownMessages[e.Code], e.Message)}
	if e.Code == parley.CodeInvalidBody && len(e.Details) > 0 {
		f.Issues = newIssues(e.Details)
		f.Message = "The request is not valid: " + issuesMessage(f.Issues)
	}
	return e.Code.Status(), f
}

func newIssues(details map[string]string) []Issue {
	var list []Issue
	for _, field := range slices.Sorted(maps.Keys(details)) {
		list = append(list, Issue{field, details[field]})
	}
	return list
}

// maxIssuesInMessage is how many issues the message names.
const maxIssuesInMessage = 5

// issuesMessage lists the issues in one message, for clients that only show the message.
func issuesMessage(list []Issue) string {
	var parts []string
	for _, issue := range list[:min(maxIssuesInMessage, len(list))] {
		parts = append(parts, issue.Field+" "+issue.Message)
	}
	if more := len(list) - maxIssuesInMessage; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ") + "."
}
