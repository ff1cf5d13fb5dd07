package admin

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/manifest"
)

// ApplyManifest asks to make an account's agents what documents say.
type ApplyManifest struct {
	AccountID string            `json:"accountId"`
	Documents []json.RawMessage `json:"documents"`
	Secrets   map[string]string `json:"secrets,omitempty"` // by the names that ${NAME} has in the documents; never printed, logged or given back
	Prune     bool              `json:"prune"`
	DryRun    bool              `json:"dryRun"`
}

// ManifestResult tells what became of the agents, or in a dry run would become of them.
type ManifestResult struct {
	Agents []manifest.ApplyResult `json:"agents"`
}

// AgentID names an agent.
type AgentID struct {
	ID string `json:"agentId"`
}

// The verbs on agents as code.
var (
	Apply       = Command[ApplyManifest, ManifestResult]{"apply", false, (*Service).apply}
	ExportAgent = Command[AgentID, manifest.ExportResult]{"agent.export", false, (*Service).exportAgent}
)

func (d *Service) apply(ctx context.Context, in ApplyManifest) (ManifestResult, error) {
	account, err := d.DB.Account(ctx, parley.AccountID(in.AccountID))
	if err != nil {
		return ManifestResult{}, err
	}
	plan, known := d.Accounts.Plans.Plan(account.Plan)
	if !known {
		return ManifestResult{}, parley.NewErrorf(parley.CodePlanFeature, "The account's plan %q is not among the plans of this installation.", account.Plan)
	}
	done, err := d.Manifests.Apply(ctx, manifest.ApplyRequest{Account: *account, Plan: plan, Documents: in.Documents, Secrets: in.Secrets, Prune: in.Prune, DryRun: in.DryRun})
	return ManifestResult{done}, err
}

func (d *Service) exportAgent(ctx context.Context, in AgentID) (manifest.ExportResult, error) {
	x, err := d.Manifests.Export(ctx, parley.AgentID(in.ID))
	if err != nil {
		return manifest.ExportResult{}, err
	}
	return *x, nil
}
