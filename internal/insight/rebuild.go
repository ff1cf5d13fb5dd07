package insight

import (
	"context"

	"parley"
)

const (
	forgottenAtOne = 100
	judgedAtOne    = 100
)

// Progress is how far the insight of an agent has been found out anew. Somebody has to ask until it is done.
type Progress struct {
	Forgotten bool        `json:"forgotten"` // what was known is erased
	After     parley.Mark `json:"after"`     // the last conversation that is judged
	Judged    int64       `json:"judged"`
	Done      bool        `json:"done"`
}

// Rebuild takes a step of finding out anew about all conversations of an agent: first all is forgotten, then they are judged one by
// one, then grouped. The figures are incomplete meanwhile. Fails with AGENT_NOT_FOUND.
func (k *Keeper) Rebuild(ctx context.Context, account parley.AccountID, agent parley.AgentID, at Progress) (Progress, error) {
	if !at.Forgotten {
		done, err := k.DB.ForgetInsights(ctx, account, agent, forgottenAtOne)
		at.Forgotten = done
		return at, err
	}
	list, err := k.DB.Begun(ctx, account, agent, at.After, judgedAtOne)
	if err != nil {
		return at, err
	}
	for _, m := range list {
		if err := k.Judge(ctx, account, agent, parley.ConversationID(m.ID)); err != nil {
			return at, err
		}
		at.After, at.Judged = m, at.Judged+1
	}
	if len(list) == judgedAtOne {
		if at.Judged%groupedAtOne == 0 { // those that follow join what there is
			return at, k.Group(ctx, account, agent)
		}
		return at, nil
	}
	at.Done = true
	return at, k.Group(ctx, account, agent)
}
