// Package mobile is the API of apps that hold no API key (docs/interface/clients.md#mobile-apps): some operations of
// REST v2 below /api/sdk, for devices that name themselves in a header, and the check of the token that shows who is
// signed in. A device reaches its own conversations with public agents and nothing else; the limits are those of the
// widget. The operations themselves are REST v2's.
package mobile

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	v2 "parley/internal/api/v2"
	"parley/internal/httpapi"
	"parley/internal/limits"
	"parley/internal/visitor"
)

// Base is the path of the API.
const Base = "/api/sdk"

// Config holds what the API needs.
type Config struct {
	REST     v2.Config // its Admit and BasePath are set here
	Visitors *visitor.Service
	Limits   *limits.Shared                        // may be nil
	Plan     func(name string) (parley.Plan, bool) // plans by their names
}

// New returns the handler of everything below /api/sdk.
func New(cfg Config) http.Handler {
	s := newServer(cfg)
	cfg.REST.BasePath, cfg.REST.Admit = Base, s.admit
	api := v2.NewAPI(cfg.REST)
	s.addVerify(api)
	return api
}

func newServer(cfg Config) *server {
	limiter := func(name string, limit int, window time.Duration) *limits.Limiter {
		return &limits.Limiter{Name: "apps: " + name, Limit: limit, Window: window, Shared: cfg.Limits}
	}
	return &server{Config: cfg, requests: limiter("requests", requestLimit, requestWindow),
		visitors: limiter("visitors", visitorLimit, visitorWindow),
		proofs:   limiter("proofs", proofLimit, visitorWindow),
		devices:  limits.DeviceLimiters{Name: "apps: messages", Shared: cfg.Limits}}
}

// addVerify adds the operation that REST v2 does not have.
func (s *server) addVerify(api *httpapi.API) {
	httpapi.Add(api.Groups("Users", "/agents/{agentId}").Agent, "POST /verify", httpapi.Operation{
		Name:       verifyOperation,
		Summary:    "Check the token that shows who is signed in",
		Repeatable: true,
		Errors:     []parley.Code{parley.CodeIdentityRefused, parley.CodeVisitorRequired},
	}, s.verifyUser)
}

const verifyOperation = "verifyUser"

// messageOperations are the operations of REST v2 that have an agent answer, and the others that devices reach.
var (
	messageOperations = []string{"chat", "retry"}
	otherOperations   = []string{"sendToolResult", "listConversations", "listMessages", "rateMessage", verifyOperation}
)

// Limits of requests, which are those of the widget. Those of messages are the agent's.
const (
	requestLimit  = 60
	requestWindow = 10 * time.Second
	visitorLimit  = 10
	proofLimit    = 30
	visitorWindow = time.Minute
)

// server admits devices.
type server struct {
	Config

	requests *limits.Limiter       // by address
	visitors *limits.Limiter       // new ones, by agent and address
	proofs   *limits.Limiter       // that were refused, by address
	devices  limits.DeviceLimiters // messages, by agent and address or visitor
}

// The headers by which apps say who they are.
const (
	deviceHeader = "X-Device-Id"
	userHeader   = "X-User-Token"
)

// deviceForm is what the id of a device looks like: it must be hard to guess.
var deviceForm = regexp.MustCompile(`^[A-Za-z0-9._-]{16,128}$`)

// admit counts the request for its address, finds the agent and then the visitor that the device is. A private agent is
// not found.
func (s *server) admit(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	address := httpapi.ClientAddress(r, s.REST.TrustProxy)
	rate := s.requests.Take(address, s.REST.Now())
	admission := httpapi.Admission{Rate: httpapi.Rate{Limit: rate.Limit, Remaining: rate.Remaining, Reset: rate.Reset}}
	if !rate.OK {
		return admission, rate.Err()
	}
	if op.Name == "" { // no operation has this path
		return admission, nil
	}
	isMessage := slices.Contains(messageOperations, op.Name)
	if !isMessage && !slices.Contains(otherOperations, op.Name) {
		return admission, parley.NewError(parley.CodeNotFound)
	}
	agent, err := s.findAgent(ctx, r, address)
	if err != nil {
		return admission, err
	}
	caller, err := s.newCaller(ctx, r, agent, address)
	if err != nil {
		return admission, err
	}
	admission.Caller, admission.Account, admission.CallerKind = caller, string(agent.AccountID), httpapi.VisitorCaller
	if isMessage {
		err = s.countMessage(agent, caller.Visitor, address)
	}
	return admission, err
}

