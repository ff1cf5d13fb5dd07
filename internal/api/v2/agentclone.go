package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

func (s *server) cloneAgent(ctx context.Context, c *httpapi.Call, in *AgentRef) (*CreatedAgent, error) {
	who := callerOf(c)
	id, pending, err := s.Agents.Clone(ctx, who.Account, who.Plan, parley.AgentID(in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("clone agent: %w", err)
	}
	return &CreatedAgent{ID: string(id), PendingSteps: pending}, nil
}
