// Package v2 is REST v2. It translates requests into calls of the services and their results into responses. It
// holds types and no rules: what may be done and what happens is decided by the services. routes.go and
// routes_conversation.go are the one list of what it serves.
package v2

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/agents"
	"parley/internal/api/docspage"
	"parley/internal/api/once"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/insight"
	"parley/internal/limits"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/voice"
)

// Base is the path of REST v2.
const Base = "/api/v2"

// Config holds what the API needs.
type Config struct {
	Authenticator *access.Authenticator
	Limiter       *limits.Limiter // nil if requests have been counted elsewhere
	Chat          *chat.Engine
	Conversations *chat.Conversations
	Agents        *agents.Service
	Ingest        *ingest.Service
	Search        *search.Finder
	Insight       *insight.Service
	DB            *store.DB

	Helpdesk *helpdesk.Service
	Voice    *voice.Sessions

	CursorKey         []byte // signs cursors; the same on all servers of a database
	BaseURL           string // of this server as clients see it, without a path; may be empty
	FilesURL          string // for uploads of files; empty is BaseURL
	Now               func() time.Time
	Logger            *slog.Logger
	Observer          *httpapi.Observer       // may be nil
	TrustProxy        bool                    // take the caller's address from X-Forwarded-For
	CanSetModel       func(model string) bool // reports whether a model may be chosen; nil asks Chat.Models
	KeepAliveInterval time.Duration           // after so long without events a stream sends a comment; 0 is 15 s
	// how long a stream waits for the answer to begin before it is opened; 0 is 10 s
	StreamOpenDelay time.Duration

	BasePath string    // path of the API; empty is Base
	Admit    AdmitFunc // admits requests; nil is by API keys
}

// AdmitFunc admits a request. The caller of the admission is an *access.Caller.
type AdmitFunc = func(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error)

// New returns the handler of everything below /api/v2, of /openapi.json, and of /docs, the same document as a page.
func New(cfg Config) http.Handler {
	api := NewAPI(cfg)
	doc := httpapi.NewDocument(func() ([]byte, error) { return renderDocument(api, cfg.BaseURL, cfg.FilesURL) })
	site := httpapi.Site{URL: cfg.BaseURL, TrustProxy: cfg.TrustProxy}
	return api.WithDocuments(map[string]http.Handler{"/openapi.json": doc, "/docs": docspage.Handler(doc, Base, site)})
}

// NewAPI returns the handler of what is below BasePath.
func NewAPI(cfg Config) *httpapi.API {
	s := &server{Config: cfg, cursors: httpapi.Cursors{Key: cfg.CursorKey}}
	s.runner = s.newRunner()
	admit := cfg.Admit
	if admit == nil {
		admission := &access.Admission{Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Now: cfg.Now,
			TrustProxy: cfg.TrustProxy}
		admit = admission.Admit
	}
	api := httpapi.New(httpapi.Config{
		BasePath:    cmp.Or(cfg.BasePath, Base),
		Admit:       admit,
		AgentParam:  "agentId",
		CheckAgent:  s.checkAgent,
		RunOnce:     s.runner.Run,
		BeforeRun:   s.beforeRun,
		BeforeReply: s.beforeReply,
		UploadDir:   s.uploadFolder,
		RenderError: httpapi.RenderEnvelope,
		Now:         cfg.Now,
		Logger:      cfg.Logger,
		Observer:    cfg.Observer,
	})
	s.addRoutes(api)
	return api
}

// server is the receiver of all handlers.
type server struct {
	Config
	cursors httpapi.Cursors
	runner  *once.Runner // of requests with an Idempotency-Key
}

// callerOf returns who sent the request. Every operation that needs a key has a caller.
func callerOf(c *call) *access.Caller { return c.Caller.(*access.Caller) }

// agentRef returns the id of one of the caller's agents.
func agentRef[ID ~string](c *call, agent ID) parley.AgentRef {
	return callerOf(c).AgentRef(parley.AgentID(agent))
}

