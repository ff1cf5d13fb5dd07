package v2

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"parley"
	"parley/internal/agents"
	"parley/internal/api/once"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// newRunner returns what answers requests with an Idempotency-Key.
func (s *server) newRunner() *once.Runner {
	return &once.Runner{DB: s.DB, Now: s.Now, Logger: s.Logger, Rules: s.newReplayRules(), CheckReplay: s.checkReplay,
		FindTurn: s.findTurn, OwnerOf: keyOwner}
}

// keyOwner returns whose an Idempotency-Key is: the account's, or a visitor's.
func keyOwner(c *call) once.Owner {
	caller := callerOf(c)
	owner := once.Owner{Account: caller.Account.ID}
	if caller.Visitor != nil {
		owner.Name = "visitor " + string(caller.Visitor.ID)
	}
	return owner
}

// checkReplay fails with AGENT_NOT_FOUND if the request names an agent that the caller does not have any more.
func (s *server) checkReplay(ctx context.Context, c *call) error {
	if agent := httpapi.PathParam(c.Request, "agentId"); agent != "" {
		return s.checkAgent(ctx, c.Caller, agent)
	}
	return nil
}

// findTurn looks up a turn that an earlier request for an answer has begun.
func (s *server) findTurn(ctx context.Context, c *call, in any, turn parley.TurnID) error {
	request, ok := in.(streamingRequest)
	if !ok {
		return nil
	}
	agent, _ := request.streamTarget()
	_, err := s.Chat.ReplayTurn(ctx, agentRef(c, agent), turn)
	return err
}

// newReplayRules returns the rule of each POST by the name of its operation. A POST without a rule has no effect
// and is Repeatable.
func (s *server) newReplayRules() map[string]once.Rule {
	return map[string]once.Rule{
		"createAgent":    {StoresReply: true, Render: s.replayAgent},
		"cloneAgent":     {StoresReply: true, Render: s.replayAgent},
		"createSource":   {Render: s.replaySource},
		"chat":           {Render: s.replayTurn},
		"retry":          {Render: s.replayTurn},
		"sendToolResult": {StoresReply: true, Render: replaySuccess},
		"writeMessage":   {Render: s.replayMessage},
		"createTicket":   {Render: s.replayTicket},

		"createTicketMessage": {Render: s.replayTicketMessage},
		"createVoiceSession":  {Render: s.replayVoiceSession},
	}
}

func replaySuccess(context.Context, *call, any, once.Effect) (any, error) {
	return &Data[Success]{Success{true}}, nil
}

func (s *server) replayAgent(ctx context.Context, c *call, in any, done once.Effect) (any, error) {
	out := &CreatedAgent{ID: done.ID}
	n, ok := in.(*NewAgent)
	if !ok || n.Body.URL.Value == "" {
		return out, nil
	}
	links, err := s.DB.Sources(ctx, agentRef(c, done.ID),
		store.SourceFilter{Kinds: []parley.SourceKind{parley.SourceLink}}, parley.PageRequest{Limit: 1})
	if err == nil && links.Total == 0 {
		out.PendingSteps = []string{agents.AddSource}
	}
	return out, err
}

func (s *server) replaySource(ctx context.Context, c *call, in any, done once.Effect) (any, error) {
	request := in.(*NewSource)
	out, err := s.getSource(ctx, c, &SourceRef{AgentID: request.AgentID, SourceID: done.ID})
	if err != nil {
		return nil, err
	}
	return &WrittenSource{*out, newUploadedID(&parley.Source{ID: parley.SourceID(done.ID)}, request.Upload)}, nil
}

// replayTurn renders the stored answer, as JSON or as a stream as the request asks.
func (s *server) replayTurn(ctx context.Context, c *call, in any, done once.Effect) (any, error) {
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

func (s *server) storedTurn(ctx context.Context, c *call, agent parley.AgentID, done once.Effect) (*chat.Turn, error) {
	account := callerOf(c).Account.ID
	switch done.Kind {
	case "turn":
		return s.Chat.ReplayTurn(ctx, account.AgentRef(agent), parley.TurnID(done.ID))
	case "paused":
		return s.Chat.ReplayUnanswered(ctx, account.AgentRef(agent), done.ID)
	}
	return nil, errors.New("v2: a chat has done " + done.Kind)
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
func (s *server) replayTicket(ctx context.Context, c *call, in any, done once.Effect) (any, error) {
	number, err := strconv.ParseInt(done.ID, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("v2: a new ticket has done %s: %w", done.Kind, err)
	}
	return s.getTicket(ctx, c, &TicketRef{AgentID: in.(*AgentRequest[NewTicketBody]).AgentID, TicketNumber: number})
}
