package chatapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/actions"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/limits"
	"parley/internal/store"
	"parley/internal/visitor"
	"parley/internal/voice"
)

// Base is the path of the public chat API.
const Base = "/api/chat"

// Config holds what the public chat API needs.
type Config struct {
	Visitors      *visitor.Service
	Chat          *chat.Engine
	Conversations *chat.Conversations
	Frames        *Frames
	DB            *store.DB
	Actions       *actions.Toolbox
	Helpdesk      *helpdesk.Service
	Voice         *voice.Sessions
	Dictation     voice.Dictation
	Plan          func(name string) (parley.Plan, bool) // plans by their names
	Limits        *limits.Shared                        // may be nil

	Now        func() time.Time
	Logger     *slog.Logger
	Observer   *httpapi.Observer // may be nil
	TrustProxy bool              // take the caller's address from X-Forwarded-For
	CanMail    bool              // this server sends mail

	IncomingFolder func() (string, error) // where uploads are written to

	// OnTyping is called when a visitor writes to the person who has taken a conversation over; may be nil.
	OnTyping func(parley.ConversationRef)

	KeepAliveInterval time.Duration // after so long without events a stream sends a comment; 0 is 15 s
	StreamOpenDelay   time.Duration // how long a stream waits for the answer to begin; 0 is 10 s
}

// New returns the API that the chat frame and the help page call: visitors and what is theirs.
func New(cfg Config) *httpapi.API {
	s := &server{Config: cfg, requests: cfg.newLimiter("requests", requestLimit, requestWindow),
		visitors:       cfg.newLimiter("visitors", visitorLimit, visitorWindow),
		proofs:         cfg.newLimiter("proofs", proofLimit, visitorWindow),
		deviceLimiters: map[parley.DeviceLimit]*limits.Limiter{}, people: cfg.newPeopleLimiters()}
	api := httpapi.New(httpapi.Config{
		BasePath:    Base,
		Admit:       s.admit,
		UploadDir:   s.uploadFolder,
		RunOnce:     s.newRunner().Run,
		RenderError: httpapi.RenderEnvelope,
		Now:         cfg.Now,
		Logger:      cfg.Logger,
		Observer:    cfg.Observer,
		Scheme: &httpapi.Scheme{Name: "Visitor", Description: "`Visitor <token>`, with the token of POST /visitor.",
			Codes: errorCodes{parley.CodeVisitorRequired}},
	})
	s.addRoutes(api)
	return api
}

// newLimiter returns a limiter of visitors. Those of one name count together on all servers.
func (cfg Config) newLimiter(name string, limit int, window time.Duration) *limits.Limiter {
	return &limits.Limiter{Name: "visitors: " + name, Limit: limit, Window: window, Shared: cfg.Limits}
}

// server is the receiver of all handlers of the public chat API.
type server struct {
	Config

	requests *limits.Limiter // by address, or by visitor where the site has shown who it is
	visitors *limits.Limiter // new ones, by agent and address
	proofs   *limits.Limiter // that were refused, by address
	streams  streamCounter   // that are open, by agent and device

	people peopleLimiters

	mu             sync.Mutex
	deviceLimiters map[parley.DeviceLimit]*limits.Limiter // messages, by agent and address or visitor
}

// Limits of requests. Those of messages are the agent's.
const (
	requestLimit  = 60
	requestWindow = 10 * time.Second
	visitorLimit  = 10
	proofLimit    = 30
	visitorWindow = time.Minute
	streamLimit   = 20

	idleStreamLimit = 10 // of conversations in which the agent answers

	maxDeviceLimiters = 1000
)

// reasonOwnWords is the reason of a refusal whose words the company has chosen. The chat shows them in place of its
// own, which are in the visitor's language.
const reasonOwnWords = "own_words"

type (
	call       = httpapi.Call
	operation  = httpapi.Operation
	errorCodes = []parley.Code
)

// caller is who sends a request: a visitor of an agent, on behalf of the account that has it.
type caller struct {
	parley.Caller
	agent   *parley.Agent   // nil only where the configuration of an agent is asked that is not there
	visitor *parley.Visitor // nil where an operation needs none and none has come
	token   string          // that takes the place of the visitor's; empty for none
	address string

	hasFeed bool // a stream goes on after the handler
}

// devices returns what a request is counted for: the address and the visitor. Whom the site has shown to be one of its
// users is counted alone, as many of them may share the address of a company, or of the proxy of the site.
func (c *caller) devices() []string {
	switch {
	case c.visitor == nil:
		return []string{c.address}
	case c.visitor.UserID != "":
		return []string{string(c.visitor.ID)}
	}
	return []string{c.address, string(c.visitor.ID)}
}

