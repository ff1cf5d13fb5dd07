package store

import (
	"context"
	"slices"
	"time"

	"parley"
)

var toolCallTable = newTable("tool_calls", func(c *parley.ToolCall) []field {
	return []field{
		{"id", &c.ID},
		{"account_id", &c.AccountID},
		{"agent_id", &c.AgentID},
		{"conversation_id", &c.ConversationID},
		{"message_id", &c.MessageID},
		{"turn_id", &c.TurnID},
		{"call_id", &c.CallID},
		{"tool", &c.Tool},
		{"action_type", &c.Kind},
		{"client_side", &c.RunsOnClient},
		{"input", rawJSONDest{&c.Input}},
		{"output", rawJSONDest{&c.Output}},
		{"status", &c.Status},
		{"created_at", timeDest{&c.CreatedAt}},
		{"answered_at", timePointerDest{&c.AnsweredAt}},
	}
})

var overwriteToolResult = overwrite("id", "output", "status", "answered_at")

// AddToolCalls writes the calls of a turn, or how those ended that are there.
func (db *DB) AddToolCalls(ctx context.Context, calls []parley.ToolCall) error {
	for some := range slices.Chunk(calls, 50) {
		if err := toolCallTable.insert(ctx, db, overwriteToolResult, pointersTo(some)...); err != nil {
			return err
		}
	}
	return nil
}

// ToolCalls lists the calls of a conversation, oldest first.
func (db *DB) ToolCalls(ctx context.Context, ref parley.ConversationRef) ([]parley.ToolCall, error) {
	return toolCallTable.list(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ?
		order by created_at, id`, ref.Conversation, ref.Agent, ref.Account)
}

// SaveToolResult writes the result of a call that runs at the client, in the row and in the message, and returns the
// call. The conversation must be locked. Fails with RESOURCE_TOOL_CALL_NOT_FOUND unless the call waits and is younger
// than parley.ToolResultTimeout.
func (db *DB) SaveToolResult(ctx context.Context, ref parley.ConversationRef, call string, out parley.ToolOutput,
	now time.Time) (*parley.ToolCall, error) {
	c, err := toolCallTable.find(ctx, db, parley.CodeToolCallNotFound, `
		where conversation_id = ? and agent_id = ? and account_id = ? and call_id = ? and client_side = 1
		  and status = ? and created_at > ?`, ref.Conversation, ref.Agent, ref.Account, call, parley.ToolPending,
		millis(now.Add(-parley.ToolResultTimeout)))
	if err != nil {
		return nil, err
	}
	return c, db.closeToolCall(ctx, c, out, now)
}

// FailLostToolCalls ends the calls of a turn that its server did not see to their end: what they did is not known.
func (db *DB) FailLostToolCalls(ctx context.Context, t *parley.Turn, now time.Time) error {
	lost := parley.ToolOutput{Status: parley.ToolError, Error: "the server stopped while the call was being made"}
	return db.exec(ctx, `
		update tool_calls set
		  output = ?,
		  status = ?,
		  answered_at = ?
		where conversation_id = ? and turn_id = ? and agent_id = ? and account_id = ? and client_side = 0
		  and status = ?`, string(lost.JSON()), lost.Status, millis(now), t.ConversationID, t.ID, t.AgentID,
		t.AccountID, parley.ToolPending)
}

// IgnorePendingToolCalls ends the calls of a conversation that still wait for the client: it has gone on without them
// (docs/interface/chat.md#tool-results). The conversation must be locked.
func (db *DB) IgnorePendingToolCalls(ctx context.Context, ref parley.ConversationRef, now time.Time) error {
	waiting, err := toolCallTable.list(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ? and client_side = 1 and status = ?
		order by created_at, id`, ref.Conversation, ref.Agent, ref.Account, parley.ToolPending)
	if err != nil {
		return err
	}
	for i := range waiting {
		if err := db.closeToolCall(ctx, &waiting[i], parley.ToolOutput{Status: parley.ToolIgnored}, now); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) closeToolCall(ctx context.Context, c *parley.ToolCall, out parley.ToolOutput, now time.Time) error {
	err := db.exec(ctx, `
		update tool_calls set
		  output = ?,
		  status = ?,
		  answered_at = ?
		where id = ? and account_id = ? and agent_id = ?`,
		string(out.JSON()), out.Status, millis(now), c.ID, c.AccountID, c.AgentID)
	if err != nil {
		return err
	}
	var parts []parley.Part
	err = db.sql.QueryRow(ctx, `
		select parts
		from messages
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		c.MessageID, c.ConversationID, c.AgentID, c.AccountID).Scan(jsonDest{&parts})
	if err != nil {
		return mapNotFound(err, parley.CodeToolCallNotFound)
	}
	for i, p := range parts {
		if p.Type == "tool-call" && p.ToolCallID == c.CallID {
			parts = slices.Insert(parts, i+1,
				parley.Part{Type: "tool-result", ToolCallID: c.CallID, ToolName: c.Tool, Output: out.JSON()})
			break
		}
	}
	return db.exec(ctx, `
		update messages set parts = ?
		where id = ? and conversation_id = ? and agent_id = ? and account_id = ?`,
		toJSON(parts), c.MessageID, c.ConversationID, c.AgentID, c.AccountID)
}