func (s *server) findAgent(ctx context.Context, r *http.Request, address string) (*parley.Agent, error) {
	id := parley.AgentID(httpapi.PathParam(r, "agentId"))
	agent, err := s.REST.DB.AgentInAnyAccount(ctx, id, s.REST.Now())
	switch {
	case err != nil:
		return nil, err
	case agent.Visibility == "private":
		return nil, parley.NewError(parley.CodeAgentNotFound)
	case agent.WidgetLimits.Blocks(address):
		return nil, parley.NewError(parley.CodeAddressBlocked)
	}
	return agent, nil
}

// newCaller returns the device as a caller of REST v2, on behalf of the account that has the agent.
func (s *server) newCaller(ctx context.Context, r *http.Request, agent *parley.Agent,
	address string) (*access.Caller, error) {
	device := visitor.Device{ID: r.Header.Get(deviceHeader), Token: r.Header.Get(userHeader)}
	if !deviceForm.MatchString(device.ID) {
		return nil, parley.NewErrorf(parley.CodeVisitorRequired, "Send the id of this installation of the app as %s: "+
			"16 to 128 letters, digits, dots, underscores and hyphens.", deviceHeader)
	}
	if rate := s.proofs.Peek(address, s.REST.Now()); device.Token != "" && !rate.OK {
		return nil, rate.Err()
	}
	found, err := s.Visitors.OfDevice(ctx, agent, device, func() error {
		return s.visitors.Take(string(agent.ID)+" "+address, s.REST.Now()).Err()
	})
	if err != nil {
		return nil, s.countRefusal(address, err)
	}
	account, err := s.REST.DB.Account(ctx, agent.AccountID)
	if err != nil {
		return nil, err
	}
	plan, ok := s.Plan(account.Plan)
	if !ok {
		return nil, fmt.Errorf("mobile: the account %s has an unknown plan %q", account.ID, account.Plan)
	}
	return &access.Caller{Caller: parley.Caller{Account: *account, Plan: plan}, Visitor: found,
		Channel: channelOf(r.UserAgent())}, nil
}

// countRefusal counts a proof that was refused, and returns the failure.
func (s *server) countRefusal(address string, failure error) error {
	if parley.IsCode(failure, parley.CodeIdentityRefused) {
		s.proofs.Take(address, s.REST.Now())
	}
	return failure
}

// channelOf returns the channel of an app, which its library names. Another client counts as the API.
func channelOf(userAgent string) parley.Channel {
	switch name := strings.ToLower(userAgent); {
	case strings.Contains(name, "ios"):
		return parley.ChannelIOS
	case strings.Contains(name, "android"), strings.Contains(name, "okhttp"):
		return parley.ChannelAndroid
	}
	return parley.ChannelAPI
}

// countMessage counts a message against the agent's limit, for the address and for the visitor. It fails with
// RATE_LIMIT_TOO_MANY_REQUESTS and the agent's own words.
func (s *server) countMessage(agent *parley.Agent, v *parley.Visitor, address string) error {
	prefix := string(agent.ID) + " "
	for _, key := range []string{prefix + address, prefix + string(v.ID)} {
		if err := s.devices.Take(agent.RateLimit, key, s.REST.Now()); err != nil {
			return err
		}
	}
	return nil
}

// VerifyRequest asks who a token shows the user to be.
type VerifyRequest struct {
	AgentID string `path:"agentId"`
	Body    VerifyBody
}

// VerifyBody holds the token.
type VerifyBody struct {
	Token string `json:"token" min:"1" doc:"HS256 JWT, signed with the agent's secret."`
}

// VerifyReply is who the user is.
type VerifyReply struct {
	Data VerifiedUser `json:"data"`
}

// VerifiedUser names the user by the client's own id.
type VerifiedUser struct {
	UserID string `json:"userId"`
}

func (s *server) verifyUser(ctx context.Context, c *httpapi.Call, in *VerifyRequest) (*VerifyReply, error) {
	address := httpapi.ClientAddress(c.Request, s.REST.TrustProxy)
	if rate := s.proofs.Peek(address, s.REST.Now()); !rate.OK {
		return nil, rate.Err()
	}
	agent, err := s.REST.DB.Agent(ctx, c.Caller.(*access.Caller).AgentRef(parley.AgentID(in.AgentID)), s.REST.Now())
	if err != nil {
		return nil, err
	}
	user, err := s.Visitors.Verify(ctx, agent, visitor.Proof{Token: in.Body.Token})
	if err != nil {
		return nil, s.countRefusal(address, err)
	}
	return &VerifyReply{VerifiedUser{string(user)}}, nil
}
