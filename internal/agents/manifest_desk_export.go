package agents

import (
	"context"
	"encoding/json"

	"parley"
)

// exportedHelpdesk is a ManifestHelpdesk, written.
type exportedHelpdesk struct {
	Handover bool              `json:"handover"`
	Statuses []json.RawMessage `json:"statuses"`
	Teams    []json.RawMessage `json:"teams"`
	Rules    []json.RawMessage `json:"rules,omitempty"`
}

// exportHelpdesk writes the agent's helpdesk; nothing for one that nobody has needed yet.
func (m *Manifests) exportHelpdesk(ctx context.Context, a *parley.Agent) (json.RawMessage, error) {
	s, err := m.Helpdesk.Setup(ctx, a.AccountID, a.ID)
	if err != nil || s == nil {
		return nil, err
	}
	r := directory{teams: s.Teams}
	if r.members, err = m.DB.Members(ctx, a.AccountID); err != nil {
		return nil, err
	}
	out := exportedHelpdesk{Handover: s.Handover}
	for i := range s.Statuses {
		out.Statuses = append(out.Statuses, showStatus(&s.Statuses[i]))
	}
	for i := range s.Teams {
		out.Teams = append(out.Teams, showTeam(&s.Teams[i]))
	}
	for i := range s.Rules {
		out.Rules = append(out.Rules, r.showRule(&s.Rules[i]))
	}
	return mustJSON(out), nil
}
