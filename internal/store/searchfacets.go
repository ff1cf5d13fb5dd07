package store

import (
	"context"
	"database/sql"

	"parley"
	"parley/internal/sqldb"
)

// ToolUse is a tool or a procedure that ran in a conversation.
type ToolUse struct {
	Name    string
	Kind    parley.ActionKind // of a tool
	Outcome string            // the status of the call, or how the run ended; empty while it is open
}

// ConversationFeedback is what people left at the messages of a conversation.
type ConversationFeedback struct {
	Ratings       []string // positive, negative
	HasHumanReply bool     // a member of the team has written
}

// ToolUses lists the tools that were called in a conversation, each with its kind and status once.
func (db *DB) ToolUses(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) ([]ToolUse, error) {
	return sqldb.All(ctx, db.sql, scanToolUse, `select distinct tool, action_type, status from tool_calls where conversation_id = ? and agent_id = ? and account_id = ?`,
		conversation, agent, account)
}

// ProcedureUses lists the procedures that ran in a conversation, each with its outcome once.
func (db *DB) ProcedureUses(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) ([]ToolUse, error) {
	return sqldb.All(ctx, db.sql, scanToolUse, `select distinct procedure_name, '', coalesce(outcome, '') from procedure_runs
		where conversation_id = ? and agent_id = ? and account_id = ?`, conversation, agent, account)
}

func scanToolUse(scan sqldb.Scan) (r ToolUse, err error) {
	err = scan(&r.Name, &r.Kind, &r.Outcome)
	return r, err
}

// feedbackQuery names the condition of the index messages_marked as it stands there: without the index it would read a whole
// conversation.
const feedbackQuery = `select distinct feedback, author from messages where agent_id = ? and conversation_id = ? and account_id = ? and type = 'reply' and superseded_at is null
	and (feedback is not null or author = 'human')`

// FeedbackQuery is what Marks asks, for the test of its plan.
func FeedbackQuery() string { return feedbackQuery }

// ConversationFeedback tells what people left at the messages that a conversation shows.
func (db *DB) ConversationFeedback(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (m ConversationFeedback, err error) {
	type mark struct {
		feedback sql.NullString
		author   parley.AuthorKind
	}
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (one mark, err error) {
		err = scan(&one.feedback, &one.author)
		return one, err
	}, feedbackQuery, agent, conversation, account)
	for _, one := range list {
		if one.feedback.String != "" {
			m.Ratings = append(m.Ratings, one.feedback.String)
		}
		m.HasHumanReply = m.HasHumanReply || one.author == parley.AuthorHuman
	}
	return m, err
}
