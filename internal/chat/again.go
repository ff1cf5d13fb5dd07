package chat

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/store"
)

// ErrFailed says that a turn ended without an answer: asking once more may give one.
var ErrFailed = errors.New("chat: the turn ended without an answer")

// Again gives a turn that has ended, to be read from the store as it was read when it ran. Fails with ErrFailed, with
// CONVERSATION_NOT_FOUND when its conversation has gone, or with IDEMPOTENCY_KEY_IN_USE while the turn still runs.
func (e *Engine) Again(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.TurnID) (*Turn, error) {
	told, err := e.DB.Told(ctx, account, agent, id)
	switch {
	case err != nil:
		return nil, err
	case told.State == store.TurnDone || told.State == store.TurnInterrupted:
	case told.State == store.TurnFailed:
		return nil, ErrFailed
	default:
		return nil, store.KeyInUse()
	}
	m := told.Answer
	if m == nil {
		return nil, ErrFailed
	}
	t := ended(told.Turn, told.UserID)
	end := &Finish{Reason: m.FinishReason, Message: m, Credits: told.Charged, Score: m.Score, Citations: m.Citations}
	t.log.append(append(retold(m), Event{Kind: Finished, Finish: end})...)
	return t, nil
}

// Unanswered is Again for a message to a paused conversation, which made no turn. did names the message and the answer that
// there never was, parted by a blank; an answer that is not named gets an id of its own.
func (e *Engine) Unanswered(ctx context.Context, account parley.AccountID, agent parley.AgentID, did string) (*Turn, error) {
	message, id, _ := strings.Cut(did, " ")
	m, user, err := e.DB.Heard(ctx, account, agent, parley.MessageID(message))
	if err != nil {
		return nil, err
	}
	answer := cmp.Or(parley.MessageID(id), parley.NewMessageID())
	t := ended(parley.Turn{ID: m.TurnID, AccountID: account, AgentID: agent, ConversationID: m.ConversationID, UserMessageID: m.ID, MessageID: answer}, user)
	t.log.append(Event{Kind: Finished, Finish: &Finish{Reason: "stop"}})
	return t, nil
}

func ended(of parley.Turn, user parley.EndUserID) *Turn {
	t := &Turn{Turn: of, UserID: user, log: &log{}, left: make(chan struct{}), done: make(chan struct{})}
	close(t.done)
	return t
}

// retold makes the events of an answer from its parts.
func retold(m *parley.Message) []Event {
	var events []Event
	returned := false
	for _, p := range m.Parts {
		if returned && p.Type == "text" {
			events = append(events, Event{Kind: Stepped})
		}
		returned = p.Type == "tool-result"
		call := &parley.ToolCall{CallID: p.ToolCallID, Tool: p.ToolName, Input: p.Input, Output: p.Output}
		switch p.Type {
		case "text":
			events = append(events, Event{Kind: Text, Text: p.Text})
		case "tool-call":
			events = append(events, Event{Kind: Called, Call: call})
		case "tool-result":
			events = append(events, Event{Kind: Returned, Call: call})
		}
	}
	return events
}
