package admin

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// ConversationQuery asks for an agent's conversations, newest first.
type ConversationQuery struct {
	AgentID string `path:"agentId"`
	UserID  string `query:"userId"`
	Limit   int    `query:"limit" default:"50" min:"1"` // most of them
}

// Conversation is a conversation as the operator sees it.
type Conversation struct {
	ID           string    `json:"conversationId"`
	AgentID      string    `json:"agentId"`
	Source       string    `json:"source"`
	UserID       string    `json:"userId,omitempty"`
	Status       string    `json:"status"`
	Paused       bool      `json:"paused"`
	Messages     int       `json:"messages"`
	CreatedAt    time.Time `json:"createdAt"`
	LastActivity time.Time `json:"lastActivity"`
}

// StateChange is what an operator does to the state of a conversation.
type StateChange struct {
	ID   string `path:"conversationId" json:"-"`
	Step string `json:"step" enum:"end,takeover,handback"`
}

// HumanReply is what a member of the team writes to a customer.
type HumanReply struct {
	ID     string `path:"conversationId" json:"-"`
	Member string `json:"member"` // e-mail address
	Text   string `json:"text"`
}

// MessageRef names a message.
type MessageRef struct {
	ID string `json:"messageId"`
}

func newConversation(c *parley.Conversation) Conversation {
	return Conversation{
		ID:           string(c.ID),
		AgentID:      string(c.AgentID),
		Source:       string(c.Channel),
		UserID:       string(c.UserID),
		Status:       string(c.Status),
		Paused:       c.Paused,
		Messages:     c.MessageCount,
		CreatedAt:    c.CreatedAt,
		LastActivity: c.UpdatedAt,
	}
}

func (s *Service) listConversations(ctx context.Context, in ConversationQuery) ([]Conversation, error) {
	account, err := s.DB.OwnerOfAgent(ctx, parley.AgentID(in.AgentID))
	if err != nil {
		return nil, err
	}
	filter := store.ConversationFilter{User: parley.EndUserID(in.UserID)}
	request := parley.PageRequest{Limit: in.Limit}
	page, err := s.DB.Conversations(ctx, account.AgentRef(parley.AgentID(in.AgentID)), filter, request)
	if err != nil {
		return nil, err
	}
	list := make([]Conversation, len(page.Items))
	for i := range page.Items {
		list[i] = newConversation(&page.Items[i])
	}
	return list, nil
}

func (s *Service) moveConversation(ctx context.Context, in StateChange) (Conversation, error) {
	id := parley.ConversationID(in.ID)
	account, agent, err := s.DB.OwnerOfConversation(ctx, id)
	if err != nil {
		return Conversation{}, err
	}
	var c *parley.Conversation
	switch in.Step {
	case "end":
		c, err = s.Conversations.End(ctx, account.AgentRef(agent).ConversationRef(id), operatorName)
	case "takeover":
		c, err = s.Conversations.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), operatorName, "", false)
	case "handback":
		c, err = s.Conversations.HandBack(ctx, account.AgentRef(agent).ConversationRef(id), operatorName)
	default:
		err = parley.NewErrorf(parley.CodeInvalidBody, "A conversation takes no step %q.", in.Step)
	}
	if err != nil {
		return Conversation{}, err
	}
	return newConversation(c), nil
}

func (s *Service) replyAsHuman(ctx context.Context, in HumanReply) (MessageRef, error) {
	id := parley.ConversationID(in.ID)
	account, agent, err := s.DB.OwnerOfConversation(ctx, id)
	if err != nil {
		return MessageRef{}, err
	}
	if strings.TrimSpace(in.Text) == "" {
		return MessageRef{}, parley.NewErrorf(parley.CodeInvalidBody, "A reply must say something.")
	}
	member, err := s.findMember(ctx, account, in.Member)
	if err != nil {
		return MessageRef{}, err
	}
	m, err := s.Conversations.AddHumanReply(ctx, account.AgentRef(agent).ConversationRef(id), member, in.Text)
	if err != nil {
		return MessageRef{}, err
	}
	return MessageRef{string(m.ID)}, nil
}

// findMember finds somebody in the account's team by e-mail address.
func (s *Service) findMember(ctx context.Context, account parley.AccountID, email string) (parley.UserID, error) {
	team, err := s.DB.Members(ctx, account)
	if err != nil {
		return "", err
	}
	for _, m := range team {
		if strings.EqualFold(m.User.Email, email) {
			return m.User.ID, nil
		}
	}
	return "", parley.NewErrorf(parley.CodeInvalidBody,
		"Nobody in the team of the account %s has the e-mail address %s.", account, email)
}

// Selection selects conversations: those with the ids, or those of an agent that belong to a user or have had no
// activity since a time. An agent alone selects nothing.
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

// findSelected finds the owners of the selected ids. It fails with CONVERSATION_NOT_FOUND, naming the first id that
// does not exist.
func (s *Service) findSelected(ctx context.Context, in Selection) ([]agentConversations, error) {
	var list []agentConversations
	at := map[parley.AgentID]int{}
	for _, id := range in.IDs {
		account, agent, err := s.DB.OwnerOfConversation(ctx, parley.ConversationID(id))
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

// selectionFilter returns the owner and the filter of a selection without ids.
func (s *Service) selectionFilter(
	ctx context.Context, in Selection,
) (parley.AccountID, store.ConversationFilter, error) {
	f := store.ConversationFilter{User: parley.EndUserID(in.UserID), IdleSince: in.Before}
	if in.AgentID == "" || in.UserID == "" && in.Before == nil {
		return "", f, parley.NewErrorf(parley.CodeInvalidBody,
			"Say which conversations: their ids, or an agent with a user or a date.")
	}
	account, err := s.DB.OwnerOfAgent(ctx, parley.AgentID(in.AgentID))
	return account, f, err
}

func (s *Service) countConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) > 0 {
		list, err := s.findSelected(ctx, in)
		n := 0
		for _, b := range list {
			n += len(b.ids)
		}
		return Count{n}, err
	}
	account, f, err := s.selectionFilter(ctx, in)
	if err != nil {
		return Count{}, err
	}
	n, err := s.DB.CountConversations(ctx, account.AgentRef(parley.AgentID(in.AgentID)), f)
	return Count{n}, err
}

func (s *Service) deleteConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) == 0 {
		account, f, err := s.selectionFilter(ctx, in)
		if err != nil {
			return Count{}, err
		}
		n, err := s.Conversations.DeleteAll(ctx, account.AgentRef(parley.AgentID(in.AgentID)), f)
		return Count{n}, err
	}
	list, err := s.findSelected(ctx, in)
	if err != nil {
		return Count{}, err
	}
	var all Count
	for _, b := range list {
		n, err := s.Conversations.Delete(ctx, b.account.AgentRef(b.agent), b.ids, nil)
		all.Conversations += n
		if err != nil {
			return all, err
		}
	}
	return all, nil
}
