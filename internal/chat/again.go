package chat

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/store"
)

// ErrNoAnswer says that a turn ended without an answer: asking once more may give one.
var ErrNoAnswer = errors.New("chat: the turn ended without an answer")

// ReplayTurn returns a turn that has ended, to be read from the store as it was read when it ran. Fails with ErrNoAnswer, with
// CONVERSATION_NOT_FOUND when its conversation has gone, or with IDEMPOTENCY_KEY_IN_USE while the turn still runs.
func (e *Engine) ReplayTurn(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.TurnID) (*Turn, error) {
	result, err := e.DB.TurnResult(ctx, account, agent, id)
	switch {
	case err != nil:
		return nil, err
	case result.State == store.TurnDone || result.State == store.TurnInterrupted:
	case result.State == store.TurnFailed:
		return nil, ErrNoAnswer
	default:
		return nil, store.KeyInUseError()
	}
	m := result.Answer
	if m == nil {
		return nil, ErrNoAnswer
	}
	t := newEndedTurn(result.Turn, result.UserID)
	end := &Finish{Reason: m.FinishReason, Message: m, Credits: result.Charged, Score: m.Score, Citations: m.Citations}
	t.eventLog.append(append(answerEvents(m), Event{Kind: Finished, Finish: end})...)
	return t, nil
}

// ReplayUnanswered is Again for a message to a paused conversation, which made no turn. did names the message and the answer that
// there never was, parted by a blank; an answer that is not named gets an id of its own.
func (e *Engine) ReplayUnanswered(ctx context.Context, account parley.AccountID, agent parley.AgentID, reference string) (*Turn, error) {
	message, id, _ := strings.Cut(reference, " ")
	m, user, err := e.DB.UnansweredMessage(ctx, account, agent, parley.MessageID(message))
	if err != nil {
		return nil, err
	}
	answer := cmp.Or(parley.MessageID(id), parley.NewMessageID())
	t := newEndedTurn(parley.Turn{ID: m.TurnID, AccountID: account, AgentID: agent, ConversationID: m.ConversationID, UserMessageID: m.ID, MessageID: answer}, user)
	t.eventLog.append(Event{Kind: Finished, Finish: &Finish{Reason: "stop"}})
	return t, nil
}

func newEndedTurn(of parley.Turn, user parley.EndUserID) *Turn {
	t := &Turn{Turn: of, UserID: user, eventLog: &eventLog{}, readersGone: make(chan struct{}), done: make(chan struct{})}
	close(t.done)
	return t
}

// answerEvents makes the events of an answer from its parts.
func answerEvents(m *parley.Message) []Event {
	var events []Event
	returned := false
	for _, p := range m.Parts {
		if returned && p.Type == "text" {
			events = append(events, Event{Kind: NextRound})
		}
		returned = p.Type == "tool-result"
		call := &parley.ToolCall{CallID: p.ToolCallID, Tool: p.ToolName, Input: p.Input, Output: p.Output}
		switch p.Type {
		case "text":
			events = append(events, Event{Kind: Text, Text: p.Text})
		case "tool-call":
			events = append(events, Event{Kind: ToolCalled, Call: call})
		case "tool-result":
			events = append(events, Event{Kind: ToolReturned, Call: call})
		}
	}
	return events
}
