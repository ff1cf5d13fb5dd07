package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"parley"
	"parley/internal/sqldb"
)

// TurnResult is a turn as it stands in the store.
type TurnResult struct {
	parley.Turn
	State   string
	Charged parley.Credits
	UserID  parley.EndUserID // of the conversation
	Answer  *parley.Message  // as it was when the turn ended; nil where there is none
}

// TurnResult finds a turn with its answer. Fails with CONVERSATION_NOT_FOUND when the conversation has gone.
func (db *DB) TurnResult(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.TurnID) (*TurnResult, error) {
	t := &TurnResult{Turn: parley.Turn{ID: id, AccountID: account, AgentID: agent}}
	var charged sql.NullInt64
	var user sql.NullString
	err := db.sql.QueryRow(ctx, `select t.conversation_id, t.user_message_id, t.message_id, t.state, t.charged, c.user_id from turns t
		join conversations c on c.id = t.conversation_id and c.account_id = t.account_id and c.agent_id = t.agent_id and c.deleted_at is null
		where t.id = ? and t.agent_id = ? and t.account_id = ?`, id, agent, account).Scan(&t.ConversationID, &t.UserMessageID, &t.MessageID, &t.State, &charged, &user)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeConversationNotFound)
	}
	t.Charged, t.UserID = parley.Credits(charged.Int64), parley.EndUserID(user.String)
	if t.Answer, err = db.turnAnswer(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
}

// turnAnswer reads the turn's message without the results that the client sent to it later.
func (db *DB) turnAnswer(ctx context.Context, t *TurnResult) (*parley.Message, error) {
	m, err := db.findMessage(ctx, t.AccountID, t.AgentID, t.MessageID)
	if m == nil || err != nil || m.FinishReason != "tool-calls" {
		return m, err
	}
	later, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `select call_id from tool_calls where conversation_id = ? and agent_id = ? and account_id = ?
		and message_id = ? and client_side = 1`, t.ConversationID, t.AgentID, t.AccountID, t.MessageID)
	if err != nil {
		return nil, err
	}
	m.Parts = withoutResults(m.Parts, later)
	return m, nil
}

func withoutResults(parts []parley.Part, calls []string) []parley.Part {
	var remaining []parley.Part
	for _, p := range parts {
		if p.Type != "tool-result" || !slices.Contains(calls, p.ToolCallID) {
			remaining = append(remaining, p)
		}
	}
	return remaining
}

// findMessage finds a message of the agent, or nil.
func (db *DB) findMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.MessageID) (*parley.Message, error) {
	m, err := scanMessage(db.sql.QueryRow(ctx, `select `+messageColumns+` from messages where id = ? and agent_id = ? and account_id = ? and type = 'reply'`, id, agent, account))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return m, err
}

// UnansweredMessage finds a message that nobody answered, with the id of its end user. Fails with CONVERSATION_NOT_FOUND when the
// conversation has gone.
func (db *DB) UnansweredMessage(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.MessageID) (*parley.Message, parley.EndUserID, error) {
	m, err := db.findMessage(ctx, account, agent, id)
	if err != nil {
		return nil, "", err
	}
	if m == nil {
		return nil, "", parley.NewError(parley.CodeConversationNotFound)
	}
	c, err := db.Conversation(ctx, account, agent, m.ConversationID)
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	if err != nil {
		return nil, "", err
	}
	return m, c.UserID, nil
}
