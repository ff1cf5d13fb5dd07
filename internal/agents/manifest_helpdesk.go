package agents

import (
	"encoding/json"
	"strings"

	"parley"
	"parley/internal/httpapi"
)

// ManifestHelpdesk is the helpdesk as manifests write it. A section that is absent stays as it is.
type ManifestHelpdesk struct {
	Handover httpapi.Opt[bool]              `json:"handover,omitzero"` // a customer's plain wish for a person hands the conversation over
	Statuses httpapi.Opt[[]json.RawMessage] `json:"statuses,omitzero" max:"100"`
	Teams    httpapi.Opt[[]json.RawMessage] `json:"teams,omitzero" max:"100"`
	Rules    httpapi.Opt[[]json.RawMessage] `json:"rules,omitzero" max:"200"`
}

// ManifestStatus is a ticket status as manifests write it. One without a key is known by its category and label.
type ManifestStatus struct {
	Key           string            `json:"key,omitempty"`
	Category      string            `json:"category" enum:"@statusCategory"`
	Label         string            `json:"label" min:"1" max:"100"`                   // what the team reads
	ExternalLabel string            `json:"externalLabel,omitempty" min:"1" max:"100"` // what customers read; the label where it is absent
	Color         *string           `json:"color,omitempty" pattern:"^#[0-9a-fA-F]{6}$"`
	Default       httpapi.Opt[bool] `json:"default,omitzero"`
	Archived      bool              `json:"archived,omitempty"`
}

// ManifestTeam is a team as manifests write it. One without a key is known by its name.
type ManifestTeam struct {
	Key      string                `json:"key,omitempty"`
	Name     string                `json:"name" min:"1" max:"100"`
	Default  httpapi.Opt[bool]     `json:"default,omitzero"`
	Strategy string                `json:"strategy" enum:"@strategy" default:"round_robin"`
	MaxOpen  *int                  `json:"maxOpen,omitempty" min:"0" max:"1000000"`
	Hours    []parley.WorkingHours `json:"hours,omitempty" nullable:"true" max:"50"`
	Members  []json.RawMessage     `json:"members,omitempty" nullable:"true" max:"1000"`
}

// ManifestTeamMember is somebody in a team as manifests write it. What is absent stays, and null takes the team's.
type ManifestTeamMember struct {
	Email   string                `json:"email" min:"1" max:"320"`
	MaxOpen *int                  `json:"maxOpen,omitempty" min:"0" max:"1000000"`
	Hours   []parley.WorkingHours `json:"hours,omitempty" nullable:"true" max:"50"`
	Away    bool                  `json:"away,omitempty"`
}

// ManifestRule is a routing rule as manifests write it. The team is named by its key, or by its name while it has none.
type ManifestRule struct {
	Key      string             `json:"key"`
	Name     string             `json:"name,omitempty" max:"100"`
	Enabled  bool               `json:"enabled" default:"true"`
	All      []parley.Condition `json:"all,omitempty" nullable:"true" max:"50"`
	Any      []parley.Condition `json:"any,omitempty" nullable:"true" max:"50"`
	Team     *string            `json:"team,omitempty" min:"1"`
	Assignee *string            `json:"assignee,omitempty" min:"1"`
}

func showStatus(s *parley.TicketStatus) json.RawMessage {
	m := ManifestStatus{Key: s.Key, Category: string(s.Category), Label: s.InternalLabel, Color: nonEmpty(s.Color), Archived: s.ArchivedAt != nil}
	if s.ExternalLabel != s.InternalLabel {
		m.ExternalLabel = s.ExternalLabel
	}
	if s.IsDefault {
		m.Default = httpapi.Some(true)
	}
	return mustJSON(m)
}

func showTeam(t *parley.Team) json.RawMessage {
	m := ManifestTeam{Key: t.Key, Name: t.Name, Strategy: string(t.Strategy), MaxOpen: t.MaxOpen, Hours: t.Hours}
	if t.IsDefault {
		m.Default = httpapi.Some(true)
	}
	for i := range t.Members {
		m.Members = append(m.Members, showTeamMember(&t.Members[i]))
	}
	return mustJSON(m)
}

func showTeamMember(m *parley.TeamMember) json.RawMessage {
	return mustJSON(ManifestTeamMember{Email: m.User.Email, MaxOpen: m.MaxOpen, Hours: m.Hours, Away: m.IsAway})
}

// directory is who and what a helpdesk's ids stand for.
type directory struct {
	teams   []parley.Team
	members []parley.Membership // of the account
}

func (r *directory) showRule(rule *parley.Rule) json.RawMessage {
	m := ManifestRule{Key: rule.Key, Name: rule.Name, Enabled: rule.Enabled, All: rule.All, Any: rule.Any}
	for i := range r.teams {
		if r.teams[i].ID == rule.TeamID {
			m.Team = nonEmpty(teamName(&r.teams[i]))
		}
	}
	for _, other := range r.members {
		if other.User.ID == rule.MemberID {
			m.Assignee = nonEmpty(other.User.Email)
		}
	}
	return mustJSON(m)
}

// team finds a team by its key, else by the name of one that has no key.
func (r *directory) team(name string) *parley.Team {
	for i := range r.teams {
		if r.teams[i].Key == name {
			return &r.teams[i]
		}
	}
	for i := range r.teams {
		if r.teams[i].Key == "" && strings.EqualFold(r.teams[i].Name, name) {
			return &r.teams[i]
		}
	}
	return nil
}

// member finds somebody of the account by e-mail address.
func (r *directory) member(email string) *parley.User {
	for i := range r.members {
		if strings.EqualFold(r.members[i].User.Email, email) {
			return &r.members[i].User
		}
	}
	return nil
}

// teamName is what a rule calls the team.
func teamName(t *parley.Team) string {
	if t.Key != "" {
		return t.Key
	}
	return t.Name
}

// nonEmpty returns a text, or nil for none.
func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
