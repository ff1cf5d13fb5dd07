package chat

import (
	"context"

	"parley"
	"parley/internal/store"
)

// resolveRepeat returns the request as it is to run. One that has failed before under its Idempotency-Key left its message
// in the conversation; while that is still the last word there it is answered where it stands, and not kept a second
// time.
func (e *Engine) resolveRepeat(ctx context.Context, account parley.AccountID, agent parley.AgentID, req Request) (Request, error) {
	failed := store.FailedTurn(ctx)
	if failed == "" || req.Message == "" || req.ClientConversation != nil || req.Voice != nil {
		return req, nil
	}
	result, err := e.DB.TurnResult(ctx, account, agent, failed)
	if parley.IsCode(err, parley.CodeConversationNotFound) {
		return req, nil
	}
	if err != nil {
		return req, err
	}
	c, err := e.DB.Conversation(ctx, account, agent, result.ConversationID)
	if err != nil || c.Status != parley.ConversationOngoing {
		return req, ignoreCode(err, parley.CodeResourceNotFound)
	}
	last, err := e.DB.RecentMessages(ctx, account, agent, result.ConversationID, 0, 1)
	if err == nil && len(last) > 0 && last[0].ID == result.UserMessageID {
		req.ConversationID, req.repeatedMessageID = result.ConversationID, result.UserMessageID
	}
	return req, err
}

// repeatedMessage finds the message that the turn repeats. It fails with CHAT_CONVERSATION_BUSY when something was said
// behind it meanwhile: the next try keeps the message anew.
func repeatedMessage(ctx context.Context, db *store.DB, t *Turn) (*parley.Message, error) {
	last, err := db.RecentMessages(ctx, t.AccountID, t.AgentID, t.ConversationID, 0, 1)
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
