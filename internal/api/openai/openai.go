// Package openai is the API in OpenAI's form, for clients that were written for it: an agent is a model, and its id the
// model's name. Every answer is a turn of internal/chat, as in REST v2; the client keeps the conversation and sends it
// whole, and nothing of it is saved. routes.go is the one list of what it serves.
package openai

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/limits"
	"parley/internal/store"
)

// Base is the path of the API.
const Base = "/v1"

// Config holds what the API needs.
type Config struct {
	Authenticator *access.Authenticator
	Limiter       *limits.Limiter // nil if requests have been counted elsewhere
	Chat          *chat.Engine
	DB            *store.DB

	Now               func() time.Time
	Logger            *slog.Logger
	Observer          *httpapi.Observer // may be nil
	TrustProxy        bool              // take the caller's address from X-Forwarded-For
	KeepAliveInterval time.Duration     // after so long without events a stream sends a comment; 0 is 15 s
}

// New returns the handler of everything below /v1.
func New(cfg Config) http.Handler { return newAPI(cfg) }

func newAPI(cfg Config) *httpapi.API {
	s := &server{cfg}
	admission := &access.Admission{Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Now: cfg.Now,
		TrustProxy: cfg.TrustProxy}
	api := httpapi.New(httpapi.Config{
		BasePath:    Base,
		Admit:       admission.Admit,
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

// callerOf returns who sent the request. Every operation needs a key.
func callerOf(c *call) *access.Caller { return c.Caller.(*access.Caller) }

// Envelope is the body of a failure.
type Envelope struct {
	Error Failure `json:"error"`
}

// Failure describes a failure. Param names the first field that is wrong.
type Failure struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// failureKind is what OpenAI calls a failure.
type failureKind struct{ kind, code string }

const (
	invalidRequest = "invalid_request_error"
	serverFailure  = "server_error"
)

// failureKinds are the failures that clients of this form look for. The code of all others is that of REST v2.
var failureKinds = map[parley.Code]failureKind{
	parley.CodeMissingKey:       {invalidRequest, "invalid_api_key"},
	parley.CodeInvalidKey:       {invalidRequest, "invalid_api_key"},
	parley.CodeExpiredKey:       {invalidRequest, "invalid_api_key"},
	parley.CodeAgentNotFound:    {invalidRequest, "model_not_found"},
	parley.CodeCreditsExhausted: {"insufficient_quota", "insufficient_quota"},
	parley.CodeAgentCredits:     {"insufficient_quota", "insufficient_quota"},
	parley.CodeTooManyRequests:  {"requests", "rate_limit_exceeded"},
}

// ownMessages are what is said in place of any message, where an agent is a model.
var ownMessages = map[parley.Code]string{
	parley.CodeAgentNotFound: "The model does not exist, or it is not one of your account's. A model is named by the " +
		"id of an agent; GET /v1/models lists them.",
}

// renderFailure renders a failure in OpenAI's form, with the status of REST v2.
func renderFailure(e *parley.Error) (int, any) {
	f := Failure{Message: e.Message, Type: invalidRequest}
	if own, ok := ownMessages[e.Code]; ok {
		f.Message = own
	}
	code := string(e.Code)
	if known, ok := failureKinds[e.Code]; ok {
		f.Type, code = known.kind, known.code
	} else if e.Code.Status() >= http.StatusInternalServerError {
		f.Type = serverFailure
	}
	f.Code = &code
	if e.Code == parley.CodeInvalidBody && len(e.Details) > 0 {
		f.describeFields(e.Details)
	}
	return e.Code.Status(), Envelope{f}
}

// maxFieldsInMessage is how many invalid fields the message names.
const maxFieldsInMessage = 5

// describeFields says in the message which fields are wrong, since clients show nothing else.
func (f *Failure) describeFields(details map[string]string) {
	fields := slices.Sorted(maps.Keys(details))
	f.Param = &fields[0]
	var parts []string
	for _, field := range fields[:min(maxFieldsInMessage, len(fields))] {
		parts = append(parts, field+" "+details[field])
	}
	f.Message = "The request is not valid: " + strings.Join(parts, "; ") + "."
}
