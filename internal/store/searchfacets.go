package store

import (
	"context"
	"database/sql"

	"parley"
	"parley/internal/sqldb"
)

// Ran is a tool or a procedure that ran in a conversation.
type Ran struct {
	Name    string
	Kind    parley.ActionKind // of a tool
	Outcome string            // the status of the call, or how the run ended; empty while it is open
}

// Marked is what people left at the messages of a conversation.
type Marked struct {
	Feedback []string // positive, negative
	Human    bool     // a member of the team has written
}

// ToolsRan lists the tools that were called in a conversation, each with its kind and status once.
func (db *DB) ToolsRan(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) ([]Ran, error) {
	return sqldb.All(ctx, db.sql, scanRan, `select distinct tool, action_type, status from tool_calls where conversation_id = ? and agent_id = ? and account_id = ?`,
		conversation, agent, account)
}

// ProceduresRan lists the procedures that ran in a conversation, each with its outcome once.
func (db *DB) ProceduresRan(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) ([]Ran, error) {
	return sqldb.All(ctx, db.sql, scanRan, `select distinct procedure_name, '', coalesce(outcome, '') from procedure_runs
		where conversation_id = ? and agent_id = ? and account_id = ?`, conversation, agent, account)
}

func scanRan(scan sqldb.Scan) (r Ran, err error) {
	err = scan(&r.Name, &r.Kind, &r.Outcome)
	return r, err
}

// marksQuery names the condition of the index messages_marked as it stands there: without the index it would read a whole
// conversation.
const marksQuery = `select distinct feedback, author from messages where agent_id = ? and conversation_id = ? and account_id = ? and type = 'reply' and superseded_at is null
	and (feedback is not null or author = 'human')`

// MarksQuery is what Marks asks, for the test of its plan.
func MarksQuery() string { return marksQuery }

// Marks tells what people left at the messages that a conversation shows.
func (db *DB) Marks(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (m Marked, err error) {
	type mark struct {
		feedback sql.NullString
		author   parley.AuthorKind
	}
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (one mark, err error) {
		err = scan(&one.feedback, &one.author)
		return one, err
	}, marksQuery, agent, conversation, account)
	for _, one := range list {
		if one.feedback.String != "" {
			m.Feedback = append(m.Feedback, one.feedback.String)
		}
		m.Human = m.Human || one.author == parley.ByHuman
	}
	return m, err
}
