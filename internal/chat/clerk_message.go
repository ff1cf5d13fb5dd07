package chat

import (
	"context"

	"parley"
	"parley/internal/prose"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// CustomerWrites keeps what the customer writes to the person who has taken the conversation over (decision 26). Fails with
// RESOURCE_NOT_FOUND, and with CONVERSATION_NOT_TAKEN_OVER.
func (k *Clerk) CustomerWrites(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, text string) (*parley.Message, error) {
	return k.write(ctx, account, agent, id, parley.Message{Author: parley.ByUser}, text)
}

// HumanReplies keeps what a member of the team writes to the customer. Fails as CustomerWrites does.
func (k *Clerk) HumanReplies(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, member parley.UserID, text string) (*parley.Message, error) {
	return k.write(ctx, account, agent, id, parley.Message{Author: parley.ByHuman, AuthorID: member}, text)
}

func (k *Clerk) write(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, m parley.Message, text string) (*parley.Message, error) {
	m.ID, m.ConversationID, m.State, m.CreatedAt = parley.NewMessageID(), id, parley.MessageComplete, k.Now()
	var written *parley.Message
	err := k.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, account, agent, id)
		if err != nil {
			return err
		}
		if c.Status != parley.TakenOver {
			return parley.Fail(parley.CodeNotTakenOver)
		}
		said := m
		if said.Parts, err = keptText(ctx, tx, account, agent, text); err != nil {
			return err
		}
		if err := tx.AddMessage(ctx, account, agent, &said, nil); err != nil {
			return err
		}
		if err := tx.AgentSpoke(ctx, account, agent, m.CreatedAt); err != nil {
			return err
		}
		if k.Desk != nil {
			if err := k.Desk.Said(ctx, tx, c, &said); err != nil {
				return err
			}
		}
		if err := tx.Did(ctx, "message:"+string(said.ID)); err != nil {
			return err
		}
		written = &said
		tx.SQL().AfterCommit(func() { k.Hub.Wake(id) })
		return tx.Record(ctx, account, m.CreatedAt, store.Event{Kind: "message.created", AgentID: agent, ConversationID: id, Subject: string(said.ID)})
	})
	if err != nil {
		return nil, err
	}
	return written, nil
}

// keptText is a text as it may be kept: of an agent that masks personal data, without it.
func keptText(ctx context.Context, tx *store.DB, account parley.AccountID, agent parley.AgentID, text string) ([]parley.Part, error) {
	redact, err := tx.Redacts(ctx, account, agent)
	if redact {
		text = prose.Redact(text)
	}
	return []parley.Part{{Type: "text", Text: text}}, err
}

// The ratings of a message.
const (
	Positive = "positive"
	Negative = "negative"
)

// Rate keeps what the end user thinks of one of the assistant's messages; an empty rating takes it back. Fails with
// RESOURCE_NOT_FOUND of the conversation, RESOURCE_MESSAGE_NOT_FOUND and RESOURCE_MESSAGE_NOT_ASSISTANT.
func (k *Clerk) Rate(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, message parley.MessageID, rating string) (*parley.Message, error) {
	now := k.Now()
	var rated *parley.Message
	err := k.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		if _, err := tx.LockConversation(ctx, account, agent, id); err != nil {
			return err
		}
		m, err := tx.Message(ctx, account, agent, id, message)
		if err != nil {
			return err
		}
		if m.Author == parley.ByUser {
			return parley.Fail(parley.CodeNotAssistant)
		}
		if rated = m; m.Feedback == rating {
			return nil
		}
		m.Feedback = rating
		if err := tx.RateMessage(ctx, account, agent, m, now); err != nil {
			return err
		}
		return tx.Record(ctx, account, now, store.Event{Kind: "message.feedback", AgentID: agent, ConversationID: id, Subject: string(m.ID),
			Payload: map[string]string{"feedback": rating}})
	})
	if err != nil {
		return nil, err
	}
	return rated, nil
}
