package chat

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Clerk holds the verbs on conversations that are not turns: what people do with them.
type Clerk struct {
	DB     *store.DB
	Queue  *jobs.Queue
	Hub    *Hub
	Now    func() time.Time
	Logger *slog.Logger
	// Stop cancels the live turn of a conversation on this server. Nil where no turns are made.
	Stop func(parley.AccountID, parley.AgentID, parley.ConversationID)
	Desk Desk // where people work on what was handed to them; may be nil
}

// Desk hears, within the transactions that they happen in, of what concerns the people who take conversations over.
type Desk interface {
	// Said is told of what a customer or a member of the team has written, and of the agent's last words when a person has taken over.
	Said(ctx context.Context, tx *store.DB, c *parley.Conversation, m *parley.Message) error
	// Moved is told that a conversation, which is locked, stands otherwise than it did before.
	Moved(ctx context.Context, tx *store.DB, c *parley.Conversation, from parley.ConversationStatus, by, reason string, now time.Time) error
}

// step changes how a conversation stands. It names the event and what the event tells besides the status; an empty name says that
// there is nothing to change.
type step func(c *parley.Conversation) (event string, about map[string]string, err error)

// move takes a step under the conversation's lock. Fails with RESOURCE_NOT_FOUND.
func (k *Clerk) move(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, take step) (*parley.Conversation, error) {
	now := k.Now()
	var moved *parley.Conversation
	err := k.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, account, agent, id)
		if err != nil {
			return err
		}
		from := c.Status
		event, about, err := take(c)
		if moved = c; err != nil || event == "" {
			return err
		}
		ended, by := int64(0), ""
		if c.Status == parley.Ended {
			ended, by = now.UnixMilli(), about["by"]
		}
		if err := tx.SaveStatus(ctx, c, ended, by); err != nil {
			return err
		}
		if k.Desk != nil && c.Status != from {
			if err := k.Desk.Moved(ctx, tx, c, from, about["by"], about["reason"], now); err != nil {
				return err
			}
		}
		tx.SQL().AfterCommit(func() { k.Hub.Wake(id) })
		payload := map[string]string{"status": string(c.Status)}
		maps.Copy(payload, about)
		return tx.Record(ctx, account, now, store.Event{Kind: event, AgentID: agent, ConversationID: id, Subject: string(id), Payload: payload})
	})
	if err != nil {
		return nil, err
	}
	return moved, nil
}

// Pause keeps the agent from answering, or lets it answer again; what customers write meanwhile is kept (facts 3.2). An answer that
// is being made goes on to its end. Fails with RESOURCE_NOT_FOUND, and with CHAT_CONVERSATION_NOT_ONGOING unless it is ongoing.
func (k *Clerk) Pause(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, paused bool) (*parley.Conversation, error) {
	return k.move(ctx, account, agent, id, func(c *parley.Conversation) (string, map[string]string, error) {
		switch {
		case c.Status != parley.Ongoing:
			return "", nil, parley.Fail(parley.CodeNotOngoing)
		case c.Paused == paused:
			return "", nil, nil
		}
		if c.Paused = paused; paused {
			return "conversation.paused", nil, nil
		}
		return "conversation.resumed", nil, nil
	})
}

// TakeOver gives an ongoing conversation into the hands of a person; one that is in such hands stays there. The answer that is
// being made is cut short, unless going says that it goes on to its end: an answer that hands over has something left to say.
// Fails with RESOURCE_NOT_FOUND, and with CHAT_CONVERSATION_NOT_ONGOING of one that has ended.
func (k *Clerk) TakeOver(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, by, reason string, going bool) (*parley.Conversation, error) {
	c, err := k.move(ctx, account, agent, id, func(c *parley.Conversation) (string, map[string]string, error) {
		switch c.Status {
		case parley.TakenOver:
			return "", nil, nil
		case parley.Ended:
			return "", nil, parley.Fail(parley.CodeNotOngoing)
		case parley.Ongoing:
		}
		c.Status = parley.TakenOver
		return "conversation.taken_over", map[string]string{"by": by, "reason": reason}, nil
	})
	if err == nil && !going {
		err = k.stop(ctx, account, agent, id)
	}
	return c, err
}

// HandBack gives a conversation back to the agent. Fails with RESOURCE_NOT_FOUND, and with CONVERSATION_NOT_TAKEN_OVER.
func (k *Clerk) HandBack(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, by string) (*parley.Conversation, error) {
	return k.move(ctx, account, agent, id, func(c *parley.Conversation) (string, map[string]string, error) {
		if c.Status != parley.TakenOver {
			return "", nil, parley.Fail(parley.CodeNotTakenOver)
		}
		c.Status = parley.Ongoing
		return "conversation.handed_back", map[string]string{"by": by}, nil
	})
}

// End ends a conversation for good; the answer that is being made is cut short. Fails with RESOURCE_NOT_FOUND, and with
// CHAT_CONVERSATION_NOT_ONGOING when it has ended already.
func (k *Clerk) End(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, by string) (*parley.Conversation, error) {
	c, err := k.move(ctx, account, agent, id, func(c *parley.Conversation) (string, map[string]string, error) {
		if c.Status == parley.Ended {
			return "", nil, parley.Fail(parley.CodeNotOngoing)
		}
		c.Status, c.Paused = parley.Ended, false
		return "conversation.ended", map[string]string{"by": by}, nil
	})
	if err == nil {
		err = k.stop(ctx, account, agent, id)
	}
	return c, err
}

// stop cuts the answer that is being made short, on whatever server.
func (k *Clerk) stop(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) error {
	if k.Stop != nil {
		k.Stop(account, agent, id)
	}
	return k.DB.AskStop(ctx, account, id, k.Now())
}
