package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/httpapi"
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
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	filter := store.ConversationFilter{User: parley.EndUserID(in.UserID)}
	page, err := s.DB.Conversations(ctx, ref, filter, parley.PageRequest{Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(page.Items, newConversation), nil
}

// findConversation returns the full id of a conversation. It fails with CONVERSATION_NOT_FOUND.
func (s *Service) findConversation(ctx context.Context, id string) (parley.ConversationRef, error) {
	account, agent, err := s.DB.OwnerOfConversation(ctx, parley.ConversationID(id))
	if err == nil && s.checkAccount(account) != nil {
		return parley.ConversationRef{}, parley.NewError(parley.CodeConversationNotFound)
	}
	return account.AgentRef(agent).ConversationRef(parley.ConversationID(id)), err
}

func (s *Service) moveConversation(ctx context.Context, in StateChange) (Conversation, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return Conversation{}, err
	}
	var c *parley.Conversation
	switch in.Step {
	case "end":
		c, err = s.Conversations.End(ctx, ref, s.author())
	case "takeover":
		c, err = s.Conversations.TakeOver(ctx, ref, s.author(), "", false)
	default: // handback
		c, err = s.Conversations.HandBack(ctx, ref, s.author())
	}
	if err != nil {
		return Conversation{}, err
	}
	return newConversation(c), nil
}

func (s *Service) replyAsHuman(ctx context.Context, in HumanReply) (MessageRef, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return MessageRef{}, err
	}
	member, err := s.findAuthor(ctx, ref.Account, in.Member)
	if err != nil {
		return MessageRef{}, err
	}
	m, err := s.Conversations.AddHumanReply(ctx, ref, member, in.Text)
	if err != nil {
		return MessageRef{}, err
	}
	return MessageRef{string(m.ID)}, nil
}

// ConversationPath names a conversation in a path.
type ConversationPath struct {
	ID string `path:"conversationId" json:"-"`
}

func (s *Service) tellTyping(ctx context.Context, in ConversationPath) (NoOutput, error) {
	ref, err := s.findConversation(ctx, in.ID)
	if err != nil {
		return NoOutput{}, err
	}
	s.Conversations.MemberTypes(ref.Account, ref.Conversation)
	return NoOutput{}, nil
}

// findAuthor finds the member who writes, by e-mail address. Members write in their own names only. Fails with
// TEAM_MEMBER_NOT_FOUND.
func (s *Service) findAuthor(ctx context.Context, account parley.AccountID, email string) (parley.UserID, error) {
	user, err := s.findMember(ctx, account, email, parley.CodeMemberNotFound)
	if s.member != nil && (err == nil || parley.IsCode(err, parley.CodeMemberNotFound)) && user != s.member.User {
		return "", parley.NewErrorf(parley.CodeMemberNotFound, "A member writes in their own name only.")
	}
	return user, err
}

// findMember finds a member of the account by e-mail address. Fails with the code.
func (s *Service) findMember(ctx context.Context, account parley.AccountID, email string,
	otherwise parley.Code) (parley.UserID, error) {
	m, err := s.DB.MemberByEmail(ctx, account, email, otherwise)
	if parley.IsCode(err, otherwise) {
		err = parley.NewErrorf(otherwise, "Nobody in the team of the account %s has the e-mail address %s.", account, email)
	}
	if err != nil {
		return "", err
	}
	return m.User.ID, nil
}

// Selection selects conversations: those with the ids, or those of an agent that belong to a user or have had no
// activity since a time. An agent alone selects nothing.
type Selection struct {
	IDs     []string   `json:"conversationIds,omitempty" max:"1000"`
	AgentID string     `json:"agentId,omitempty"`
	UserID  string     `json:"userId,omitempty"`
	Before  *time.Time `json:"before,omitempty"`
}

// Count is a number of conversations.
type Count struct {
	Conversations int `json:"conversations"`
}

// findSelected finds the agents of the selected ids. It fails with CONVERSATION_NOT_FOUND, naming the first id that
// does not exist.
func (s *Service) findSelected(ctx context.Context, in Selection) (map[parley.AgentRef][]parley.ConversationID, error) {
	found := map[parley.AgentRef][]parley.ConversationID{}
	for _, id := range in.IDs {
		ref, err := s.findConversation(ctx, id)
		if parley.IsCode(err, parley.CodeConversationNotFound) {
			return nil, parley.NewErrorf(parley.CodeConversationNotFound, "There is no conversation %q.", id)
		}
		if err != nil {
			return nil, err
		}
		found[ref.AgentRef] = append(found[ref.AgentRef], ref.Conversation)
	}
	return found, nil
}

// selectionFilter returns the agent and the filter of a selection without ids.
func (s *Service) selectionFilter(ctx context.Context,
	in Selection) (ref parley.AgentRef, f store.ConversationFilter, err error) {
	if in.AgentID == "" || in.UserID == "" && in.Before == nil {
		return ref, f, parley.Invalid("conversationIds", "must be named, or an agent with a user or a date")
	}
	ref, err = s.findAgent(ctx, in.AgentID)
	return ref, store.ConversationFilter{User: parley.EndUserID(in.UserID), IdleSince: in.Before}, err
}

func (s *Service) countConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) > 0 {
		found, err := s.findSelected(ctx, in)
		n := 0
		for _, ids := range found {
			n += len(ids)
		}
		return Count{n}, err
	}
	ref, f, err := s.selectionFilter(ctx, in)
	if err != nil {
		return Count{}, err
	}
	n, err := s.DB.CountConversations(ctx, ref, f)
	return Count{n}, err
}

func (s *Service) deleteConversations(ctx context.Context, in Selection) (Count, error) {
	if len(in.IDs) == 0 {
		ref, f, err := s.selectionFilter(ctx, in)
		if err != nil {
			return Count{}, err
		}
		n, err := s.Conversations.DeleteAll(ctx, ref, f)
		return Count{n}, err
	}
	found, err := s.findSelected(ctx, in)
	if err != nil {
		return Count{}, err
	}
	var all Count
	for ref, ids := range found {
		n, err := s.Conversations.Delete(ctx, ref, ids, nil)
		all.Conversations += n
		if err != nil {
			return all, err
		}
	}
	return all, nil
}
