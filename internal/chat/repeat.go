package chat

import (
	"context"

	"parley"
	"parley/internal/store"
)

// repeated gives the request as it is to run. One that has failed before under its Idempotency-Key left its message
// in the conversation; while that is still the last word there it is answered where it stands, and not kept a second
// time.
func (e *Engine) repeated(ctx context.Context, account parley.AccountID, agent parley.AgentID, req Request) (Request, error) {
	failed := store.FailedTurn(ctx)
	if failed == "" || req.Message == "" || req.Sent != nil || req.Spoken != nil {
		return req, nil
	}
	told, err := e.DB.Told(ctx, account, agent, failed)
	if parley.IsCode(err, parley.CodeConversationGone) {
		return req, nil
	}
	if err != nil {
		return req, err
	}
	c, err := e.DB.Conversation(ctx, account, agent, told.ConversationID)
	if err != nil || c.Status != parley.Ongoing {
		return req, ignoring(err, parley.CodeResourceNotFound)
	}
	last, err := e.DB.Recall(ctx, account, agent, told.ConversationID, 0, 1)
	if err == nil && len(last) > 0 && last[0].ID == told.UserMessageID {
		req.ConversationID, req.repeats = told.ConversationID, told.UserMessageID
	}
	return req, err
}

// unanswered finds the message that the turn repeats. It fails with CHAT_CONVERSATION_BUSY when something was said
// behind it meanwhile: the next try keeps the message anew.
func unanswered(ctx context.Context, db *store.DB, t *Turn) (*parley.Message, error) {
	last, err := db.Recall(ctx, t.AccountID, t.AgentID, t.ConversationID, 0, 1)
	if err != nil {
		return nil, err
	}
	if len(last) == 0 || last[0].ID != t.request.repeats {
		return nil, busy()
	}
	return &last[0], nil
}

func ignoring(err error, code parley.Code) error {
	if parley.IsCode(err, code) {
		return nil
	}
	return err
}
