package api

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/wire"
)

func (s *server) cloneAgent(ctx context.Context, c *wire.Call, in *AgentRef) (*CreatedAgent, error) {
	who := caller(c)
	id, pending, err := s.Agents.Clone(ctx, who.Account, who.Plan, parley.AgentID(in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("clone agent: %w", err)
	}
	return &CreatedAgent{ID: string(id), PendingSteps: pending}, nil
}
