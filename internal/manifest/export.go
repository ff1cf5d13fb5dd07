package manifest

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/httpapi"
)

// ExportResult is an agent as a document.
type ExportResult struct {
	Document json.RawMessage `json:"document"`
	LeftOut  []string        `json:"leftOut,omitempty"` // what manifests cannot hold, for people
	Files    []ExportedFile  `json:"files,omitempty"`   // that the document names beside it
}

// ExportedFile is a file that an exported document names.
type ExportedFile struct {
	Path     string          `json:"path"` // seen from the document
	SourceID parley.SourceID `json:"sourceId"`
}

// Export returns an agent as the document that, applied to it, changes nothing. The document has the names of secrets,
// without their values. It is for the operator and needs no account. Fails with AGENT_NOT_FOUND.
func (s *Service) Export(ctx context.Context, id parley.AgentID) (*ExportResult, error) {
	a, err := s.DB.AgentInAnyAccount(ctx, id, s.Now())
	if err != nil {
		return nil, err
	}
	out := agentSpec{Agent: agentName{Key: a.Key}}
	if a.Key == "" {
		out.Agent.ID = a.ID
	}
	if out.Settings, err = s.Settings.Show(a); err != nil {
		return nil, err
	}
	actions, err := s.DB.Actions(ctx, a.Ref())
	if err != nil {
		return nil, err
	}
	out.Actions = encodeSection(actions, encodeAction)
	procedures, err := s.DB.Procedures(ctx, a.Ref())
	if err != nil {
		return nil, err
	}
	out.Procedures = encodeSection(procedures, encodeProcedure)
	if out.Helpdesk, err = s.exportHelpdesk(ctx, a); err != nil {
		return nil, err
	}
	sources, files, leftOut, err := s.exportSources(ctx, a)
	if err != nil {
		return nil, err
	}
	if len(sources) > 0 {
		out.Sources = httpapi.Some(sources)
	}
	return &ExportResult{Document: mustJSON(out), LeftOut: leftOut, Files: files}, nil
}

// encodeAll returns rows as manifests write them; none are nil.
func encodeAll[T any](rows []T, encode func(*T) json.RawMessage) (list []json.RawMessage) {
	for i := range rows {
		list = append(list, encode(&rows[i]))
	}
	return list
}

// encodeSection returns the section of rows; without any there is no section.
func encodeSection[T any](rows []T, encode func(*T) json.RawMessage) httpapi.Opt[[]json.RawMessage] {
	if len(rows) == 0 {
		return httpapi.Opt[[]json.RawMessage]{}
	}
	return httpapi.Some(encodeAll(rows, encode))
}
