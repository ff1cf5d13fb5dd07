package admin

import (
	"context"

	"parley"
	"parley/internal/insight"
	"parley/internal/store"
)

// InsightsQuery asks for the sums of an agent's conversations. Without days it is about the last 30.
type InsightsQuery struct {
	AgentID string          `path:"agentId"`
	From    string          `query:"from"` // 2026-01-31
	To      string          `query:"to"`
	GroupBy store.SumsGroup `query:"by" enum:"day,topic,channel,sentiment" default:"day"`
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

// RebuildRequest asks for a step of judging an agent's conversations anew: the one that follows the progress. Steps are
// asked for until the work is done.
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