// device returns the first of devices: the visitor of a user, else the address.
func (c *caller) device() string { return c.devices()[0] }

func callerOf(c *call) *caller { return c.Caller.(*caller) }

// visitorScheme is the scheme of Authorization.
const visitorScheme = "Visitor "

// admit counts the request, finds the agent and then the visitor. A private agent is not found.
func (s *server) admit(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	address := httpapi.ClientAddress(r, s.TrustProxy)
	rate := s.requests.Take(s.requestKey(r, address), s.Now())
	admission := httpapi.Admission{Rate: httpapi.Rate{Limit: rate.Limit, Remaining: rate.Remaining, Reset: rate.Reset}}
	if !rate.OK {
		return admission, rate.Err()
	}
	c := &caller{address: address}
	id := parley.AgentID(httpapi.PathParam(r, "agentId"))
	if id == "" {
		return admission, parley.NewError(parley.CodeNotFound)
	}
	admission.Caller = c
	err := s.setAgent(ctx, c, id)
	if err == nil && c.agent.WidgetLimits.Blocks(address) {
		err = parley.NewError(parley.CodeAddressBlocked)
	}
	if parley.IsCode(err, parley.CodeAgentNotFound) && op.Name == configOperation {
		return admission, nil
	}
	if err != nil {
		return admission, err
	}
	admission.Account = string(c.agent.AccountID)
	session, err := s.Visitors.Authenticate(ctx, c.agent.Ref(), visitorToken(r))
	if err == nil {
		c.visitor, c.token = session.Visitor, session.Token
		admission.CallerKind = httpapi.VisitorCaller
	} else if !op.Public || !parley.IsCode(err, parley.CodeVisitorRequired) {
		return admission, err
	}
	return admission, nil
}

// requestKey returns what a request is counted for before anything is read from the database.
func (s *server) requestKey(r *http.Request, address string) string {
	agent := parley.AgentID(httpapi.PathParam(r, "agentId"))
	if id, ok := s.Visitors.KnownVisitor(agent, visitorToken(r)); ok {
		return string(id)
	}
	return address
}

// setAgent finds the agent with its account. A private agent is not found.
func (s *server) setAgent(ctx context.Context, c *caller, id parley.AgentID) error {
	agent, err := s.DB.AgentInAnyAccount(ctx, id, s.Now())
	if err != nil {
		return err
	}
	if agent.Visibility == "private" {
		return parley.NewError(parley.CodeAgentNotFound)
	}
	c.agent = agent
	return s.setAccount(ctx, c)
}

// visitorToken returns the token of a request; empty for none.
func visitorToken(r *http.Request) string {
	header := r.Header.Get("Authorization")
	if len(header) < len(visitorScheme) || header[:len(visitorScheme)] != visitorScheme {
		return ""
	}
	return header[len(visitorScheme):]
}

func (s *server) setAccount(ctx context.Context, c *caller) error {
	account, err := s.DB.Account(ctx, c.agent.AccountID)
	if err != nil {
		return err
	}
	plan, ok := s.Plan(account.Plan)
	if !ok {
		return fmt.Errorf("chatapi: the account %s has an unknown plan %q", account.ID, account.Plan)
	}
	c.Caller = parley.Caller{Account: *account, Plan: plan}
	return nil
}

// countMessage counts a message against the agent's limit, for each of the caller's devices. It fails with
// RATE_LIMIT_TOO_MANY_REQUESTS and the agent's own words.
func (s *server) countMessage(c *caller) error {
	limiter := s.deviceLimiter(c.agent.RateLimit)
	prefix := string(c.agent.ID) + " "
	for _, device := range c.devices() {
		var e *parley.Error
		if errors.As(limiter.Take(prefix+device, s.Now()).Err(), &e) {
			e.Message = c.agent.RateLimit.Message
			if e.Message != parley.DefaultDeviceLimit().Message {
				e.Details = map[string]string{"reason": reasonOwnWords}
			}
			return e
		}
	}
	return nil
}

// deviceLimiter returns the limiter of agents with a limit. Where there are very many limits all begin again.
func (s *server) deviceLimiter(limit parley.DeviceLimit) *limits.Limiter {
	limit.Message = ""
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.deviceLimiters[limit]
	if l == nil {
		if len(s.deviceLimiters) >= maxDeviceLimiters {
			clear(s.deviceLimiters)
		}
		l = s.newLimiter("messages", limit.Limit, time.Duration(limit.Timeframe)*time.Second)
		s.deviceLimiters[limit] = l
	}
	return l
}
