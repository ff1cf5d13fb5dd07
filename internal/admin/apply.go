package admin

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/agents"
)

// ApplyManifest asks to make an account's agents what documents say.
type ApplyManifest struct {
	AccountID string            `json:"accountId"`
	Documents []json.RawMessage `json:"documents"`
	Secrets   map[string]string `json:"secrets,omitempty"` // by the names that ${NAME} has in the documents; never printed, logged or given back
	Prune     bool              `json:"prune"`
	DryRun    bool              `json:"dryRun"`
}

// ManifestApplied tells what became of the agents, or in a dry run would become of them.
type ManifestApplied struct {
	Agents []agents.Applied `json:"agents"`
}

// AgentID names an agent.
type AgentID struct {
	ID string `json:"agentId"`
}

// The verbs on agents as code.
var (
	Apply       = Verb[ApplyManifest, ManifestApplied]{"apply", false, (*Desk).apply}
	ExportAgent = Verb[AgentID, agents.Exported]{"agent.export", false, (*Desk).exportAgent}
)

func (d *Desk) apply(ctx context.Context, in ApplyManifest) (ManifestApplied, error) {
	account, err := d.DB.Account(ctx, parley.AccountID(in.AccountID))
	if err != nil {
		return ManifestApplied{}, err
	}
	plan, known := d.Office.Plans.Plan(account.Plan)
	if !known {
		return ManifestApplied{}, parley.Failf(parley.CodePlanFeature, "The account's plan %q is not among the plans of this installation.", account.Plan)
	}
	done, err := d.Manifests.Apply(ctx, agents.Application{Account: *account, Plan: plan, Documents: in.Documents, Secrets: in.Secrets, Prune: in.Prune, DryRun: in.DryRun})
	return ManifestApplied{done}, err
}

func (d *Desk) exportAgent(ctx context.Context, in AgentID) (agents.Exported, error) {
	x, err := d.Manifests.Export(ctx, parley.AgentID(in.ID))
	if err != nil {
		return agents.Exported{}, err
	}
	return *x, nil
}
