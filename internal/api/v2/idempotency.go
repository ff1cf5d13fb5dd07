package v2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// replayedHeader marks a reply to a request that has been answered before, and that had no effect this time.
const replayedHeader = "Idempotent-Replayed"

// replayRule describes how an operation answers a request that has had its effect before.
type replayRule struct {
	storesReply bool // the reply is stored and sent again as it was; for replies that are short and hold no text of users
	render      func(ctx context.Context, c *call, in any, done effect) (any, error)
}

// effect is what a request has done. It is recorded as "turn:ID", for the kind turn.
type effect struct{ kind, id string }

// runOnce answers a request with an Idempotency-Key: the first one runs, and the others get the reply of the first.
// A key belongs to the account, the method and the path.
func (s *server) runOnce(ctx context.Context, c *call, o httpapi.IdempotentRequest) (any, error) {
	claim := store.Claim{Account: callerOf(c).Account.ID, Key: o.Key, Hash: o.Hash, Token: parley.NewUUID()}
	record, err := s.DB.ClaimIdempotencyKey(ctx, claim, s.Now())
	if err != nil {
		return nil, err
	}
	if record == nil {
		return s.runFirst(ctx, c, claim, o)
	}
	var out any
	if record.BodyDiffers {
		err = s.checkSpentKey(ctx, c, o, record)
	} else {
		out, err = s.replayReply(ctx, c, o, record)
	}
	if !errors.Is(err, chat.ErrNoAnswer) {
		return out, err
	}
	if err := s.DB.TakeOverIdempotencyKey(ctx, claim, *record, s.Now()); err != nil {
		return nil, err
	}
	if turn, isTurn := strings.CutPrefix(record.Subject, "turn:"); isTurn && !record.BodyDiffers {
		claim.FailedTurn = parley.TurnID(turn)
	}
	return s.runFirst(ctx, c, claim, o)
}

// runFirst runs a request that has claimed its key. If it fails before it has done anything, the key is released.
func (s *server) runFirst(ctx context.Context, c *call, claim store.Claim, o httpapi.IdempotentRequest) (any, error) {
	isDone := false
	defer func() {
		if !isDone {
			s.releaseClaim(ctx, claim)
		}
	}()
	out, err := o.Run(store.WithClaim(ctx, claim))
	if err != nil {
		return nil, err
	}
	isDone = true
	if s.replayRules[c.Operation.Name].storesReply {
		s.storeReply(ctx, c, claim, out)
	}
	return out, nil
}

// storeReply stores the reply. If that fails, the reply is rendered again from the effect when it is needed.
func (s *server) storeReply(ctx context.Context, c *call, claim store.Claim, out any) {
	reply, err := json.Marshal(out)
	if err == nil {
		ctx, stop := detachedContext(ctx)
		defer stop()
		err = s.DB.SaveIdempotentReply(ctx, claim, c.Operation.Status, string(reply))
	}
	if err != nil {
		s.Logger.Warn("the reply to a request with an Idempotency-Key was not kept", "request", c.RequestID, "err", err)
	}
}

// releaseClaim releases the key. If that fails, the claim expires.
func (s *server) releaseClaim(ctx context.Context, claim store.Claim) {
	ctx, stop := detachedContext(ctx)
	defer stop()
	if err := s.DB.ReleaseIdempotencyKey(ctx, claim); err != nil {
		s.Logger.Warn("an Idempotency-Key was not given back", "err", err)
	}
}

// detachedContext returns a context for what must be written even if the client is gone.
func detachedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}

// checkSpentKey returns the failure of a request whose key was used with another body. The key of an answer that
// failed may be used again: then the failure is chat.ErrNoAnswer.
func (s *server) checkSpentKey(ctx context.Context, c *call, o httpapi.IdempotentRequest,
	record *store.IdempotencyRecord) error {
	id, isTurn := strings.CutPrefix(record.Subject, "turn:")
	if in, ok := o.Input.(streamingRequest); ok && isTurn {
		agent, _ := in.streamTarget()
		if _, err := s.Chat.ReplayTurn(ctx, agentRef(c, agent), parley.TurnID(id)); errors.Is(err, chat.ErrNoAnswer) {
			return err
		}
	}
	return parley.NewError(parley.CodeKeyReused)
}

