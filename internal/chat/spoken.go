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

// VoiceContext says that a message was spoken, and that its answer will be: the agent's instructions for voice hold then, and no tools
// that a client would have to run.
type VoiceContext struct {
	LocalTime time.Time // now, in the customer's time zone: the model is told
	Prepaid   bool      // the minutes of the talk pay for the answer: it costs nothing, and no limit of credits keeps it back
}

// ErrInterrupted ends a turn whose answer the customer has begun to hear and talks over: what there is of it stays, and is paid for.
var ErrInterrupted = fmt.Errorf("chat: the customer talks over the answer: %w", errSuperseded)

// ErrUserContinued ends a turn whose customer had not come to an end yet, before any of the answer was heard: it costs nothing.
var ErrUserContinued = fmt.Errorf("chat: the customer goes on speaking")

// AddAgentMessage keeps what the agent says without being asked, a greeting for instance. It gives the message. Fails with RESOURCE_NOT_FOUND,
// and with CHAT_CONVERSATION_NOT_ONGOING once the conversation has ended.
func (k *Conversations) AddAgentMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, text string) (*parley.Message, error) {
	message := parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: parley.AuthorAssistant, State: parley.MessageComplete, CreatedAt: k.Now()}
	err := k.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, account, agent, id)
		if err != nil {
			return err
		}
		if c.Status == parley.ConversationEnded {
			return parley.NewError(parley.CodeNotOngoing)
		}
		m := message
		if m.Parts, err = redactedParts(ctx, tx, account, agent, text); err != nil {
			return err
		}
		if err := tx.AddMessage(ctx, account, agent, &m, nil); err != nil {
			return err
		}
		tx.SQL().AfterCommit(func() { k.Hub.Wake(id) })
		message.Parts, message.Seq = m.Parts, m.Seq
		return tx.RecordEvents(ctx, account, m.CreatedAt, store.NewEvent{Kind: "message.created", AgentID: agent, ConversationID: id, Subject: string(m.ID)})
	})
	if err != nil {
		return nil, err
	}
	return &message, nil
}

// TruncateMessage cuts a message of the agent to what the customer has heard of it before talking over it: the first bytes of its text, which
// had of bytes when it was spoken. Of a text that was kept otherwise, because personal data is masked, the same share stays. What is
// left counts as interrupted; where nothing is, the message goes. Fails with RESOURCE_NOT_FOUND and RESOURCE_MESSAGE_NOT_FOUND.
func (k *Conversations) TruncateMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, message parley.MessageID, bytes, of int) error {
	now := k.Now()
	return k.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockConversation(ctx, account, agent, id); err != nil {
			return err
		}
		m, err := tx.Message(ctx, account, agent, id, message)
		if err != nil {
			return err
		}
		truncateMessage(m, heardBytes(m.Text(), bytes, of))
		if len(m.Parts) == 0 {
			err = tx.SupersedeMessages(ctx, account, agent, id, m.Seq-1, now)
		} else {
			err = tx.TruncateMessage(ctx, account, agent, m)
		}
		if err != nil {
			return err
		}
		tx.SQL().AfterCommit(func() { k.Hub.Wake(id) })
		return tx.RecordEvents(ctx, account, now, store.NewEvent{Kind: "message.cut", AgentID: agent, ConversationID: id, Subject: string(m.ID)})
	})
}

// heardBytes is how much of the text as it is kept was heard. It ends before a blank where it cannot be told to the letter.
func heardBytes(text string, heard, of int) int {
	if len(text) == of || of <= 0 {
		return max(0, min(heard, len(text)))
	}
	at := int(int64(len(text)) * int64(max(heard, 0)) / int64(of))
	if at >= len(text) {
		return len(text)
	}
	return max(strings.LastIndexAny(text[:at+1], " \n"), 0)
}

// truncateMessage leaves the first bytes of the message's text, and the calls before its end.
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
