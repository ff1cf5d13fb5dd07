package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// deprecatedSince is the header of operations that do nothing any more: since 2025-01-01 UTC, as RFC 9745 writes it.
const deprecatedSince = "@1735689600"

// Deprecated is the reply of operations that do nothing any more (interface 4.1, rule 3).
type Deprecated struct {
	Success    bool   `json:"success"`
	Deprecated bool   `json:"deprecated"`
	Message    string `json:"message"`
}

func newDeprecated(c *httpapi.Call, message string) *Deprecated {
	c.Header().Set("Deprecation", deprecatedSince)
	return &Deprecated{Success: true, Deprecated: true, Message: message}
}

func (s *server) trainAgent(ctx context.Context, c *httpapi.Call, in *AgentRef) (*Deprecated, error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	return newDeprecated(c, "Nothing was done: sources are trained as soon as they are written. Get a source or the agent to follow it."), nil
}

func (s *server) restoreSource(ctx context.Context, c *httpapi.Call, in *SourceRef) (*Deprecated, error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	if err := s.DB.CheckSourceExists(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), parley.SourceID(in.SourceID)); err != nil {
		return nil, fmt.Errorf("find source: %w", err)
	}
	return newDeprecated(c, "Nothing was done: a source is deleted at once and cannot be restored. Create it again."), nil
}
