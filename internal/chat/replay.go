package chat

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// ErrNoAnswer means that a turn ended without an answer: asking again may succeed.
var ErrNoAnswer = errors.New("chat: the turn ended without an answer")

// ReplayTurn returns a turn that has ended: its readers get the same events as when it ran. Fails with ErrNoAnswer,
// with CONVERSATION_NOT_FOUND when its conversation was deleted, or with IDEMPOTENCY_KEY_IN_USE while the turn still
// runs.
func (e *Engine) ReplayTurn(ctx context.Context, ref parley.AgentRef, id parley.TurnID) (*Turn, error) {
	result, err := e.DB.TurnResult(ctx, ref, id)
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
	end := &Finish{Reason: m.FinishReason, Message: m, Credits: result.Charged, Score: m.Score, Citations: m.Citations,
		AnswerState: m.AnswerState}
	t.eventLog.append(append(answerEvents(m), Event{Kind: Finished, Finish: end})...)
	return t, nil
}

// ReplayUnanswered is ReplayTurn for a message to a paused conversation, which has no turn. The reference holds the ids
// of the message and of the answer that was never written, separated by a space; without the latter the answer gets a
// new id.
func (e *Engine) ReplayUnanswered(ctx context.Context, ref parley.AgentRef, reference string) (*Turn, error) {
	message, id, _ := strings.Cut(reference, " ")
	m, user, err := e.DB.UnansweredMessage(ctx, ref, parley.MessageID(message))
	if err != nil {
		return nil, err
	}
	answer := cmp.Or(parley.MessageID(id), parley.NewMessageID())
	t := newEndedTurn(parley.Turn{ID: m.TurnID, AccountID: ref.Account, AgentID: ref.Agent,
		ConversationID: m.ConversationID, UserMessageID: m.ID, MessageID: answer}, user)
	t.eventLog.append(Event{Kind: Finished, Finish: &Finish{Reason: "stop"}})
	return t, nil
}

func newEndedTurn(of parley.Turn, user parley.EndUserID) *Turn {
	t := &Turn{Turn: of, UserID: user, eventLog: &eventLog{}, readersGone: make(chan struct{}), done: make(chan struct{})}
	close(t.done)
	return t
}

// answerEvents returns the events of an answer.
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

// resolveRepeat returns the request as it is to run. A request that failed before under its Idempotency-Key has left
// its message in the conversation, and for a visitor what there was of the answer; while these are still the last, the
// message is answered in place and not stored a second time.
func (e *Engine) resolveRepeat(ctx context.Context, ref parley.AgentRef, req Request) (Request, error) {
	failed := store.FailedTurn(ctx)
	if failed == "" || req.Message == "" || req.ClientConversation != nil || req.Voice != nil {
		return req, nil
	}
	result, err := e.DB.TurnResult(ctx, ref, failed)
	if parley.IsCode(err, parley.CodeConversationNotFound) {
		return req, nil
	}
	if err != nil {
		return req, err
	}
	c, err := e.DB.Conversation(ctx, ref.ConversationRef(result.ConversationID))
	if err != nil || c.Status != parley.ConversationOngoing {
		return req, ignoreCode(err, parley.CodeResourceNotFound)
	}
	last, err := e.DB.RecentMessages(ctx, ref.ConversationRef(result.ConversationID), 0, 1)
	if err != nil || len(last) == 0 {
		return req, err
	}
	return e.repeatInPlace(ctx, req, &result.Turn, &last[0])
}

// repeatInPlace returns the request as it answers the message of a failed turn once more, where nothing follows that
// message but what there was of an answer to it: of this turn, or of one before it.
func (e *Engine) repeatInPlace(ctx context.Context, req Request, failed *parley.Turn,
	last *parley.Message) (Request, error) {
	if last.ID == failed.UserMessageID {
		req.ConversationID, req.repeatedMessageID = failed.ConversationID, failed.UserMessageID
		return req, nil
	}
	if last.State != parley.MessageInterrupted {
		return req, nil
	}
	user, err := e.DB.UserMessageAnsweredBy(ctx, failed.ConversationRef(), last.ID)
	if err == nil && user.ID == failed.UserMessageID {
		req.ConversationID, req.Retry = failed.ConversationID, failed.UserMessageID
		req.Message, req.Files = "", nil
	}
	return req, ignoreCode(ignoreCode(err, parley.CodeRetryNotFound), parley.CodeRetryNoUser)
}

// repeatedMessage returns the message that the turn answers in place. It fails with CHAT_CONVERSATION_BUSY when another
// message follows it meanwhile: the next try stores the message again.
func repeatedMessage(ctx context.Context, db *store.DB, t *Turn) (*parley.Message, error) {
	last, err := db.RecentMessages(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID), 0, 1)
	if err != nil {
		return nil, err
	}
	if len(last) == 0 || last[0].ID != t.request.repeatedMessageID {
		return nil, busyError()
	}
	return &last[0], nil
}

func ignoreCode(err error, code parley.Code) error {
	if parley.IsCode(err, code) {
		return nil
	}
	return err
}

// findInterval is how often a turn that another server runs is looked up again.
const findInterval = 250 * time.Millisecond

// FindTurn returns a turn of the agent, which runs or has ended: its readers get all of its events. A turn of another
// server is waited for to its end. Fails with CONVERSATION_NOT_FOUND, or with CHAT_STREAMING_ERROR where the turn ended
// without an answer.
func (e *Engine) FindTurn(ctx context.Context, ref parley.AgentRef, id parley.TurnID) (*Turn, error) {
	again := time.NewTicker(findInterval)
	defer again.Stop()
	for {
		result, err := e.DB.TurnResult(ctx, ref, id)
		if err != nil {
			return nil, err
		}
		if live := e.liveTurn(conversationKey{ref.Account, ref.Agent, result.ConversationID}); live != nil && live.ID == id {
			return live, nil
		}
		t, err := e.ReplayTurn(ctx, ref, id)
		switch {
		case errors.Is(err, ErrNoAnswer):
			return nil, parley.NewError(parley.CodeChatStreaming)
		case !parley.IsCode(err, parley.CodeKeyInUse):
			return t, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