// canSetModel reports whether the model may be chosen for an agent.
func (s *server) canSetModel(model string) bool {
	if s.CanSetModel != nil {
		return s.CanSetModel(model)
	}
	return s.Chat.Models.CanSet(model)
}

// findAgent returns the caller's agent, or fails with AGENT_NOT_FOUND.
func (s *server) findAgent(ctx context.Context, c *call, id string) (*parley.Agent, error) {
	a, err := s.DB.Agent(ctx, agentRef(c, id), s.Now())
	if err != nil {
		return nil, fmt.Errorf("find agent: %w", err)
	}
	return a, nil
}

// checkAgent fails with AGENT_NOT_FOUND unless the caller has the agent.
func (s *server) checkAgent(ctx context.Context, caller any, id string) error {
	c, ok := caller.(*access.Caller)
	if !ok {
		return nil
	}
	return s.DB.CheckAgent(ctx, c.AgentRef(parley.AgentID(id)), s.Now())
}

// Me describes whom the API key belongs to (docs/interface/README.md#routes).
type Me struct {
	Workspace  Workspace  `json:"workspace"`
	Plan       string     `json:"plan"`
	Credential Credential `json:"credential"`
}

// Workspace is the account.
type Workspace struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Credential is the key that was used.
type Credential struct {
	Source      *string        `json:"source" doc:"cli for the key of a paired command line."`
	ExpiresAt   *string        `json:"expiresAt" format:"date-time"`
	Permissions []parley.Scope `json:"permissions" nullable:"true" doc:"The key's scopes; null for full access."`
}

func (s *server) getIdentity(_ context.Context, c *call, _ *httpapi.NoInput) (*Me, error) {
	caller := callerOf(c)
	return &Me{
		Workspace: Workspace{ID: string(caller.Account.ID), Name: caller.Account.Name},
		Plan:      caller.Account.Plan,
		Credential: Credential{
			Source:      textOrNull(caller.Key.Source),
			ExpiresAt:   formatTimeOrNull(caller.Key.ExpiresAt),
			Permissions: caller.Key.Scopes,
		},
	}, nil
}

// Health is the reply of a server that is up.
type Health struct {
	Status    string `json:"status" enum:"ok"`
	Timestamp int64  `json:"timestamp" doc:"Epoch seconds."`
}

func (s *server) getHealth(context.Context, *call, *httpapi.NoInput) (*Health, error) {
	return &Health{Status: "ok", Timestamp: s.Now().Unix()}, nil
}

// Document returns the OpenAPI document of REST v2, as a server at baseURL serves it.
func Document(baseURL, filesURL string) ([]byte, error) {
	return renderDocument(NewAPI(Config{}), baseURL, filesURL)
}

func renderDocument(api *httpapi.API, baseURL, filesURL string) ([]byte, error) {
	servers := []httpapi.Server{{URL: strings.TrimSuffix(baseURL, "/") + Base, Description: "This server"}}
	if filesURL != "" && filesURL != baseURL {
		servers = append(servers, httpapi.Server{URL: strings.TrimSuffix(filesURL, "/") + Base, Description: "File uploads"})
	}
	return api.OpenAPI(httpapi.Info{
		Title:         "Parley",
		Description:   introduction,
		Version:       "2.0.0",
		Contact:       "The operator of this server",
		Servers:       servers,
		Tags:          api.UsedTags(tagTexts),
		Docs:          operationDocs(),
		ParamExamples: parameterExamples,
	})
}

const introduction = "AI support agents that answer from their sources.\n\n" +
	"Send an API key as `Authorization: Bearer <key>`. Bodies are JSON. A failure is `{\"error\": {\"code\", " +
	"\"message\", \"details\"?}}`: look at `code`. " +
	"Every response names its request in `x-request-id` and tells the rate limit in the `X-RateLimit-*` headers; " +
	"429 and 503 say in `Retry-After` how many seconds to wait. " +
	"Lists come in pages: send `pagination.cursor` back as `cursor` until `hasMore` is false."

