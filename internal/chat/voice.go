package chat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// VoiceContext marks a message of a voice session, whose answer will be spoken: the agent's voice instructions apply,
// and tools that run at the client are not offered.
type VoiceContext struct {
	LocalTime time.Time // now, in the customer's time zone; part of the prompt
	// the minutes of the session pay for the answer: it costs no credits, and no credit limit refuses it
	Prepaid bool
}

// ErrInterrupted cancels a turn whose answer the customer interrupts while hearing it: the text so far is stored and
// charged.
var ErrInterrupted = fmt.Errorf("chat: the customer talks over the answer: %w", errSuperseded)

// ErrUserContinued cancels a turn because the customer went on speaking before any of the answer was played: it costs
// nothing.
var ErrUserContinued = fmt.Errorf("chat: the customer goes on speaking")

// AddAgentMessage stores and returns a message of the agent that answers nothing, such as a greeting. Fails with
// RESOURCE_NOT_FOUND, and with CHAT_CONVERSATION_NOT_ONGOING once the conversation has ended.
func (cs *Conversations) AddAgentMessage(ctx context.Context, ref parley.ConversationRef,
	text string) (*parley.Message, error) {
	message := parley.Message{ID: parley.NewMessageID(), ConversationID: ref.Conversation,
		Author: parley.AuthorAssistant, State: parley.MessageComplete, CreatedAt: cs.Now()}
	err := cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, ref)
		if err != nil {
			return err
		}
		if c.Status == parley.ConversationEnded {
			return parley.NewError(parley.CodeNotOngoing)
		}
		m := message
		if m.Parts, err = redactedParts(ctx, tx, ref.AgentRef, text); err != nil {
			return err
		}
		if err := tx.AddMessage(ctx, ref.AgentRef, &m, nil); err != nil {
			return err
		}
		tx.SQL().AfterCommit(func() { cs.Hub.Wake(ref.Conversation) })
		message.Parts, message.Seq = m.Parts, m.Seq
		return tx.RecordEvents(ctx, ref.Account, m.CreatedAt, store.NewEvent{Kind: parley.EventMessageCreated,
			AgentID: ref.Agent, ConversationID: ref.Conversation, Subject: string(m.ID)})
	})
	if err != nil {
		return nil, err
	}
	return &message, nil
}

// TruncateMessage cuts a message of the agent to what was played of it before the customer interrupted: the first bytes
// of its text, which had of bytes when it was spoken. Of a text that is stored in another form, because personal data
// is masked, the same share stays. The rest counts as interrupted; an empty message is removed. Fails with
// RESOURCE_NOT_FOUND and RESOURCE_MESSAGE_NOT_FOUND.
func (cs *Conversations) TruncateMessage(ctx context.Context, ref parley.ConversationRef, message parley.MessageID,
	bytes, of int) error {
	now := cs.Now()
	return cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockConversation(ctx, ref); err != nil {
			return err
		}
		m, err := tx.Message(ctx, ref, message)
		if err != nil {
			return err
		}
		truncateMessage(m, playedBytes(m.Text(), bytes, of))
		if len(m.Parts) == 0 {
			err = tx.SupersedeMessages(ctx, ref, m.Seq-1, now)
		} else {
			err = tx.TruncateMessage(ctx, ref.AgentRef, m)
		}
		if err != nil {
			return err
		}
		tx.SQL().AfterCommit(func() { cs.Hub.Wake(ref.Conversation) })
		return tx.RecordEvents(ctx, ref.Account, now, store.NewEvent{Kind: parley.EventMessageCut, AgentID: ref.Agent,
			ConversationID: ref.Conversation, Subject: string(m.ID)})
	})
}

// playedBytes returns how many bytes of the stored text were played. Where that is an estimate, it ends before a space.
func playedBytes(text string, played, of int) int {
	if len(text) == of || of <= 0 {
		return max(0, min(played, len(text)))
	}
	at := int(int64(len(text)) * int64(max(played, 0)) / int64(of))
	if at >= len(text) {
		return len(text)
	}
	return max(strings.LastIndexAny(text[:at+1], " \n"), 0)
}

// truncateMessage cuts the message to the first bytes of its text, and to the calls before their end.
func truncateMessage(m *parley.Message, bytes int) {
	left, parts := bytes, m.Parts[:0]
	for _, p := range m.Parts {
		if p.Type == "text" {
			if p.Text = p.Text[:min(left, len(p.Text))]; p.Text == "" {
				continue
			}
			left -= len(p.Text)
		}
		parts = append(parts, p)
	}
	m.Parts, m.State, m.FinishReason = parts, parley.MessageInterrupted, "error"
	citations := m.Citations[:0]
	for _, c := range m.Citations {
		if c.AnswerEnd = min(c.AnswerEnd, bytes); c.AnswerStart < bytes {
			citations = append(citations, c)
		}
	}
	m.Citations = citations
}
