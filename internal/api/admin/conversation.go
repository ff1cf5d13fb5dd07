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
	AgentID string `json:"agentId"`
	UserID  string `json:"userId,omitempty"`
	Limit   int    `json:"limit"` // most of them
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
	ID   string `json:"conversationId"`
	Step string `json:"step"` // end, takeover or handback
}

// HumanReply is what a member of the team writes to a customer.
type HumanReply struct {
	ID     string `json:"conversationId"`
	Member string `json:"member"` // e-mail address
	Text   string `json:"text"`
}

// MessageRef names a message.
type MessageRef struct {
	ID string `json:"messageId"`
}

// The verbs on conversations.
var (
	ListConversations   = Command[ConversationQuery, []Conversation]{"conversation.list", false, (*Service).listConversations}
	MoveConversation    = Command[StateChange, Conversation]{"conversation.move", false, (*Service).moveConversation}
	ReplyAsHuman        = Command[HumanReply, MessageRef]{"conversation.reply", false, (*Service).replyAsHuman}
	CountConversations  = Command[Selection, Count]{"conversation.count", false, (*Service).countConversations}
	DeleteConversations = Command[Selection, Count]{"conversation.delete", false, (*Service).deleteConversations}
)

func newConversation(c *parley.Conversation) Conversation {
	return Conversation{ID: string(c.ID), AgentID: string(c.AgentID), Source: string(c.Channel), UserID: string(c.UserID), Status: string(c.Status),
		Paused: c.Paused, Messages: c.MessageCount, CreatedAt: c.CreatedAt, LastActivity: c.UpdatedAt}
}

func (d *Service) listConversations(ctx context.Context, in ConversationQuery) ([]Conversation, error) {
	account, err := d.DB.OwnerOfAgent(ctx, parley.AgentID(in.AgentID))
	if err != nil {
		return nil, err
	}
	filter := store.ConversationFilter{User: parley.EndUserID(in.UserID)}
	page, err := d.DB.Conversations(ctx, account, parley.AgentID(in.AgentID), filter, parley.PageRequest{Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	list := make([]Conversation, len(page.Items))
	for i := range page.Items {
		list[i] = newConversation(&page.Items[i])
	}
	return list, nil
}

// operatorName is who did what is done at this desk.
const operatorName = "operator"

func (d *Service) moveConversation(ctx context.Context, in StateChange) (Conversation, error) {
	id := parley.ConversationID(in.ID)
	account, agent, err := d.DB.OwnerOfConversation(ctx, id)
	if err != nil {
		return Conversation{}, err
	}
	var c *parley.Conversation
	switch in.Step {
	case "end":
		c, err = d.Conversations.End(ctx, account, agent, id, operatorName)
	case "takeover":
		c, err = d.Conversations.TakeOver(ctx, account, agent, id, operatorName, "", false)
	case "handback":
		c, err = d.Conversations.HandBack(ctx, account, agent, id, operatorName)
	default:
		err = parley.NewErrorf(parley.CodeInvalidBody, "A conversation takes no step %q.", in.Step)
	}
	if err != nil {
		return Conversation{}, err
	}
	return newConversation(c), nil
}

func (d *Service) replyAsHuman(ctx context.Context, in HumanReply) (MessageRef, error) {
	id := parley.ConversationID(in.ID)
	account, agent, err := d.DB.OwnerOfConversation(ctx, id)
	if err != nil {
		return MessageRef{}, err
	}
	if strings.TrimSpace(in.Text) == "" {
		return MessageRef{}, parley.NewErrorf(parley.CodeInvalidBody, "A reply must say something.")
	}
	member, err := d.findMember(ctx, account, in.Member)
	if err != nil {
		return MessageRef{}, err
	}
	m, err := d.Conversations.AddHumanReply(ctx, account, agent, id, member, in.Text)
	if err != nil {
		return MessageRef{}, err
	}
	return MessageRef{string(m.ID)}, nil
}

// findMember finds somebody in the account's team by e-mail address.
func (d *Service) findMember(ctx context.Context, account parley.AccountID, email string) (parley.UserID, error) {
	team, err := d.DB.Members(ctx, account)
	if err != nil {
		return "", err
	}
	for _, m := range team {
		if strings.EqualFold(m.User.Email, email) {
			return m.User.ID, nil
		}
	}
	return "", parley.NewErrorf(parley.CodeInvalidBody, "Nobody in the team of the account %s has the e-mail address %s.", account, email)
}
