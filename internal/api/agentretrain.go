package api

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/wire"
)

// AutoRetrain turns an agent's weekly re-sync on or off.
type AutoRetrain struct {
	AgentRef
	Body AutoRetrainBody
}

// AutoRetrainBody says which of the two.
type AutoRetrainBody struct {
	Enabled bool `json:"enabled" doc:"Turning it on needs a live source."`
}

func (s *server) autoRetrain(ctx context.Context, c *wire.Call, in *AutoRetrain) (*Success, error) {
	if err := s.Agents.AutoRetrain(ctx, caller(c).Account, parley.AgentID(in.AgentID), in.Body.Enabled); err != nil {
		return nil, fmt.Errorf("set auto-retrain: %w", err)
	}
	return &Success{true}, nil
}
