package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// MaxCountedCalls is how far the calls of a tool are counted: that many mean that many or more.
const MaxCountedCalls = 1000

// ToolCount says how often a tool was called.
type ToolCount struct {
	Tool            string
	Calls, Failures int // at most MaxCountedCalls
}

// CountToolCalls counts the calls of each action and each procedure of an agent since a time.
func (db *DB) CountToolCalls(ctx context.Context, ref parley.AgentRef, since time.Time) ([]ToolCount, error) {
	const counts = `
		(select count(*) from (select 1 from tool_calls c
		  where c.agent_id = t.agent_id and c.account_id = t.account_id and c.tool = t.name
		    and c.status in ('success', 'error', 'ignored', 'pending') and c.created_at >= ?
		  limit ?) calls),
		(select count(*) from (select 1 from tool_calls c
		  where c.agent_id = t.agent_id and c.account_id = t.account_id and c.tool = t.name
		    and c.status = 'error' and c.created_at >= ?
		  limit ?) failures)`
	from, limit := millis(since), MaxCountedCalls
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (u ToolCount, err error) {
		err = scan(&u.Tool, &u.Calls, &u.Failures)
		return u, err
	}, `
		select t.name, `+counts+` from actions t where t.agent_id = ? and t.account_id = ?
		union all
		select t.name, `+counts+` from procedures t where t.agent_id = ? and t.account_id = ?`,
		from, limit, from, limit, ref.Agent, ref.Account, from, limit, from, limit, ref.Agent, ref.Account)
}

// ToolFailure is a call of a tool that failed.
type ToolFailure struct {
	At           time.Time             `json:"at"`
	Conversation parley.ConversationID `json:"conversationId"`
	Channel      parley.Channel        `json:"channel"`
	Error        string                `json:"error"`
}

// ToolFailures lists the last calls of a tool that failed, the newest first.
func (db *DB) ToolFailures(ctx context.Context, ref parley.AgentRef, tool string, limit int) ([]ToolFailure, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (f ToolFailure, err error) {
		var out parley.ToolOutput
		err = scan(timeDest{&f.At}, &f.Conversation, &f.Channel, jsonDest{&out})
		f.Error = out.Error
		return f, err
	}, `
		select c.created_at, c.conversation_id, v.channel, c.output
		from tool_calls c
		join conversations v on v.id = c.conversation_id and v.account_id = c.account_id and v.agent_id = c.agent_id
		where c.agent_id = ? and c.account_id = ? and c.tool = ? and c.status = 'error' and v.deleted_at is null
		order by c.created_at desc
		limit ?`, ref.Agent, ref.Account, tool, limit)
}
