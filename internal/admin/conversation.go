package admin

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// ConversationsOf asks for an agent's conversations, newest first.
type ConversationsOf struct {
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

// Step is what an operator does to the state of a conversation.
type Step struct {
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
	ListConversations   = Verb[ConversationsOf, []Conversation]{"conversation.list", false, (*Desk).conversations}
	MoveConversation    = Verb[Step, Conversation]{"conversation.move", false, (*Desk).moveConversation}
	ReplyAsHuman        = Verb[HumanReply, MessageRef]{"conversation.reply", false, (*Desk).replyAsHuman}
	CountConversations  = Verb[Selection, Count]{"conversation.count", false, (*Desk).countConversations}
	DeleteConversations = Verb[Selection, Count]{"conversation.delete", false, (*Desk).deleteConversations}
)

func conversationOf(c *parley.Conversation) Conversation {
	return Conversation{ID: string(c.ID), AgentID: string(c.AgentID), Source: string(c.Channel), UserID: string(c.UserID), Status: string(c.Status),
		Paused: c.Paused, Messages: c.MessageCount, CreatedAt: c.CreatedAt, LastActivity: c.UpdatedAt}
}

func (d *Desk) conversations(ctx context.Context, in ConversationsOf) ([]Conversation, error) {
	account, err := d.DB.OwnerOfAgent(ctx, parley.AgentID(in.AgentID))
	if err != nil {
		return nil, err
	}
	filter := store.ConversationFilter{User: parley.EndUserID(in.UserID)}
	page, err := d.DB.Conversations(ctx, account, parley.AgentID(in.AgentID), filter, parley.PageAsk{Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	list := make([]Conversation, len(page.Items))
	for i := range page.Items {
		list[i] = conversationOf(&page.Items[i])
	}
	return list, nil
}

// operator is who did what is done at this desk.
const operator = "operator"

func (d *Desk) moveConversation(ctx context.Context, in Step) (Conversation, error) {
	id := parley.ConversationID(in.ID)
	account, agent, err := d.DB.OwnerOfConversation(ctx, id)
	if err != nil {
		return Conversation{}, err
	}
	var c *parley.Conversation
	switch in.Step {
	case "end":
		c, err = d.Clerk.End(ctx, account, agent, id, operator)
	case "takeover":
		c, err = d.Clerk.TakeOver(ctx, account, agent, id, operator, "", false)
	case "handback":
		c, err = d.Clerk.HandBack(ctx, account, agent, id, operator)
	default:
		err = parley.Failf(parley.CodeInvalidBody, "A conversation takes no step %q.", in.Step)
	}
	if err != nil {
		return Conversation{}, err
	}
	return conversationOf(c), nil
}

func (d *Desk) replyAsHuman(ctx context.Context, in HumanReply) (MessageRef, error) {
	id := parley.ConversationID(in.ID)
	account, agent, err := d.DB.OwnerOfConversation(ctx, id)
	if err != nil {
		return MessageRef{}, err
	}
	if strings.TrimSpace(in.Text) == "" {
		return MessageRef{}, parley.Failf(parley.CodeInvalidBody, "A reply must say something.")
	}
	member, err := d.member(ctx, account, in.Member)
	if err != nil {
		return MessageRef{}, err
	}
	m, err := d.Clerk.HumanReplies(ctx, account, agent, id, member, in.Text)
	if err != nil {
		return MessageRef{}, err
	}
	return MessageRef{string(m.ID)}, nil
}

// member finds somebody in the account's team by e-mail address.
func (d *Desk) member(ctx context.Context, account parley.AccountID, email string) (parley.UserID, error) {
	team, err := d.DB.Members(ctx, account)
	if err != nil {
		return "", err
	}
	for _, m := range team {
		if strings.EqualFold(m.User.Email, email) {
			return m.User.ID, nil
		}
	}
	return "", parley.Failf(parley.CodeInvalidBody, "Nobody in the team of the account %s has the e-mail address %s.", account, email)
}
