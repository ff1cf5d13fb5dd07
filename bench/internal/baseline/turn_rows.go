package baseline

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"parley"
)

// turnRows is the baseline's database on PostgreSQL: it writes the rows that Parley writes for a turn, into tables that
// are like Parley's, in two transactions, each of them one round trip.
type turnRows struct {
	pool  *pgxpool.Pool
	month string
	trace string // of each turn: as long as Parley's
}

const (
	baselineAccount  = "baseline"
	baselineAgent    = "agent"
	traceBytes       = 1_200
	maxBaselineConns = 20 // as many as Parley has
)

var baselineTables = []string{"accounts", "conversation_counts", "conversations", "messages", "turns", "events",
	"credit_usage", "credit_ledger"}

// openTurnRows opens a database that Parley has migrated. The tables are made in a schema of their own.
func openTurnRows(ctx context.Context, url string) (*turnRows, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["search_path"] = "baseline"
	config.MaxConns = maxBaselineConns
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	r := &turnRows{pool: pool, month: time.Now().UTC().Format("2006-01"), trace: strings.Repeat("t", traceBytes)}
	if err := r.createTables(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return r, nil
}

func (r *turnRows) createTables(ctx context.Context) error {
	statements := []string{"create schema if not exists baseline"}
	for _, table := range baselineTables {
		statements = append(statements, "drop table if exists baseline."+table,
			"create table baseline."+table+" (like public."+table+" including all)")
	}
	statements = append(statements, "insert into accounts (id, name, plan, created_at, updated_at) values ('"+
		baselineAccount+"', 'Baseline', 'unlimited', 0, 0)")
	for _, s := range statements {
		if _, err := r.pool.Exec(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (r *turnRows) close() { r.pool.Close() }

// turnRow is a turn that is being stored.
type turnRow struct {
	rows                                  *turnRows
	id, conversation, userMessage, answer string
	began                                 chan error
}

// begin stores the question, while the model answers it.
func (r *turnRows) begin(ctx context.Context, question string) *turnRow {
	t := &turnRow{rows: r, id: parley.NewUUID(), conversation: parley.NewUUID(), userMessage: parley.NewUUID(),
		answer: parley.NewUUID(), began: make(chan error, 1)}
	go func() { t.began <- r.pool.SendBatch(ctx, t.beginBatch(question)).Close() }()
	return t
}

func (t *turnRow) beginBatch(question string) *pgx.Batch {
	b, now := &pgx.Batch{}, time.Now().UnixMilli()
	b.Queue("begin")
	b.Queue(`insert into conversations (id, account_id, agent_id, face, channel, status, message_count, last_seq,
		last_activity, created_at) values ($1, $2, $3, 'v2', 'api', 'ongoing', 1, 1, $4, $4)`, t.conversation,
		baselineAccount, baselineAgent, now)
	t.queueMessage(b, t.userMessage, 1, "user", question, now)
	b.Queue(`insert into conversation_counts (agent_id, account_id, total, api) values ($1, $2, 1, 1)
		on conflict (agent_id) do update set total = conversation_counts.total + 1,
		api = conversation_counts.api + 1`, baselineAgent, baselineAccount)
	t.queueCredits(b, 0, 1000)
	b.Queue(`insert into turns (id, account_id, agent_id, conversation_id, user_message_id, message_id, state, owner,
		lease_until, month, reserved, started_at) values ($1, $2, $3, $4, $5, $6, 'open', 'baseline', $7, $8, 1000, $7)`,
		t.id, baselineAccount, baselineAgent, t.conversation, t.userMessage, t.answer, now, t.rows.month)
	t.queueEvents(b, 1, now, string(parley.EventConversationCreated), string(parley.EventMessageCreated))
	b.Queue("commit")
	return b
}

// finish stores the answer.
func (t *turnRow) finish(ctx context.Context, answer string) error {
	if err := <-t.began; err != nil {
		return err
	}
	b, now := &pgx.Batch{}, time.Now().UnixMilli()
	b.Queue("begin")
	b.Queue(`update conversations set last_seq = last_seq + 1, message_count = message_count + 1, last_activity = $1
		where id = $2`, now, t.conversation)
	t.queueMessage(b, t.answer, 2, "assistant", answer, now)
	b.Queue(`update turns set state = 'done', ended_at = $1, charged = 1000, trace = $2 where id = $3`, now,
		t.rows.trace, t.id)
	t.queueCredits(b, 1000, -1000)
	b.Queue(`insert into credit_ledger (account_id, agent_id, turn_id, kind, amount, month, at)
		values ($1, $2, $3, 'answer', 1000, $4, $5)`, baselineAccount, baselineAgent, t.id, t.rows.month, now)
	t.queueEvents(b, -1, now, string(parley.EventMessageCreated))
	b.Queue("commit")
	return t.rows.pool.SendBatch(ctx, b).Close()
}

func (t *turnRow) queueMessage(b *pgx.Batch, id string, seq int, author, text string, now int64) {
	parts, _ := json.Marshal([]map[string]string{{"type": "text", "text": text}}) // of texts: it cannot fail
	b.Queue(`insert into messages (id, account_id, agent_id, conversation_id, seq, author, type, state, turn_id, parts,
		created_at) values ($1, $2, $3, $4, $5, $6, 'reply', 'complete', $7, $8, $9)`, id, baselineAccount, baselineAgent,
		t.conversation, seq, author, t.id, string(parts), now)
}

// queueCredits writes the account's row and the agent's.
func (t *turnRow) queueCredits(b *pgx.Batch, used, reserved int64) {
	b.Queue(`insert into credit_usage (account_id, agent_id, month, used, reserved)
		values ($1, '', $3, $4, $5), ($1, $2, $3, $4, $5)
		on conflict (account_id, agent_id, month) do update set used = credit_usage.used + excluded.used,
		reserved = credit_usage.reserved + excluded.reserved`, baselineAccount, baselineAgent, t.rows.month, used, reserved)
}

func (t *turnRow) queueEvents(b *pgx.Batch, turns int, now int64, kinds ...string) {
	b.Queue(`update accounts set event_seq = event_seq + $1, open_turns = open_turns + $2 where id = $3`, len(kinds),
		turns, baselineAccount)
	for i, kind := range kinds {
		b.Queue(`insert into events (account_id, seq, at, kind, agent_id, conversation_id, subject_id, payload)
			select id, event_seq - $1, $2, $3, $4, $5, $6, '{}' from accounts where id = $7`, len(kinds)-1-i, now, kind,
			baselineAgent, t.conversation, t.userMessage, baselineAccount)
	}
}
