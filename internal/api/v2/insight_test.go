package v2_test

import (
	"parley"
	"parley/internal/insight"
)

// judgeConversations finds out about all conversations of an agent, as quiet does.
func (r *storyRunner) judgeConversations(agent string) (err error) {
	for at := (insight.Progress{}); !at.Done; {
		if at, err = r.Server.Insight.Rebuild(r.T.Context(),
			parley.AccountID(r.Server.Account).AgentRef(parley.AgentID(agent)), at); err != nil {
			return err
		}
	}
	return nil
}
