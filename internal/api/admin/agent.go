package admin

import (
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/insight"
	"parley/internal/manifest"
	"parley/internal/store"
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
		Caller:    parley.Caller{Account: *account, Plan: plan},
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

// SourceQuery asks for an agent's sources, newest first.
type SourceQuery struct {
	AgentID string `path:"agentId"`
	Limit   int    `query:"limit" default:"50" min:"1"` // most of them
}

// Source is a source as the operator sees it.
type Source struct {
	ID        string    `json:"sourceId"`
	Type      string    `json:"type"`
	Name      string    `json:"name"`
	Status    string    `json:"status"`
	Reason    string    `json:"reason,omitempty"` // why it has failed, or was not read to its end
	Answers   bool      `json:"answers"`          // answers rest on it, even if on an earlier version
	Size      int64     `json:"size"`             // bytes; of a website those of its pages
	UpdatedAt time.Time `json:"updatedAt"`
}

func (s *Service) listSources(ctx context.Context, in SourceQuery) ([]Source, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Sources(ctx, ref, store.SourceFilter{}, parley.PageRequest{Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	list := make([]Source, len(page.Items))
	for i := range page.Items {
		if list[i], err = s.newSource(ctx, &page.Items[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (s *Service) newSource(ctx context.Context, source *parley.Source) (Source, error) {
	out := Source{
		ID:        string(source.ID),
		Type:      string(source.Kind),
		Name:      source.Name,
		Status:    string(source.Status),
		Reason:    source.Failure,
		Answers:   source.LiveVersion != "",
		Size:      source.Size,
		UpdatedAt: source.UpdatedAt,
	}
	if !source.Kind.HasPages() {
		return out, nil
	}
	sizes, err := s.DB.SiteSizes(ctx, source.AgentRef(), []parley.SourceID{source.ID})
	if err != nil {
		return out, err
	}
	pages, err := s.DB.CountLivePages(ctx, source.AgentRef(), source.ID)
	out.Size += sizes[source.ID]
	out.Answers = out.Answers || pages > 0
	return out, err
}

// InsightsQuery asks for the sums of an agent's conversations. Without days it is about the last 30.
type InsightsQuery struct {
	AgentID string              `path:"agentId"`
	From    string              `query:"from"` // 2026-01-31
	To      string              `query:"to"`
	GroupBy parley.InsightGroup `query:"by" enum:"@insightGroup" default:"day"`
}

func (s *Service) showInsights(ctx context.Context, in InsightsQuery) (insight.Report, error) {
	account, agent, err := s.findOwner(ctx, in.AgentID)
	if err != nil {
		return insight.Report{}, err
	}
	from, to, err := insight.ParseDays(in.From, in.To, s.Now())
	if err != nil {
		return insight.Report{}, err
	}
	r, err := s.Insight.Report(ctx, account, agent, insight.ReportRange{From: from, To: to, By: in.GroupBy})
	if err != nil {
		return insight.Report{}, err
	}
	return *r, nil
}

func (s *Service) findOwner(ctx context.Context, id string) (*parley.Account, parley.AgentID, error) {
	agent := parley.AgentID(id)
	owner, err := s.DB.OwnerOfAgent(ctx, agent)
	if err != nil {
		return nil, agent, err
	}
	account, err := s.DB.Account(ctx, owner)
	return account, agent, err
}

// RebuildRequest asks for a step of judging an agent's conversations again: the one that follows the progress. Steps
// are asked for until the work is done.
type RebuildRequest struct {
	AgentID  string           `path:"agentId" json:"-"`
	Progress insight.Progress `json:"at"`
}

func (s *Service) rebuildInsights(ctx context.Context, in RebuildRequest) (insight.Progress, error) {
	account, agent, err := s.findOwner(ctx, in.AgentID)
	if err != nil {
		return in.Progress, err
	}
	return s.Insight.Rebuild(ctx, account.ID.AgentRef(agent), in.Progress)
}
