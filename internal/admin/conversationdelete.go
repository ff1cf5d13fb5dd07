package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// Selection says which conversations are meant: those with the ids, or of the agent those of a user or without activity since a
// moment. An agent alone selects nothing.
type Selection struct {
	IDs     []string   `json:"conversationIds,omitempty"`
	AgentID string     `json:"agentId,omitempty"`
	UserID  string     `json:"userId,omitempty"`
	Before  *time.Time `json:"before,omitempty"`
}

// Count is a number of conversations.
type Count struct {
	Conversations int `json:"conversations"`
}

// belongings are conversations of one agent.
type belongings struct {
	account parley.AccountID
	agent   parley.AgentID
	ids     []parley.ConversationID
}

// named finds the owners of the selected ids. Fails with CONVERSATION_NOT_FOUND, naming the first that is not there.
func (d *Desk) named(ctx context.Context, in Selection) ([]belongings, error) {
	var list []belongings
	at := map[parley.AgentID]int{}
	for _, id := range in.IDs {
		account, agent, err := d.DB.OwnerOfConversation(ctx, parley.ConversationID(id))
		if parley.IsCode(err, parley.CodeConversationGone) {
			return nil, parley.Failf(parley.CodeConversationGone, "There is no conversation %q.", id)
		}
		if err != nil {
			return nil, err
		}
		if _, ok := at[agent]; !ok {
			at[agent] = len(list)
			list = append(list, belongings{account: account, agent: agent})
		}
		list[at[agent]].ids = append(list[at[agent]].ids, parley.ConversationID(id))
	}
	return list, nil
}

// filter is the selection without ids.
func (d *Desk) filter(ctx context.Context, in Selection) (parley.AccountID, store.ConversationFilter, error) {
	f := store.ConversationFilter{User: parley.EndUserID(in.UserID), Idle: in.Before}
	if in.AgentID == "" || in.UserID == "" && in.Before == nil {
		return "", f, parley.Failf(parley.CodeInvalidBody, "Say which conversations: their ids, or an agent with a user or a date.")
	}
	account, err := d.DB.OwnerOfAgent(ctx, parley.AgentID(in.AgentID))
	return account, f, err
}

func (d *Desk) countConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) > 0 {
		list, err := d.named(ctx, in)
		n := 0
		for _, b := range list {
			n += len(b.ids)
		}
		return Count{n}, err
	}
	account, f, err := d.filter(ctx, in)
	if err != nil {
		return Count{}, err
	}
	n, err := d.DB.CountConversations(ctx, account, parley.AgentID(in.AgentID), f)
	return Count{n}, err
}

func (d *Desk) deleteConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) == 0 {
		account, f, err := d.filter(ctx, in)
		if err != nil {
			return Count{}, err
		}
		n, err := d.Clerk.DeleteAll(ctx, account, parley.AgentID(in.AgentID), f)
		return Count{n}, err
	}
	list, err := d.named(ctx, in)
	if err != nil {
		return Count{}, err
	}
	var all Count
	for _, b := range list {
		n, err := d.Clerk.Delete(ctx, b.account, b.agent, b.ids, nil)
		all.Conversations += n
		if err != nil {
			return all, err
		}
	}
	return all, nil
}
