package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// The sweeps are jobs of the installation: they are not limited to one account.

// IgnoreOldToolCalls marks tool calls that have waited since before a moment as ignored, at most limit, and returns
// their number. Their messages are shown so by then without it (parley.Message.Shown).
func (db *DB) IgnoreOldToolCalls(ctx context.Context, before, now time.Time, limit int) (n int64, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		n, err = tx.updateAndRecord(ctx, now, parley.EventToolIgnored, `
			update tool_calls set status = 'ignored'
			where status = 'pending'
			  and id in (select id from tool_calls where status = 'pending' and client_side = 1
			    and created_at < ? order by created_at limit ?)`, millis(before), limit)
		return err
	})
	return n, err
}

// sweptConversation is a conversation in which a sweep has changed something.
type sweptConversation struct {
	account      parley.AccountID
	agent        parley.AgentID
	conversation parley.ConversationID
}

// updateAndRecord runs an update, records an event of each conversation that it has changed, and returns the number of
// rows. Events come in the order of their accounts, so that two sweeps do not wait for each other.
func (db *DB) updateAndRecord(ctx context.Context, now time.Time, kind parley.EventKind, update string,
	args ...any) (n int64,
	err error) {
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (s sweptConversation, err error) {
		err = scan(&s.account, &s.agent, &s.conversation)
		return s, err
	}, update+` returning account_id, agent_id, conversation_id`, args...)
	if err != nil {
		return 0, err
	}
	touched := slices.SortedFunc(slices.Values(list), func(a, b sweptConversation) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.conversation, b.conversation))
	})
	for _, s := range slices.Compact(touched) {
		err := db.RecordEvents(ctx, s.account, now,
			NewEvent{Kind: kind, AgentID: s.agent, ConversationID: s.conversation, Subject: string(s.conversation)})
		if err != nil && !parley.IsCode(err, parley.CodeAccountNotFound) {
			return 0, err
		}
	}
	return int64(len(list)), nil
}

// AbandonOldProcedureRuns ends procedure runs that have been open since before a moment as abandoned, at most limit,
// and returns their number.
func (db *DB) AbandonOldProcedureRuns(ctx context.Context, before, now time.Time, limit int) (n int64, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		n, err = tx.updateAndRecord(ctx, now, parley.EventProcedureAbandoned, `
			update procedure_runs set
			  outcome = ?,
			  state = ?,
			  ended_at = ?
			where outcome is null
			  and id in (select id from procedure_runs where outcome is null
			    and started_at < ? order by started_at limit ?)`,
			string(parley.ProcedureAbandoned), runEnded, millis(now), millis(before), limit)
		return err
	})
	return n, err
}

// ConversationRetention is how long an agent keeps its conversations.
type ConversationRetention struct {
	Account parley.AccountID
	Agent   parley.AgentID
	Days    int64
}

// ConversationRetentions lists the agents that keep conversations for a time only.
func (db *DB) ConversationRetentions(ctx context.Context) ([]ConversationRetention, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (r ConversationRetention, err error) {
		err = scan(&r.Account, &r.Agent, &r.Days)
		return r, err
	}, `
		select account_id, id, retention_days
		from agents
		where retention_days is not null and deleted_at is null
		order by id`)
}
