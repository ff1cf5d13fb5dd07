package admin

import (
	"context"

	"parley"
	"parley/internal/eval"
)

// ReplayAgent asks for an agent's newest questions to be answered again.
type ReplayAgent struct {
	ID    string `json:"agentId"`
	Limit int    `json:"limit"` // most of them
}

// Replay tells which of an agent's past answers would be others today. It stores nothing.
var Replay = Verb[ReplayAgent, eval.Replay]{"agent.replay", false, (*Desk).replay}

func (d *Desk) replay(ctx context.Context, in ReplayAgent) (eval.Replay, error) {
	agent, err := d.DB.AgentAnywhere(ctx, parley.AgentID(in.ID), d.Now())
	if err != nil {
		return eval.Replay{}, err
	}
	done, err := eval.Replayer{DB: d.DB, Library: d.Library, Questions: d.Questions}.Run(ctx, agent, max(in.Limit, 1))
	if err != nil {
		return eval.Replay{}, err
	}
	return *done, nil
}
