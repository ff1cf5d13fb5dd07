package v2_test

import (
	"parley"
	"parley/internal/insight"
)

// judgeConversations finds out about all conversations of an agent, as quiet does.
func (tl *storyRunner) judgeConversations(agent string) (err error) {
	for at := (insight.Progress{}); !at.Done; {
		if at, err = tl.server.Insight.Rebuild(tl.t.Context(),
			parley.AccountID(tl.server.Account).AgentRef(parley.AgentID(agent)), at); err != nil {
			return err
		}
	}
	return nil
}
