package admin

import (
	"context"

	"parley"
	"parley/internal/insight"
	"parley/internal/store"
)

// InsightsAsk asks what an agent's conversations add up to. Empty days are the usual ones.
type InsightsAsk struct {
	AgentID string          `json:"agentId"`
	From    string          `json:"from,omitempty"` // 2026-01-31
	To      string          `json:"to,omitempty"`
	By      store.SumsGroup `json:"by,omitempty"` // empty is by day
}

// ShowInsights adds up what is known of an agent's conversations.
var ShowInsights = Verb[InsightsAsk, insight.Report]{"insights", false, (*Desk).showInsights}

func (d *Desk) showInsights(ctx context.Context, in InsightsAsk) (insight.Report, error) {
	account, agent, err := d.ownerOf(ctx, in.AgentID)
	if err != nil {
		return insight.Report{}, err
	}
	from, to, err := insight.ReadDays(in.From, in.To, d.Now())
	if err != nil {
		return insight.Report{}, err
	}
	if in.By == "" {
		in.By = store.ByDay
	}
	r, err := d.Insight.Report(ctx, account, agent, insight.Ask{From: from, To: to, By: in.By})
	if err != nil {
		return insight.Report{}, err
	}
	return *r, nil
}

func (d *Desk) ownerOf(ctx context.Context, id string) (*parley.Account, parley.AgentID, error) {
	agent := parley.AgentID(id)
	owner, err := d.DB.OwnerOfAgent(ctx, agent)
	if err != nil {
		return nil, agent, err
	}
	account, err := d.DB.Account(ctx, owner)
	return account, agent, err
}

// RebuildAsk asks for a step of finding out anew about an agent's conversations: the one behind the progress it is given.
type RebuildAsk struct {
	AgentID string           `json:"agentId"`
	At      insight.Progress `json:"at"`
}

// RebuildInsights takes such a step. Somebody has to ask until it is done.
var RebuildInsights = Verb[RebuildAsk, insight.Progress]{"insights-rebuild", false, (*Desk).rebuildInsights}

func (d *Desk) rebuildInsights(ctx context.Context, in RebuildAsk) (insight.Progress, error) {
	account, agent, err := d.ownerOf(ctx, in.AgentID)
	if err != nil {
		return in.At, err
	}
	return d.Insight.Rebuild(ctx, account.ID, agent, in.At)
}