func (s *server) replayReply(ctx context.Context, c *call, o httpapi.IdempotentRequest,
	record *store.IdempotencyRecord) (any, error) {
	if record.Reply != "" {
		c.Header().Set(replayedHeader, "true")
		return json.RawMessage(record.Reply), nil
	}
	if agent := httpapi.PathParam(c.Request, "agentId"); agent != "" {
		if err := s.checkAgent(ctx, c.Caller, agent); err != nil {
			return nil, fmt.Errorf("answer again: %w", err)
		}
	}
	c.Header().Set(replayedHeader, "true") // before render, which may begin a stream
	kind, id, _ := strings.Cut(record.Subject, ":")
	out, err := s.replayRules[c.Operation.Name].render(ctx, c, o.Input, effect{kind, id})
	if err != nil {
		c.Header().Del(replayedHeader)
		return nil, fmt.Errorf("answer again: %w", err)
	}
	return out, nil
}

// newReplayRules returns the rule of each POST by the name of its operation. A POST without a rule has no effect
// and is Repeatable.
func (s *server) newReplayRules() map[string]replayRule {
	return map[string]replayRule{
		"createAgent":    {storesReply: true, render: s.replayAgent},
		"cloneAgent":     {storesReply: true, render: s.replayAgent},
		"createSource":   {render: s.replaySource},
		"chat":           {render: s.replayTurn},
		"retry":          {render: s.replayTurn},
		"sendToolResult": {storesReply: true, render: replaySuccess},
		"writeMessage":   {render: s.replayMessage},
		"createTicket":   {render: s.replayTicket},

		"createTicketMessage": {render: s.replayTicketMessage},
		"createVoiceSession":  {render: s.replayVoiceSession},
	}
}

func replaySuccess(context.Context, *call, any, effect) (any, error) {
	return &Data[Success]{Success{true}}, nil
}

func (s *server) replayAgent(ctx context.Context, c *call, in any, done effect) (any, error) {
	out := &CreatedAgent{ID: done.id}
	n, ok := in.(*NewAgent)
	if !ok || n.Body.URL.Value == "" {
		return out, nil
	}
	links, err := s.DB.Sources(ctx, agentRef(c, done.id),
		store.SourceFilter{Kinds: []parley.SourceKind{parley.SourceLink}}, parley.PageRequest{Limit: 1})
	if err == nil && links.Total == 0 {
		out.PendingSteps = []string{agents.AddSource}
	}
	return out, err
}

func (s *server) replaySource(ctx context.Context, c *call, in any, done effect) (any, error) {
	request := in.(*NewSource)
	out, err := s.getSource(ctx, c, &SourceRef{AgentID: request.AgentID, SourceID: done.id})
	if err != nil {
		return nil, err
	}
	return &WrittenSource{*out, newUploadedID(&parley.Source{ID: parley.SourceID(done.id)}, request.Upload)}, nil
}

// replayTurn renders the stored answer, as JSON or as a stream as the request asks.
func (s *server) replayTurn(ctx context.Context, c *call, in any, done effect) (any, error) {
	agent, stream := in.(streamingRequest).streamTarget()
	turn, err := s.storedTurn(ctx, c, parley.AgentID(agent), done)
	if err != nil {
		return nil, err
	}
	out, err := s.renderTurn(ctx, c, turn, stream)
	if out == nil {
		return nil, err
	}
	return out, err
}

func (s *server) storedTurn(ctx context.Context, c *call, agent parley.AgentID, done effect) (*chat.Turn, error) {
	account := callerOf(c).Account.ID
	switch done.kind {
	case "turn":
		return s.Chat.ReplayTurn(ctx, account.AgentRef(agent), parley.TurnID(done.id))
	case "paused":
		return s.Chat.ReplayUnanswered(ctx, account.AgentRef(agent), done.id)
	}
	return nil, errors.New("v2: a chat has done " + done.kind)
}

// streamingRequest is a request for an answer of an agent, possibly as a stream.
type streamingRequest interface {
	streamTarget() (agent string, stream bool)
}

func (r *ChatRequest) streamTarget() (agent string, stream bool) {
	return r.AgentID, r.Body.Stream.Value
}

func (r *RetryRequest) streamTarget() (agent string, stream bool) {
	return r.AgentID, r.Body.Stream.Value
}

// replayTicket returns the ticket that the request has opened, as it is now.
func (s *server) replayTicket(ctx context.Context, c *call, in any, done effect) (any, error) {
	number, err := strconv.ParseInt(done.id, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("v2: a new ticket has done %s: %w", done.kind, err)
	}
	return s.getTicket(ctx, c, &TicketRef{AgentID: in.(*AgentRequest[NewTicketBody]).AgentID, TicketNumber: number})
}
