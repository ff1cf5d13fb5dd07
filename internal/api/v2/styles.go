package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/api/looks"
)

// StylesChangeBody holds the styles to change.
type StylesChangeBody struct {
	Styles looks.StylesWrite `json:"styles"`
}

func (s *server) updateStyles(ctx context.Context, c *call, in *AgentRequest[StylesChangeBody]) (*Success, error) {
	caller := callerOf(c)
	err := s.Agents.Change(ctx, caller.Caller, parley.AgentID(in.AgentID), in.Body.Styles.Apply)
	if err != nil {
		return nil, fmt.Errorf("change styles: %w", err)
	}
	return &Success{true}, nil
}
