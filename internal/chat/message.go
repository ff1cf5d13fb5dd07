package chat

import (
	"context"
	"strings"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/text/redact"
)

// AddCustomerMessage stores what the customer writes to the person who has taken the conversation over. Fails with
// RESOURCE_NOT_FOUND, and with CONVERSATION_NOT_TAKEN_OVER.
func (cs *Conversations) AddCustomerMessage(ctx context.Context, ref parley.ConversationRef,
	text string) (*parley.Message, error) {
	return cs.addMessage(ctx, ref, parley.Message{Author: parley.AuthorUser}, text)
}

// AddHumanReply stores what a member of the team writes to the customer. Fails as AddCustomerMessage does, and with
// VALIDATION_INVALID_BODY of an empty text.
func (cs *Conversations) AddHumanReply(ctx context.Context, ref parley.ConversationRef, member parley.UserID,
	text string) (*parley.Message, error) {
	if strings.TrimSpace(text) == "" {
		return nil, parley.Invalid("text", "must say something")
	}
	return cs.addMessage(ctx, ref, parley.Message{Author: parley.AuthorHuman, AuthorID: member}, text)
}

func (cs *Conversations) addMessage(ctx context.Context, ref parley.ConversationRef, m parley.Message,
	text string) (*parley.Message, error) {
	m.ID, m.ConversationID, m.State, m.CreatedAt = parley.NewMessageID(), ref.Conversation, parley.MessageComplete,
		cs.Now()
	var added *parley.Message
	err := cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, ref)
		if err != nil {
			return err
		}
		if c.Status != parley.ConversationTakenOver {
			return parley.NewError(parley.CodeNotTakenOver)
		}
		message := m
		if message.Parts, err = redactedParts(ctx, tx, ref.AgentRef, text); err != nil {
			return err
		}
		if err := tx.AddMessage(ctx, ref.AgentRef, &message, nil); err != nil {
			return err
		}
		if err := tx.TouchAgent(ctx, ref.AgentRef, m.CreatedAt); err != nil {
			return err
		}
		if cs.HandoverObserver != nil {
			if err := cs.HandoverObserver.MessageWritten(ctx, tx, c, &message); err != nil {
				return err
			}
		}
		if err := tx.CompleteClaim(ctx, "message:"+string(message.ID)); err != nil {
			return err
		}
		added = &message
		tx.SQL().AfterCommit(func() { cs.Hub.Wake(ref.Conversation) })
		return tx.RecordEvents(ctx, ref.Account, m.CreatedAt, store.NewEvent{Kind: parley.EventMessageCreated,
			AgentID: ref.Agent, ConversationID: ref.Conversation, Subject: string(message.ID)})
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// redactedParts returns a text as it may be stored: without personal data where the agent masks it.
func redactedParts(ctx context.Context, tx *store.DB, ref parley.AgentRef, text string) ([]parley.Part, error) {
	mustRedact, err := tx.AgentRedacts(ctx, ref)
	if mustRedact {
		text = redact.Text(text)
	}
	return []parley.Part{{Type: "text", Text: text}}, err
}

// Rate stores the end user's rating of one of the assistant's messages; an empty rating removes it. Fails with
// RESOURCE_NOT_FOUND of the conversation, RESOURCE_MESSAGE_NOT_FOUND and RESOURCE_MESSAGE_NOT_ASSISTANT.
func (cs *Conversations) Rate(ctx context.Context, ref parley.ConversationRef, message parley.MessageID,
	rating string) (*parley.Message, error) {
	now := cs.Now()
	var rated *parley.Message
	err := cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockConversation(ctx, ref); err != nil {
			return err
		}
		m, err := tx.Message(ctx, ref, message)
		if err != nil {
			return err
		}
		if m.Author == parley.AuthorUser {
			return parley.NewError(parley.CodeNotAssistant)
		}
		if rated = m; m.Feedback == rating {
			return nil
		}
		m.Feedback = rating
		if err := tx.RateMessage(ctx, ref.AgentRef, m, now); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, ref.Account, now, store.NewEvent{Kind: parley.EventMessageFeedback, AgentID: ref.Agent,
			ConversationID: ref.Conversation, Subject: string(m.ID),
			Payload: map[string]string{"feedback": rating}})
	})
	if err != nil {
		return nil, err
	}
	return rated, nil
}
