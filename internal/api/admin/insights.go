package admin

import (
	"context"

	"parley"
	"parley/internal/insight"
	"parley/internal/store"
)

// InsightsQuery asks what an agent's conversations add up to. Empty days are the usual ones.
type InsightsQuery struct {
	AgentID string          `json:"agentId"`
	From    string          `json:"from,omitempty"` // 2026-01-31
	To      string          `json:"to,omitempty"`
	GroupBy store.SumsGroup `json:"by,omitempty"` // empty is by day
}

// ShowInsights adds up what is known of an agent's conversations.
var ShowInsights = Command[InsightsQuery, insight.Report]{"insights", false, (*Service).showInsights}

func (d *Service) showInsights(ctx context.Context, in InsightsQuery) (insight.Report, error) {
	account, agent, err := d.findOwner(ctx, in.AgentID)
	if err != nil {
		return insight.Report{}, err
	}
	from, to, err := insight.ParseDays(in.From, in.To, d.Now())
	if err != nil {
		return insight.Report{}, err
	}
	if in.GroupBy == "" {
		in.GroupBy = store.GroupByDay
	}
	r, err := d.Insight.Report(ctx, account, agent, insight.ReportRange{From: from, To: to, By: in.GroupBy})
	if err != nil {
		return insight.Report{}, err
	}
	return *r, nil
}

func (d *Service) findOwner(ctx context.Context, id string) (*parley.Account, parley.AgentID, error) {
	agent := parley.AgentID(id)
	owner, err := d.DB.OwnerOfAgent(ctx, agent)
	if err != nil {
		return nil, agent, err
	}
	account, err := d.DB.Account(ctx, owner)
	return account, agent, err
}

// RebuildRequest asks for a step of finding out anew about an agent's conversations: the one behind the progress it is given.
type RebuildRequest struct {
	AgentID  string           `json:"agentId"`
	Progress insight.Progress `json:"at"`
}

// RebuildInsights takes such a step. Somebody has to ask until it is done.
var RebuildInsights = Command[RebuildRequest, insight.Progress]{"insights-rebuild", false, (*Service).rebuildInsights}

func (d *Service) rebuildInsights(ctx context.Context, in RebuildRequest) (insight.Progress, error) {
	account, agent, err := d.findOwner(ctx, in.AgentID)
	if err != nil {
		return in.Progress, err
	}
	return d.Insight.Rebuild(ctx, account.ID, agent, in.Progress)
}
