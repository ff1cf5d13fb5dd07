package admin

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/manifest"
)

// ApplyManifest asks to make an account's agents what documents say.
type ApplyManifest struct {
	AccountID string            `path:"accountId" json:"-"`
	Documents []json.RawMessage `json:"documents"`
	Secrets   map[string]string `json:"secrets,omitempty"` // by name, for ${NAME} in documents; never printed or logged
	Prune     bool              `json:"prune"`
	DryRun    bool              `json:"dryRun"`
}

// ManifestResult lists what became of the agents, or in a dry run would become of them.
type ManifestResult struct {
	Agents []manifest.ApplyResult `json:"agents"`
}

// AgentRef names an agent.
type AgentRef struct {
	ID string `path:"agentId"`
}

func (s *Service) apply(ctx context.Context, in ApplyManifest) (ManifestResult, error) {
	account, err := s.DB.Account(ctx, parley.AccountID(in.AccountID))
	if err != nil {
		return ManifestResult{}, err
	}
	plan, known := s.Accounts.Plans.Plan(account.Plan)
	if !known {
		return ManifestResult{}, parley.NewErrorf(parley.CodePlanFeature,
			"The account's plan %q is not among the plans of this installation.", account.Plan)
	}
	results, err := s.Manifests.Apply(ctx, manifest.ApplyRequest{
		Account:   *account,
		Plan:      plan,
		Documents: in.Documents,
		Secrets:   in.Secrets,
		Prune:     in.Prune,
		DryRun:    in.DryRun,
	})
	return ManifestResult{results}, err
}

func (s *Service) exportAgent(ctx context.Context, in AgentRef) (manifest.ExportResult, error) {
	x, err := s.Manifests.Export(ctx, parley.AgentID(in.ID))
	if err != nil {
		return manifest.ExportResult{}, err
	}
	return *x, nil
}
