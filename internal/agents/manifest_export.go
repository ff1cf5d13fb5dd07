package agents

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

// exportedManifest is a Manifest, written: whole, in the order in which people read it.
type exportedManifest struct {
	Agent      ManifestName      `json:"agent"`
	Settings   json.RawMessage   `json:"settings"`
	Actions    []json.RawMessage `json:"actions,omitempty"`
	Procedures []json.RawMessage `json:"procedures,omitempty"`
	Helpdesk   json.RawMessage   `json:"helpdesk,omitempty"`
	Sources    []json.RawMessage `json:"sources,omitempty"`
}

// Export returns an agent as the document that, applied to it, changes nothing. Secrets stay behind: the document has their names.
// It is the operator's view and asks for no account. Fails with AGENT_NOT_FOUND.
func (m *Manifests) Export(ctx context.Context, id parley.AgentID) (*ExportResult, error) {
	a, err := m.DB.AgentInAnyAccount(ctx, id, m.Now())
	if err != nil {
		return nil, err
	}
	out := exportedManifest{Agent: ManifestName{Key: a.Key}}
	if a.Key == "" {
		out.Agent.ID = a.ID
	}
	if out.Settings, err = m.Settings.Show(a); err != nil {
		return nil, err
	}
	actions, err := m.DB.Actions(ctx, a.AccountID, id)
	if err != nil {
		return nil, err
	}
	for i := range actions {
		out.Actions = append(out.Actions, showAction(&actions[i]))
	}
	procedures, err := m.DB.Procedures(ctx, a.AccountID, id)
	if err != nil {
		return nil, err
	}
	for i := range procedures {
		out.Procedures = append(out.Procedures, showProcedure(&procedures[i]))
	}
	if out.Helpdesk, err = m.exportHelpdesk(ctx, a); err != nil {
		return nil, err
	}
	x := &ExportResult{}
	if out.Sources, x.LeftOut, err = m.exportSources(ctx, a); err != nil {
		return nil, err
	}
	x.Document = mustJSON(out)
	return x, nil
}

func (m *Manifests) exportSources(ctx context.Context, a *parley.Agent) (list []json.RawMessage, left []string, err error) {
	there, err := m.DB.ManagedSources(ctx, a.AccountID, a.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range there {
		if s.Kind != parley.SourceText || s.Status == parley.SourceToBeDeleted {
			left = append(left, fmt.Sprintf("the %s source %s (%s)", s.Kind, s.ID, s.Name))
			continue
		}
		text, err := m.DB.Version(ctx, a.AccountID, a.ID, s.ID, s.WantedVersion)
		switch {
		case parley.IsCode(err, parley.CodeSourceNotFound): // it has gone, or changed, meanwhile
			left = append(left, fmt.Sprintf("the source %s (%s), which was changing", s.ID, s.Name))
		case err != nil:
			return nil, nil, err
		default:
			list = append(list, showSource(s, text.Text))
		}
	}
	return list, left, nil
}
