package chat

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
	"parley/internal/sqldb"
)

const (
	storedConversations = 100_000
	storedMessages      = 10 // of a conversation
	waitingJobs         = 100_000
	rowsPerTransaction  = 5_000
)

// MeasureGrowth measures what a turn costs when the agent has a million messages and a hundred thousand jobs wait,
// beside an empty server: it must not grow.
func MeasureGrowth(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	q := load.Request{Model: stub.InstantModel}
	var field []*load.Contender
	for _, name := range []string{"empty", "full"} {
		s, err := b.NewServer(ctx, name)
		if err != nil {
			return nil, err
		}
		defer func() { s.Stop() }()
		if name == "full" {
			if err := refill(ctx, b, s); err != nil {
				return nil, err
			}
		}
		field = append(field, &load.Contender{Target: s.NewTarget(), Request: q, Process: s.Server})
	}
	series := b.RunInTurns(ctx, connectionCount, field)
	empty, full := series[0], series[1]
	within := report.AtMostTimes(1.15)
	return []report.Row{
		report.ComparedRow("processor time of a turn at 1,000,000 messages and 100,000 waiting jobs (first column: empty)",
			"ms", empty.CPUPerAnswer(), full.CPUPerAnswer(), &within).WithFailures(full.Failures()),
		report.ComparedRow("… p99", "ms", empty.TotalQuantile(.99), full.TotalQuantile(.99), nil),
	}, nil
}

// refill stops the server, fills its database and starts it again.
func refill(ctx context.Context, b *harness.Run, s *harness.Server) (err error) {
	s.Stop()
	b.Logf("  filling a database …")
	if err := fillDatabase(ctx, filepath.Join(s.DataDir, "parley.db"), s.Agents[stub.InstantModel]); err != nil {
		return fmt.Errorf("fill the database: %w", err)
	}
	s.Server, err = b.StartServer(ctx, b.Binary, s.DataDir)
	return err
}

func fillDatabase(ctx context.Context, path, agent string) error {
	db, err := sqldb.Open(ctx, sqldb.Config{URL: path})
	if err != nil {
		return err
	}
	defer db.Close()
	account, err := sqldb.One(ctx, db, sqldb.Column[string], `select account_id from agents where id = ?`, agent)
	if err != nil {
		return err
	}
	now := time.Now().UnixMilli()
	for first := 0; first < storedConversations; first += rowsPerTransaction {
		err := db.Transact(ctx, sqldb.Bulk, func(tx *sqldb.DB) error {
			return fillSome(ctx, tx, account, agent, first, first+rowsPerTransaction, now)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fillSome writes conversations with their messages and turns, and as many jobs, by their numbers.
func fillSome(ctx context.Context, tx *sqldb.DB, account, agent string, from, to int, now int64) error {
	const numbers = `with recursive n(i) as (select cast(? as bigint) union all select i + 1 from n where i + 1 < ?) `
	_, err := tx.Exec(ctx, numbers+`
		insert into conversations (id, account_id, agent_id, face, channel, status, message_count, last_seq, last_activity,
		  created_at)
		select 'c' || i, ?, ?, 'v2', 'api', 'ongoing', ?, ?, ? - i, ? - i from n`,
		from, to, account, agent, storedMessages, storedMessages, now, now)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, numbers+`, m(k) as (select 1 union all select k + 1 from m where k < ?)
		insert into messages (id, account_id, agent_id, conversation_id, seq, author, type, state, turn_id, parts, created_at)
		select lower(hex(randomblob(8))), ?, ?, 'c' || i, k, case when k % 2 = 1 then 'user' else 'assistant' end, 'reply',
		  'complete', 't' || i, '[{"type":"text","text":"The parcel number ' || i || ' is on its way to you."}]', ? - i
		from n, m`, from, to, storedMessages, account, agent, now)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, numbers+`
		insert into turns (id, account_id, agent_id, conversation_id, user_message_id, message_id, state, owner, lease_until,
		  month, reserved, started_at)
		select 't' || i, ?, ?, 'c' || i, '', '', 'done', 'x', 0, '2026-01', 0, ? - i from n`, from, to, account, agent, now)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, numbers+`
		insert into jobs (id, kind, key, account_id, payload, state, run_at, attempts, max_attempts, backoff_ms, created_at,
		  updated_at)
		select 'j' || i, case when i % 2 = 0 then 'other' else 'insight.judge' end, 'j' || i, ?, '{}', 'ready',
		  case when i % 2 = 0 then ? else ? end, 0, 5, 1000, ?, ? from n`,
		from, to, account, now, now+time.Hour.Milliseconds(), now, now)
	return err
}
