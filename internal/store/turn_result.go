package store

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// TurnResult is the stored state of a turn with its answer.
type TurnResult struct {
	parley.Turn
	State   string
	Charged parley.Credits
	UserID  parley.EndUserID // of the conversation
	Answer  *parley.Message  // as it was when the turn ended; nil if there is none
}

var turnResultTable = newTable(`turns t
	join conversations c on c.id = t.conversation_id and c.account_id = t.account_id and c.agent_id = t.agent_id
	  and c.deleted_at is null`, func(t *TurnResult) []field {
	return append(withAlias("t", turnFields(&t.Turn)),
		field{"t.state", &t.State},
		field{"t.charged", nullableNumber(&t.Charged)},
		field{"c.user_id", nullableText(&t.UserID)})
})

// TurnResult finds a turn with its answer. Fails with CONVERSATION_NOT_FOUND when the conversation has gone.
func (db *DB) TurnResult(ctx context.Context, ref parley.AgentRef, id parley.TurnID) (*TurnResult, error) {
	t, err := turnResultTable.find(ctx, db, parley.CodeConversationNotFound, `
		where t.id = ? and t.agent_id = ? and t.account_id = ?`, id, ref.Agent, ref.Account)
	if err != nil {
		return nil, err
	}
	if t.Answer, err = db.turnAnswer(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
}

// turnAnswer reads the turn's message without the results that the client sent to it later.
func (db *DB) turnAnswer(ctx context.Context, t *TurnResult) (*parley.Message, error) {
	m, err := db.findMessage(ctx, t.AccountID.AgentRef(t.AgentID), t.MessageID)
	if m == nil || err != nil || m.FinishReason != "tool-calls" {
		return m, err
	}
	later, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select call_id
		from tool_calls
		where conversation_id = ? and agent_id = ? and account_id = ? and message_id = ? and client_side = 1`,
		t.ConversationID, t.AgentID, t.AccountID, t.MessageID)
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
func (db *DB) findMessage(ctx context.Context, ref parley.AgentRef, id parley.MessageID) (*parley.Message, error) {
	return messageTable.findOrNil(ctx, db, `
		where id = ? and agent_id = ? and account_id = ? and type = 'reply'`, id, ref.Agent, ref.Account)
}

// UnansweredMessage finds a message that nobody answered, with the id of its end user. Fails with
// CONVERSATION_NOT_FOUND when the conversation has gone.
func (db *DB) UnansweredMessage(ctx context.Context, ref parley.AgentRef, id parley.MessageID) (*parley.Message,
	parley.EndUserID, error) {
	m, err := db.findMessage(ctx, ref, id)
	if err != nil {
		return nil, "", err
	}
	if m == nil {
		return nil, "", parley.NewError(parley.CodeConversationNotFound)
	}
	c, err := db.Conversation(ctx, ref.ConversationRef(m.ConversationID))
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	if err != nil {
		return nil, "", err
	}
	return m, c.UserID, nil
}

// UserMessageAnsweredBy returns the user's message that a message of the conversation is, or answers: the last one of
// the user up to it. Fails with CHAT_RETRY_MESSAGE_NOT_FOUND for a message that is not there or has been replaced, and
// with CHAT_RETRY_NO_USER_MESSAGE.
func (db *DB) UserMessageAnsweredBy(ctx context.Context, ref parley.ConversationRef,
	message parley.MessageID) (*parley.Message, error) {
	seq, err := db.activeMessageSeq(ctx, ref, message)
	if err != nil {
		return nil, err
	}
	return messageTable.find(ctx, db, parley.CodeRetryNoUser, `
		where agent_id = ? and conversation_id = ? and account_id = ? and seq <= ? and type = 'reply' and author = ?
		  and superseded_at is null
		order by seq desc
		limit 1`, ref.Agent, ref.Conversation, ref.Account, seq, parley.AuthorUser)
}

// activeMessageSeq finds the number of a message that has not been replaced. The id of an answer that has failed, and
// has left no message, stands for the message that it was to answer.
func (db *DB) activeMessageSeq(ctx context.Context, ref parley.ConversationRef, message parley.MessageID) (seq int64,
	err error) {
	err = db.sql.QueryRow(ctx, `
		select seq
		from messages
		where id in (?, (select user_message_id from turns where message_id = ? and conversation_id = ?
		  and agent_id = ? and account_id = ? and state = 'failed'))
		  and conversation_id = ? and agent_id = ? and account_id = ? and type = 'reply'
		  and superseded_at is null
		order by seq desc
		limit 1`, message, message, ref.Conversation, ref.Agent, ref.Account, ref.Conversation,
		ref.Agent, ref.Account).Scan(&seq)
	return seq, mapNotFound(err, parley.CodeRetryNotFound)
}

// SupersedeMessages removes all messages after the number from the conversation: a new answer takes their place. The
// rows stay, and so do the team's notes and what happened to the ticket.
func (db *DB) SupersedeMessages(ctx context.Context, ref parley.ConversationRef, after int64, now time.Time) error {
	n, err := db.sql.Exec(ctx, `
		update messages set superseded_at = ?
		where agent_id = ? and conversation_id = ? and account_id = ? and seq > ? and type = 'reply'
		  and superseded_at is null`,
		millis(now), ref.Agent, ref.Conversation, ref.Account, after)
	if err != nil || n == 0 {
		return err
	}
	return db.exec(ctx, `
		update conversations set message_count = message_count - ?
		where id = ? and agent_id = ? and account_id = ?`, n, ref.Conversation, ref.Agent, ref.Account)
}

// AnsweredTurn is a turn that ended well: where it is, and what it did.
type AnsweredTurn struct {
	TurnTrace
	ConversationID parley.ConversationID
}

// AnsweredTurns returns the agent's newest turns that ended well, the newest first, at most limit.
func (db *DB) AnsweredTurns(ctx context.Context, ref parley.AgentRef, limit int) ([]AnsweredTurn, error) {
	return answeredTurnTable.list(ctx, db, answeredTurnsRest, ref.Agent, ref.Account, limit)
}

var answeredTurnTable = newTable("turns", func(t *AnsweredTurn) []field {
	return append(turnTraceFields(&t.TurnTrace), field{"conversation_id", &t.ConversationID})
})

// answeredTurnsRest repeats the condition of the index turns_done word by word.
const answeredTurnsRest = `
	where agent_id = ? and account_id = ? and state = 'done'
	order by started_at desc, id desc
	limit ?`
