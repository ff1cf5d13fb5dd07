package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// Team is a team of an agent's helpdesk (docs/interface/helpdesk.md#teams).
type Team struct {
	ID          string `json:"id" format:"uuid"`
	Name        string `json:"name"`
	IsDefault   bool   `json:"isDefault" doc:"Of the team that gets what no routing rule takes."`
	MemberCount int    `json:"memberCount" min:"0"`
}

// listTeams lists the teams in the order of their creation.
func (s *server) listTeams(ctx context.Context, c *call, in *AgentRef) (*[]Team, error) {
	list, err := s.Helpdesk.Teams(ctx, agentRef(c, in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("list teams: %w", err)
	}
	out := httpapi.ConvertList(list, func(t *parley.Team) Team {
		return Team{ID: string(t.ID), Name: t.Name, IsDefault: t.IsDefault, MemberCount: len(t.Members)}
	})
	return &out, nil
}

// TicketStatus is one of an agent's ticket statuses (docs/interface/helpdesk.md#statuses).
type TicketStatus struct {
	ID            string  `json:"id" format:"uuid"`
	Category      string  `json:"category" enum:"@statusCategory" name:"TicketCategory"`
	ExternalLabel string  `json:"externalLabel" doc:"What customers read."`
	InternalLabel string  `json:"internalLabel" doc:"What the team reads."`
	Color         *string `json:"color" format:"color"`
	IsDefault     bool    `json:"isDefault" doc:"Each category has one default."`
	Position      int     `json:"position" doc:"Within the category."`
}

func newTicketStatus(s *parley.TicketStatus) TicketStatus {
	return TicketStatus{ID: string(s.ID), Category: string(s.Category), ExternalLabel: s.ExternalLabel,
		InternalLabel: s.InternalLabel, Color: textOrNull(s.Color), IsDefault: s.IsDefault, Position: s.Position}
}

// listStatuses lists the statuses by category and position, without archived ones.
func (s *server) listStatuses(ctx context.Context, c *call, in *AgentRef) (*[]TicketStatus, error) {
	list, err := s.Helpdesk.Statuses(ctx, agentRef(c, in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("list ticket statuses: %w", err)
	}
	out := httpapi.ConvertList(list, newTicketStatus)
	return &out, nil
}
