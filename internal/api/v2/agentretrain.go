package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
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

func (s *server) setAutoRetrain(ctx context.Context, c *httpapi.Call, in *AutoRetrain) (*Success, error) {
	if err := s.Agents.AutoRetrain(ctx, callerOf(c).Account, parley.AgentID(in.AgentID), in.Body.Enabled); err != nil {
		return nil, fmt.Errorf("set auto-retrain: %w", err)
	}
	return &Success{true}, nil
}
