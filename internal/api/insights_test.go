package api_test

import (
	"parley"
	"parley/internal/insight"
)

// judge finds out about all conversations of an agent, as quiet does.
func (tl *teller) judge(agent string) (err error) {
	for at := (insight.Progress{}); !at.Done; {
		if at, err = tl.house.Insight.Rebuild(tl.t.Context(), parley.AccountID(tl.house.Account), parley.AgentID(agent), at); err != nil {
			return err
		}
	}
	return nil
}
