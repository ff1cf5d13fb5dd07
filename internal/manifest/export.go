package manifest

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
)

// ExportResult is an agent as a document.
type ExportResult struct {
	Document json.RawMessage `json:"document"`
	LeftOut  []string        `json:"leftOut,omitempty"` // what manifests cannot hold, for people
}

// exportedAgent is an agentSpec as it is exported: whole, in the order in which people read it.
type exportedAgent struct {
	Agent      agentName         `json:"agent"`
	Settings   json.RawMessage   `json:"settings"`
	Actions    []json.RawMessage `json:"actions,omitempty"`
	Procedures []json.RawMessage `json:"procedures,omitempty"`
	Helpdesk   json.RawMessage   `json:"helpdesk,omitempty"`
	Sources    []json.RawMessage `json:"sources,omitempty"`
}

// Export returns an agent as the document that, applied to it, changes nothing. The document has the names of secrets,
// without their values. It is for the operator and needs no account. Fails with AGENT_NOT_FOUND.
func (s *Service) Export(ctx context.Context, id parley.AgentID) (*ExportResult, error) {
	a, err := s.DB.AgentInAnyAccount(ctx, id, s.Now())
	if err != nil {
		return nil, err
	}
	out := exportedAgent{Agent: agentName{Key: a.Key}}
	if a.Key == "" {
		out.Agent.ID = a.ID
	}
	if out.Settings, err = s.Settings.Show(a); err != nil {
		return nil, err
	}
	actions, err := s.DB.Actions(ctx, a.AccountID.AgentRef(id))
	if err != nil {
		return nil, err
	}
	out.Actions = encodeAll(actions, encodeAction)
	procedures, err := s.DB.Procedures(ctx, a.AccountID.AgentRef(id))
	if err != nil {
		return nil, err
	}
	out.Procedures = encodeAll(procedures, encodeProcedure)
	if out.Helpdesk, err = s.exportHelpdesk(ctx, a); err != nil {
		return nil, err
	}
	result := &ExportResult{}
	if out.Sources, result.LeftOut, err = s.exportSources(ctx, a); err != nil {
		return nil, err
	}
	result.Document = mustJSON(out)
	return result, nil
}

// exportSources returns the agent's texts as manifests write them, and what manifests cannot hold.
func (s *Service) exportSources(ctx context.Context, a *parley.Agent) (list []json.RawMessage, leftOut []string,
	err error) {
	existing, err := s.DB.ManagedSources(ctx, a.Ref())
	if err != nil {
		return nil, nil, err
	}
	for _, m := range existing {
		if m.Kind != parley.SourceText || m.Status == parley.SourceToBeDeleted {
			leftOut = append(leftOut, fmt.Sprintf("the %s source %s (%s)", m.Kind, m.ID, m.Name))
			continue
		}
		text, err := s.DB.Version(ctx, a.Ref(), m.ID, m.WantedVersion)
		switch {
		case parley.IsCode(err, parley.CodeSourceNotFound): // it was deleted or changed meanwhile
			leftOut = append(leftOut, fmt.Sprintf("the source %s (%s), which was changing", m.ID, m.Name))
		case err != nil:
			return nil, nil, err
		default:
			list = append(list, encodeSource(m, text.Text))
		}
	}
	return list, leftOut, nil
}

// encodeAll returns rows as manifests write them; none are nil.
func encodeAll[T any](rows []T, encode func(*T) json.RawMessage) (list []json.RawMessage) {
	for i := range rows {
		list = append(list, encode(&rows[i]))
	}
	return list
}
