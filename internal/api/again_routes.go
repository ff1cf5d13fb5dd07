package api

import (
	"context"
	"errors"

	"parley"
	"parley/internal/agents"
	"parley/internal/chat"
	"parley/internal/wire"
)

// doneAgain says how each POST answers once its effect is there, by the operation's name. A POST that is not here is
// Repeatable: it has no effect.
func (s *server) doneAgain() map[string]again {
	return map[string]again{
		"createAgent":    {keep: true, render: agentAgain},
		"cloneAgent":     {keep: true, render: agentAgain},
		"createSource":   {render: s.sourceAgain},
		"chat":           {render: s.turnAgain},
		"retry":          {render: s.turnAgain},
		"sendToolResult": {keep: true, render: successAgain},
		"writeMessage":   {render: s.messageAgain},
	}
}

func successAgain(context.Context, *wire.Call, any, subject) (any, error) {
	return &Data[Success]{Success{true}}, nil
}

func agentAgain(_ context.Context, _ *wire.Call, in any, did subject) (any, error) {
	out := &CreatedAgent{ID: did.id}
	if n, ok := in.(*NewAgent); ok && n.Body.URL.Value != "" {
		out.PendingSteps = []string{agents.AddSource}
	}
	return out, nil
}

func (s *server) sourceAgain(ctx context.Context, c *wire.Call, in any, did subject) (any, error) {
	out, err := s.source(ctx, c, &SourceRef{AgentID: in.(*NewSource).AgentID, SourceID: did.id})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// turnAgain answers from the stored message, as JSON or as a stream, whichever the request asked for.
func (s *server) turnAgain(ctx context.Context, c *wire.Call, in any, did subject) (any, error) {
	agent, stream := in.(streaming).streaming()
	if _, err := s.agent(ctx, c, agent); err != nil {
		return nil, err
	}
	turn, err := s.told(ctx, c, parley.AgentID(agent), did)
	if err != nil {
		return nil, err
	}
	out, err := s.answer(ctx, c, turn, stream)
	if out == nil {
		return nil, err
	}
	return out, err
}

func (s *server) told(ctx context.Context, c *wire.Call, agent parley.AgentID, did subject) (*chat.Turn, error) {
	account := caller(c).Account.ID
	switch did.kind {
	case "turn":
		return s.Chat.Again(ctx, account, agent, parley.TurnID(did.id))
	case "paused":
		return s.Chat.Unanswered(ctx, account, agent, did.id)
	}
	return nil, errors.New("api: a chat has done " + did.kind)
}

// streaming is a request that an answer is made for: to which agent, and whether as a stream.
type streaming interface {
	streaming() (agent string, stream bool)
}

func (r *ChatRequest) streaming() (agent string, stream bool) {
	return r.AgentID, r.Body.Stream.Value
}

func (r *RetryRequest) streaming() (agent string, stream bool) {
	return r.AgentID, r.Body.Stream.Value
}
