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

// agentConversations are conversations of one agent.
type agentConversations struct {
	account parley.AccountID
	agent   parley.AgentID
	ids     []parley.ConversationID
}

// findSelected finds the owners of the selected ids. Fails with CONVERSATION_NOT_FOUND, naming the first that is not there.
func (d *Service) findSelected(ctx context.Context, in Selection) ([]agentConversations, error) {
	var list []agentConversations
	at := map[parley.AgentID]int{}
	for _, id := range in.IDs {
		account, agent, err := d.DB.OwnerOfConversation(ctx, parley.ConversationID(id))
		if parley.IsCode(err, parley.CodeConversationNotFound) {
			return nil, parley.NewErrorf(parley.CodeConversationNotFound, "There is no conversation %q.", id)
		}
		if err != nil {
			return nil, err
		}
		if _, ok := at[agent]; !ok {
			at[agent] = len(list)
			list = append(list, agentConversations{account: account, agent: agent})
		}
		list[at[agent]].ids = append(list[at[agent]].ids, parley.ConversationID(id))
	}
	return list, nil
}

// selectionFilter is the selection without ids.
func (d *Service) selectionFilter(ctx context.Context, in Selection) (parley.AccountID, store.ConversationFilter, error) {
	f := store.ConversationFilter{User: parley.EndUserID(in.UserID), IdleSince: in.Before}
	if in.AgentID == "" || in.UserID == "" && in.Before == nil {
		return "", f, parley.NewErrorf(parley.CodeInvalidBody, "Say which conversations: their ids, or an agent with a user or a date.")
	}
	account, err := d.DB.OwnerOfAgent(ctx, parley.AgentID(in.AgentID))
	return account, f, err
}

func (d *Service) countConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) > 0 {
		list, err := d.findSelected(ctx, in)
		n := 0
		for _, b := range list {
			n += len(b.ids)
		}
		return Count{n}, err
	}
	account, f, err := d.selectionFilter(ctx, in)
	if err != nil {
		return Count{}, err
	}
	n, err := d.DB.CountConversations(ctx, account, parley.AgentID(in.AgentID), f)
	return Count{n}, err
}

func (d *Service) deleteConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) == 0 {
		account, f, err := d.selectionFilter(ctx, in)
		if err != nil {
			return Count{}, err
		}
		n, err := d.Conversations.DeleteAll(ctx, account, parley.AgentID(in.AgentID), f)
		return Count{n}, err
	}
	list, err := d.findSelected(ctx, in)
	if err != nil {
		return Count{}, err
	}
	var all Count
	for _, b := range list {
		n, err := d.Conversations.Delete(ctx, b.account, b.agent, b.ids, nil)
		all.Conversations += n
		if err != nil {
			return all, err
		}
	}
	return all, nil
}
