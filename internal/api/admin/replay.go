package admin

import (
	"context"

	"parley"
	"parley/internal/eval"
)

// ReplayRequest asks for an agent's newest questions to be answered again.
type ReplayRequest struct {
	ID    string `json:"agentId"`
	Limit int    `json:"limit"` // most of them
}

// Replay tells which of an agent's past answers would be others today. It stores nothing.
var Replay = Command[ReplayRequest, eval.Replay]{"agent.replay", false, (*Service).replay}

func (d *Service) replay(ctx context.Context, in ReplayRequest) (eval.Replay, error) {
	agent, err := d.DB.AgentInAnyAccount(ctx, parley.AgentID(in.ID), d.Now())
	if err != nil {
		return eval.Replay{}, err
	}
	done, err := eval.Replayer{DB: d.DB, Library: d.Indexes, Questions: d.Questions}.Run(ctx, agent, max(in.Limit, 1))
	if err != nil {
		return eval.Replay{}, err
	}
	return *done, nil
}
