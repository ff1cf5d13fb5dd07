// Package channelapi takes the messages that programs bring from messengers (docs/interface/channels.md#in): one
// operation, whose requests are signed with the secret of their channel.
package channelapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/channel"
	"parley/internal/httpapi"
	"parley/internal/limits"
	"parley/internal/store"
	"parley/internal/webhook"
)

// Base is the path of the API.
const Base = channel.BasePath

// Config holds what the API needs.
type Config struct {
	DB            *store.DB
	Authenticator *access.Authenticator // knows maintenance and the plans
	Limiter       *limits.Limiter       // of requests, by channel and address; by address alone without a signature
	Limits        *limits.Shared        // may be nil
	Channels      *channel.Service
	Webhooks      *webhook.Service // knows the secrets

	Now        func() time.Time
	Logger     *slog.Logger
	Observer   *httpapi.Observer // may be nil
	TrustProxy bool              // take the caller's address from X-Forwarded-For
}

type server struct {
	Config
	devices limits.DeviceLimiters // messages, by agent and user or conversation
}

// caller is the program that connects a messenger.
type caller struct {
	parley.Caller
	channel *parley.Webhook
	agent   *parley.Agent
}

// New returns the handler of everything below Base.
func New(cfg Config) http.Handler {
	s := &server{Config: cfg, devices: limits.DeviceLimiters{Name: "channels", Shared: cfg.Limits}}
	api := httpapi.New(httpapi.Config{
		BasePath:    Base,
		Admit:       s.admit,
		RenderError: httpapi.RenderEnvelope,
		Now:         cfg.Now,
		Logger:      cfg.Logger,
		Observer:    cfg.Observer,
	})
	httpapi.Add(api.Groups("Channels", "").Account, "POST /{channelId}/messages", httpapi.Operation{
		Name:         "takeMessage",
		Summary:      "Take a message of a messenger",
		Status:       http.StatusAccepted,
		MaxBodyBytes: maxBodyBytes,
		Errors: []parley.Code{parley.CodeNotFound, parley.CodeInvalidSignature, parley.CodeChannelOff,
			parley.CodeCreditsExhausted, parley.CodeAgentCredits, parley.CodeModelNotAllowed,
			parley.CodeConversationBusy, parley.CodeKeyInUse},
	}, s.takeMessage)
	return api
}

// maxBodyBytes is the largest message that is taken.
const maxBodyBytes = 256 << 10

// admit finds the program that has signed the request, whose body is read for that, and counts the request. One that no
// channel has signed counts for its address, whatever channel it names.
func (s *server) admit(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	name, address := unsignedPrefix, access.NetworkOf(httpapi.ClientAddress(r, s.TrustProxy))
	if err := s.Authenticator.CheckMaintenance(); err != nil {
		return newAdmission(s.Limiter.Peek(name+address, s.Now())), err
	}
	var from *caller
	var refusal error
	if op.Name != "" { // else no operation has this path
		if from, refusal = s.findSigner(ctx, r); refusal == nil {
			name = "channel " + string(from.channel.ID) + " "
		}
	}
	rate := s.Limiter.Take(name+address, s.Now())
	admission := newAdmission(rate)
	if !rate.OK || from == nil {
		return admission, cmp.Or(rate.Err(), refusal)
	}
	if from.channel.DisabledAt != nil {
		return admission, parley.NewError(parley.CodeChannelOff)
	}
	admission.Caller, admission.Account = from, string(from.Account.ID)
	admission.CallerKind = httpapi.KeyCaller
	return admission, nil
}

// unsignedPrefix begins the name under which requests are counted that no channel has signed.
const unsignedPrefix = "unsigned "

func newAdmission(rate limits.RateState) httpapi.Admission {
	return httpapi.Admission{Rate: httpapi.Rate{Limit: rate.Limit, Remaining: rate.Remaining, Reset: rate.Reset}}
}

// findSigner returns the program that has signed the request.
func (s *server) findSigner(ctx context.Context, r *http.Request) (*caller, error) {
	id := httpapi.PathParam(r, "channelId")
	if !parley.IsUUID(id) {
		return nil, parley.NewError(parley.CodeNotFound)
	}
	found, err := s.DB.ChannelInAnyAccount(ctx, parley.WebhookID(id))
	if err != nil {
		return nil, err
	}
	if err := s.verify(r, found); err != nil {
		return nil, err
	}
	return s.newCaller(ctx, found)
}

func (s *server) newCaller(ctx context.Context, from *parley.Webhook) (*caller, error) {
	agent, err := s.DB.Agent(ctx, from.AgentRef(), s.Now())
	if err != nil {
		return nil, err
	}
	account, err := s.DB.Account(ctx, from.AccountID)
	if err != nil {
		return nil, err
	}
	plan, ok := s.Authenticator.Plans.Plan(account.Plan)
	if !ok {
		return nil, fmt.Errorf("channelapi: the account %s has an unknown plan %q", account.ID, account.Plan)
	}
	return &caller{parley.Caller{Account: *account, Plan: plan}, from, agent}, nil
}

// verify reads the body, checks its signature, and leaves it to be read again.
func (s *server) verify(r *http.Request, from *parley.Webhook) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes+1))
	if _, isTooLarge := errors.AsType[*http.MaxBytesError](err); isTooLarge || len(body) > maxBodyBytes {
		return parley.NewError(parley.CodeTooLarge)
	}
	if err != nil {
		return parley.NewErrorf(parley.CodeInvalidJSON, "The request body could not be read.")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return s.Webhooks.Verify(from, r.Header, body)
}

// MessageRequest is a message of a messenger.
type MessageRequest struct {
	ChannelID string `path:"channelId"`
	Body      MessageBody
}

// MessageBody says who has written what. All ids are the messenger's.
type MessageBody struct {
	MessageID      string              `json:"messageId" min:"1" max:"200"`
	ConversationID string              `json:"conversationId" min:"1" max:"200" pattern:"^[!-~]+$"`
	UserID         httpapi.Opt[string] `json:"userId,omitzero" nullable:"true" max:"128" pattern:"^[A-Za-z0-9._-]*$"`
	Text           string              `json:"text" min:"1"`
}

// Receipt says what became of a message.
type Receipt struct {
	ConversationID string `json:"parleyConversationId" format:"uuid"`
	MessageID      string `json:"parleyMessageId"`
	AnsweredBy     string `json:"answeredBy" enum:"agent,person,nobody"`
	IsRepeated     bool   `json:"isRepeated" doc:"The message had come before, and has no effect this time."`
}

func (s *server) takeMessage(ctx context.Context, c *httpapi.Call, in *MessageRequest) (*Receipt, error) {
	from, body := c.Caller.(*caller), &in.Body
	device := "user " + body.UserID.Value
	if body.UserID.Value == "" {
		device = "conversation " + body.ConversationID
	}
	count := func() error {
		return s.devices.Take(from.agent.RateLimit, string(from.channel.ID)+" "+device, s.Now())
	}
	got, err := s.Channels.Receive(ctx, from.Caller, from.channel, channel.Message{ID: body.MessageID,
		Conversation: body.ConversationID, User: parley.EndUserID(body.UserID.Value), Text: body.Text}, count)
	if err != nil {
		return nil, err
	}
	return &Receipt{string(got.Conversation), string(got.Message), string(got.AnsweredBy), got.IsRepeated}, nil
}
