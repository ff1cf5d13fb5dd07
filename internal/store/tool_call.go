package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// AddToolCalls writes the calls of a turn, or how those ended that are there.
func (db *DB) AddToolCalls(ctx context.Context, calls []parley.ToolCall) error {
	for some := range slices.Chunk(calls, 50) {
		var args []any
		for _, c := range some {
			args = append(args, c.ID, c.AccountID, c.AgentID, c.ConversationID, c.MessageID, c.TurnID, c.CallID, c.Tool,
				c.Kind, boolToInt(c.RunsOnClient),
				toJSON(c.Input), toJSON(c.Output), c.Status, millis(c.CreatedAt), millisOrNil(c.AnsweredAt))
		}
		marks := strings.Repeat(", (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", len(some))[2:]
		if _, err := db.sql.Exec(ctx, `
			insert into tool_calls (
			  id,
			  account_id,
			  agent_id,
			  conversation_id,
			  message_id,
			  turn_id,
			  call_id,
			  tool,
			  action_type,
			  client_side,
			  input,
			  output,
			  status,
			  created_at,
			  answered_at
			)
			values `+marks+`
				on conflict (id) do update set
				  output = excluded.output,
				  status = excluded.status,
				  answered_at = excluded.answered_at`, args...); err != nil {
			return err
		}
	}
	return nil
}

const toolCallColumns = `
  id,
  account_id,
  agent_id,
  conversation_id,
  message_id,
  turn_id,
  call_id,
  tool,
  action_type,
  client_side,
  input,
  output,
  status,
  created_at,
  answered_at`

func scanToolCall(scan sqldb.Scan) (c parley.ToolCall, err error) {
	err = scan(
		&c.ID,
		&c.AccountID,
		&c.AgentID,
		&c.ConversationID,
		&c.MessageID,
		&c.TurnID,
		&c.CallID,
		&c.Tool,
		&c.Kind,
		&c.RunsOnClient,
		rawJSONDest{&c.Input},
		rawJSONDest{&c.Output},
		&c.Status,
		timeDest{&c.CreatedAt},
		timePointerDest{&c.AnsweredAt},
	)
	return c, err
}

// ToolCalls lists the calls of a conversation, oldest first.
func (db *DB) ToolCalls(ctx context.Context, ref parley.ConversationRef) ([]parley.ToolCall, error) {
	return sqldb.All(ctx, db.sql, scanToolCall, `
		select `+toolCallColumns+`
		from tool_calls
		where conversation_id = ? and agent_id = ? and account_id = ?
		order by created_at, id`, ref.Conversation, ref.Agent, ref.Account)
}

// SaveToolResult returns a call that runs at the client its result, in the row and in the message. The conversation
// must be locked. Fails with RESOURCE_TOOL_CALL_NOT_FOUND unless the call waits and is younger than
// parley.ToolResultTimeout.
func (db *DB) SaveToolResult(ctx context.Context, ref parley.ConversationRef, call string, out parley.ToolOutput,
	now time.Time) error {
	c, err := sqldb.One(ctx, db.sql, scanToolCall, `
		select `+toolCallColumns+`
		from tool_calls
		where conversation_id = ? and agent_id = ? and account_id = ? and call_id = ? and client_side = 1
		  and status = ? and created_at > ?`, ref.Conversation, ref.Agent, ref.Account, call, parley.ToolPending,
		millis(now.Add(-parley.ToolResultTimeout)))
	if err != nil {
		return mapNotFound(err, parley.CodeToolCallNotFound)
	}
	return db.closeToolCall(ctx, c, out, now)
}

// FailLostToolCalls ends the calls of a turn that its server did not see to their end: what they did is not known.
func (db *DB) FailLostToolCalls(ctx context.Context, t *parley.Turn, now time.Time) error {
	lost := parley.ToolOutput{Status: parley.ToolError, Error: "the server stopped while the call was being made"}
	_, err := db.sql.Exec(ctx, `
		update tool_calls set
		  output = ?,
		  status = ?,
		  answered_at = ?
		where conversation_id = ? and turn_id = ? and agent_id = ? and account_id = ? and client_side = 0
		  and status = ?`, string(lost.JSON()), lost.Status, millis(now), t.ConversationID, t.ID, t.AgentID,
		t.AccountID, parley.ToolPending)
	return err
}

// IgnorePendingToolCalls ends the calls of a conversation that still wait for the client: it has gone on without them
// (docs/interface/chat.md#tool-results). The conversation must be locked.
func (db *DB) IgnorePendingToolCalls(ctx context.Context, ref parley.ConversationRef, now time.Time) error {
	waiting, err := sqldb.All(ctx, db.sql, scanToolCall, `
		select `+toolCallColumns+`
		from tool_calls
		where conversation_id = ? and agent_id = ? and account_id = ? and client_side = 1 and status = ?
		order by created_at, id`, ref.Conversation, ref.Agent, ref.Account, parley.ToolPending)
	if err != nil {
		return err
	}
	for _, c := range waiting {
		if err := db.closeToolCall(ctx, c, parley.ToolOutput{Status: parley.ToolIgnored}, now); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) closeToolCall(ctx context.Context, c parley.ToolCall, out parley.ToolOutput, now time.Time) error {
	_, err := db.sql.Exec(ctx, `
		update tool_calls set
		  output = ?,
		  status = ?,
		  answered_at = ?
		where id = ? and account_id = ? and agent_id = ?`,
		string(out.JSON()), out.Status, millis(now), c.ID, c.AccountID, c.AgentID)
	if err != nil {
		return err
	}
	var text string
	err = db.sql.QueryRow(ctx, `
		select parts
		from messages
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		c.MessageID, c.ConversationID, c.AgentID, c.AccountID).Scan(&text)
	if err != nil {
		return mapNotFound(err, parley.CodeToolCallNotFound)
	}
	var parts []parley.Part
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		return err
	}
	for i, p := range parts {
		if p.Type == "tool-call" && p.ToolCallID == c.CallID {
			parts = slices.Insert(parts, i+1,
				parley.Part{Type: "tool-result", ToolCallID: c.CallID, ToolName: c.Tool, Output: out.JSON()})
			break
		}
	}
	_, err = db.sql.Exec(ctx, `
		update messages set parts = ?
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		toJSON(parts), c.MessageID, c.ConversationID, c.AgentID, c.AccountID)
	return err
}