var tagTexts = map[string]string{
	"Service":       "Is the service up, and whose is the key?",
	"Agents":        "An agent answers messages from its sources. Its settings, its looks and its life.",
	"Chat":          "One message in, one answer out: as JSON or as a stream of events.",
	"Conversations": "What was said, who rated it, and who answers.",
	"Helpdesk":      "What customers ask of people: tickets, and the teams that answer them.",
	"Voice":         "Talk to the agent: a session that a browser joins.",
	"Sources":       "What an agent has read. A source trains as soon as it is written.",
}

// operationDocs returns the documentation of each operation. TestEveryOperationIsDocumented checks the examples against
// the schemas.
func operationDocs() map[string]httpapi.Doc {
	all := map[string]httpapi.Doc{}
	for _, part := range []map[string]httpapi.Doc{serviceDocs, agentDocs, chatDocs, conversationDocs, searchDocs,
		insightDocs, ticketDocs, voiceDocs, sourceDocs} {
		maps.Copy(all, part)
	}
	return all
}

// parameterExamples describes the parameters of paths.
var parameterExamples = map[string]httpapi.Example{
	"agentId":        {Text: "The agent, by its id.", Value: "5QHA6VB-DIAbBhxwqxfdi"},
	"conversationId": {Text: "The conversation, by its id.", Value: "01998b2e-7d4c-7a3b-9f10-2c5d8e6f7a01"},
	"messageId":      {Text: "The message, by its id.", Value: "msg_V1StGXR8Z5jdHi6BmyT0aQ"},
	"sourceId":       {Text: "The source, by its id.", Value: "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50"},
	"ticketNumber":   {Text: "The ticket, by its number.", Value: "42"},
	"userId":         {Text: "The end user, by your own id.", Value: "customer-8421"},
}

// Data wraps a single item (docs/interface/pagination.md#wrapped-replies).
type Data[T any] struct {
	Data T `json:"data"`
}

// Page is one page of a list.
type Page[T any] struct {
	Data       []T        `json:"data"`
	Pagination Pagination `json:"pagination"`
}

// Pagination locates a page in its list.
type Pagination struct {
	Cursor  *string `json:"cursor" doc:"Opaque; send it back to get the next page. Null on the last one."`
	HasMore bool    `json:"hasMore"`
	Total   int     `json:"total" min:"0" doc:"Items of the whole list."`
}

// Success is the reply of writes without a result.
type Success struct {
	Success bool `json:"success"`
}

// Paging selects a page.
type Paging struct {
	Cursor string `query:"cursor" doc:"The cursor of the page before."`
	Limit  int    `query:"limit" min:"1" max:"100" default:"20" doc:"Most items on the page."`
}

// AgentRef names the agent in a path.
type AgentRef struct {
	AgentID string `path:"agentId"`
}

// AgentRequest is a request with a body about an agent.
type AgentRequest[Body any] struct {
	AgentRef
	Body Body
}

// ConversationRequest is a request with a body about a conversation.
type ConversationRequest[Body any] struct {
	ConversationRef
	Body Body
}

// pageRequest converts the paging of a request. purpose binds the cursor to its list.
func (s *server) pageRequest(p Paging, purpose string) (parley.PageRequest, error) {
	after, err := s.cursors.Open(purpose, p.Cursor)
	return parley.PageRequest{Limit: p.Limit, After: after}, err
}

// newPage converts a page of the store.
func newPage[T, W any](s *server, page parley.Page[T], purpose string, render func(*T) W) *Page[W] {
	return &Page[W]{httpapi.ConvertList(page.Items, render), s.newPagination(page.Next, page.Total, purpose)}
}

func (s *server) newPagination(next *parley.Cursor, total int, purpose string) Pagination {
	return Pagination{Cursor: s.cursors.Seal(purpose, next), HasMore: next != nil, Total: total}
}

// formatTime returns a time as agents, sources and tickets hold it.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func formatTimeOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := formatTime(*t)
	return &s
}

// textOrNull returns nil for an empty text.
func textOrNull[S ~string](s S) *string {
	if s == "" {
		return nil
	}
	text := string(s)
	return &text
}
