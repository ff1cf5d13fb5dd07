package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/sqldb"
)

// AnsweredTurn is a turn that ended well: where it stands, and what it did.
type AnsweredTurn struct {
	TurnTrace
	ConversationID parley.ConversationID
}

// AnsweredTurns returns the agent's newest turns that ended well, the newest first, at most limit.
func (db *DB) AnsweredTurns(ctx context.Context, account parley.AccountID, agent parley.AgentID, limit int) ([]AnsweredTurn, error) {
	return sqldb.All(ctx, db.sql, scanAnsweredTurn, `select conversation_id, id, message_id, state, trace, started_at from turns
		where agent_id = ? and account_id = ? and state = ? order by started_at desc, id desc limit ?`, agent, account, TurnDone, limit)
}

func scanAnsweredTurn(scan sqldb.Scan) (t AnsweredTurn, err error) {
	var text sql.NullString
	var started int64
	var turn parley.TurnID
	var message parley.MessageID
	var state string
	if err := scan(&t.ConversationID, &turn, &message, &state, &text, &started); err != nil {
		return t, err
	}
	if text.Valid {
		if err := json.Unmarshal([]byte(text.String), &t.Trace); err != nil {
			return t, fmt.Errorf("turn %s: trace: %w", turn, err)
		}
	}
	t.TurnID, t.MessageID, t.State, t.StartedAt = turn, message, state, timeFromMillis(started)
	return t, nil
}
