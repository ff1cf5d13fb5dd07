package api

import (
	"context"
	"errors"

	"parley"
	"parley/internal/agents"
	"parley/internal/chat"
	"parley/internal/store"
	"parley/internal/wire"
)

// doneAgain says how each POST answers once its effect is there, by the operation's name. A POST that is not here is
// Repeatable: it has no effect.
func (s *server) doneAgain() map[string]again {
	return map[string]again{
		"createAgent":    {keep: true, render: s.agentAgain},
		"cloneAgent":     {keep: true, render: s.agentAgain},
		"createSource":   {render: s.sourceAgain},
		"chat":           {render: s.turnAgain},
		"retry":          {render: s.turnAgain},
		"sendToolResult": {keep: true, render: successAgain},
		"writeMessage":   {render: s.messageAgain},
		"createTicket":   {render: s.ticketAgain},

		"createTicketMessage": {render: s.ticketMessageAgain},
		"createVoiceSession":  {render: s.voiceAgain},
	}
}

func successAgain(context.Context, *wire.Call, any, subject) (any, error) {
	return &Data[Success]{Success{true}}, nil
}

func (s *server) agentAgain(ctx context.Context, c *wire.Call, in any, did subject) (any, error) {
	out := &CreatedAgent{ID: did.id}
	n, ok := in.(*NewAgent)
	if !ok || n.Body.URL.Value == "" {
		return out, nil
	}
	links, err := s.DB.Sources(ctx, caller(c).Account.ID, parley.AgentID(did.id), store.SourceFilter{Kinds: []parley.SourceKind{parley.SourceLink}}, parley.PageAsk{Limit: 1})
	if err == nil && links.Total == 0 {
		out.PendingSteps = []string{agents.AddSource}
	}
	return out, err
}

func (s *server) sourceAgain(ctx context.Context, c *wire.Call, in any, did subject) (any, error) {
	asked := in.(*NewSource)
	out, err := s.source(ctx, c, &SourceRef{AgentID: asked.AgentID, SourceID: did.id})
	if err != nil {
		return nil, err
	}
	return &WrittenSource{*out, uploadedID(&parley.Source{ID: parley.SourceID(did.id)}, asked.Upload)}, nil
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
