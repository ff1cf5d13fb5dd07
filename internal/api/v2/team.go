package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// Team is a team of an agent's helpdesk (facts 2.10).
type Team struct {
	ID          string `json:"id" format:"uuid"`
	Name        string `json:"name"`
	IsDefault   bool   `json:"isDefault" doc:"Of the team that gets what no routing rule takes."`
	MemberCount int    `json:"memberCount" min:"0"`
}

// listTeams lists them in the order in which they were made (facts 4.2a).
func (s *server) listTeams(ctx context.Context, c *httpapi.Call, in *AgentRef) (*[]Team, error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	list, err := s.Helpdesk.Teams(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("list teams: %w", err)
	}
	out := make([]Team, len(list))
	for i := range list {
		out[i] = Team{ID: string(list[i].ID), Name: list[i].Name, IsDefault: list[i].IsDefault, MemberCount: len(list[i].Members)}
	}
	return &out, nil
}
