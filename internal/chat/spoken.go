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

// Spoken says that a message was spoken, and that its answer will be: the agent's instructions for voice hold then, and no tools
// that a client would have to run.
type Spoken struct {
	At   time.Time // now, in the customer's time zone: the model is told
	Paid bool      // the minutes of the talk pay for the answer: it costs nothing, and no limit of credits keeps it back
}

// ErrTalkedOver ends a turn whose answer the customer has begun to hear and talks over: what there is of it stays, and is paid for.
var ErrTalkedOver = fmt.Errorf("chat: the customer talks over the answer: %w", errSuperseded)

// ErrWentOn ends a turn whose customer had not come to an end yet, before any of the answer was heard: it costs nothing.
var ErrWentOn = fmt.Errorf("chat: the customer goes on speaking")

// Says keeps what the agent says without being asked, a greeting for instance. It gives the message. Fails with RESOURCE_NOT_FOUND,
// and with CHAT_CONVERSATION_NOT_ONGOING once the conversation has ended.
func (k *Clerk) Says(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, text string) (*parley.Message, error) {
	said := parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: parley.ByAssistant, State: parley.MessageComplete, CreatedAt: k.Now()}
	err := k.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, account, agent, id)
		if err != nil {
			return err
		}
		if c.Status == parley.Ended {
			return parley.Fail(parley.CodeNotOngoing)
		}
		m := said
		if m.Parts, err = keptText(ctx, tx, account, agent, text); err != nil {
			return err
		}
		if err := tx.AddMessage(ctx, account, agent, &m, nil); err != nil {
			return err
		}
		tx.SQL().AfterCommit(func() { k.Hub.Wake(id) })
		said.Parts, said.Seq = m.Parts, m.Seq
		return tx.Record(ctx, account, m.CreatedAt, store.Event{Kind: "message.created", AgentID: agent, ConversationID: id, Subject: string(m.ID)})
	})
	if err != nil {
		return nil, err
	}
	return &said, nil
}

// Heard cuts a message of the agent to what the customer has heard of it before talking over it: the first bytes of its text, which
// had of bytes when it was spoken. Of a text that was kept otherwise, because personal data is masked, the same share stays. What is
// left counts as interrupted; where nothing is, the message goes. Fails with RESOURCE_NOT_FOUND and RESOURCE_MESSAGE_NOT_FOUND.
func (k *Clerk) Heard(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, message parley.MessageID, bytes, of int) error {
	now := k.Now()
	return k.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		if _, err := tx.LockConversation(ctx, account, agent, id); err != nil {
			return err
		}
		m, err := tx.Message(ctx, account, agent, id, message)
		if err != nil {
			return err
		}
		cut(m, share(m.Text(), bytes, of))
		if len(m.Parts) == 0 {
			err = tx.Supersede(ctx, account, agent, id, m.Seq-1, now)
		} else {
			err = tx.CutMessage(ctx, account, agent, m)
		}
		if err != nil {
			return err
		}
		tx.SQL().AfterCommit(func() { k.Hub.Wake(id) })
		return tx.Record(ctx, account, now, store.Event{Kind: "message.cut", AgentID: agent, ConversationID: id, Subject: string(m.ID)})
	})
}

// share is how much of the text as it is kept was heard. It ends before a blank where it cannot be told to the letter.
func share(text string, heard, of int) int {
	if len(text) == of || of <= 0 {
		return max(0, min(heard, len(text)))
	}
	at := int(int64(len(text)) * int64(max(heard, 0)) / int64(of))
	if at >= len(text) {
		return len(text)
	}
	return max(strings.LastIndexAny(text[:at+1], " \n"), 0)
}

// cut leaves the first bytes of the message's text, and the calls before its end.
func cut(m *parley.Message, bytes int) {
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
