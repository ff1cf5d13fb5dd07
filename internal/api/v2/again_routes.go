package v2

import (
	"context"
	"errors"

	"parley"
	"parley/internal/agents"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// newReplayRules says how each POST answers once its effect is there, by the operation's name. A POST that is not here is
// Repeatable: it has no effect.
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

func replaySuccess(context.Context, *httpapi.Call, any, effect) (any, error) {
	return &Data[Success]{Success{true}}, nil
}

func (s *server) replayAgent(ctx context.Context, c *httpapi.Call, in any, did effect) (any, error) {
	out := &CreatedAgent{ID: did.id}
	n, ok := in.(*NewAgent)
	if !ok || n.Body.URL.Value == "" {
		return out, nil
	}
	links, err := s.DB.Sources(ctx, callerOf(c).Account.ID, parley.AgentID(did.id), store.SourceFilter{Kinds: []parley.SourceKind{parley.SourceLink}}, parley.PageRequest{Limit: 1})
	if err == nil && links.Total == 0 {
		out.PendingSteps = []string{agents.AddSource}
	}
	return out, err
}

func (s *server) replaySource(ctx context.Context, c *httpapi.Call, in any, did effect) (any, error) {
	asked := in.(*NewSource)
	out, err := s.getSource(ctx, c, &SourceRef{AgentID: asked.AgentID, SourceID: did.id})
	if err != nil {
		return nil, err
	}
	return &WrittenSource{*out, newUploadedID(&parley.Source{ID: parley.SourceID(did.id)}, asked.Upload)}, nil
}

// replayTurn answers from the stored message, as JSON or as a stream, whichever the request asked for.
func (s *server) replayTurn(ctx context.Context, c *httpapi.Call, in any, did effect) (any, error) {
	agent, stream := in.(streamingRequest).streamTarget()
	if _, err := s.findAgent(ctx, c, agent); err != nil {
		return nil, err
	}
	turn, err := s.storedTurn(ctx, c, parley.AgentID(agent), did)
	if err != nil {
		return nil, err
	}
	out, err := s.renderTurn(ctx, c, turn, stream)
	if out == nil {
		return nil, err
	}
	return out, err
}

func (s *server) storedTurn(ctx context.Context, c *httpapi.Call, agent parley.AgentID, did effect) (*chat.Turn, error) {
	account := callerOf(c).Account.ID
	switch did.kind {
	case "turn":
		return s.Chat.ReplayTurn(ctx, account, agent, parley.TurnID(did.id))
	case "paused":
		return s.Chat.ReplayUnanswered(ctx, account, agent, did.id)
	}
	return nil, errors.New("api: a chat has done " + did.kind)
}

// streamingRequest is a request that an answer is made for: to which agent, and whether as a stream.
type streamingRequest interface {
	streamTarget() (agent string, stream bool)
}

func (r *ChatRequest) streamTarget() (agent string, stream bool) {
	return r.AgentID, r.Body.Stream.Value
}

func (r *RetryRequest) streamTarget() (agent string, stream bool) {
	return r.AgentID, r.Body.Stream.Value
}
