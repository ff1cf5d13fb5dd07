package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// How a turn ends.
const (
	TurnDone        = "done"
	TurnFailed      = "failed"
	TurnInterrupted = "interrupted"
)

// ErrTurnLost is the failure to close a turn that is no longer its owner's: it was recovered after its lease ran out.
var ErrTurnLost = errors.New("store: the turn's lease was lost")

// CreateTurn writes an open turn and returns the number of the account's open turns, this one included. A second open
// turn of the same conversation is a duplicate. Fails with AGENT_NOT_FOUND once the agent is deleted. Call it last in
// its transaction: it locks the account's row until commit.
func (db *DB) CreateTurn(ctx context.Context, t *parley.Turn, events ...NewEvent) (open int, err error) {
	err = db.sql.QueueCheck(ctx, requireSome(parley.CodeAgentNotFound), `
		insert into turns (
		  id,
		  account_id,
		  agent_id,
		  conversation_id,
		  user_message_id,
		  message_id,
		  state,
		  owner,
		  lease_until,
		  month,
		  reserved,
		  started_at
		)
		select ?, account_id, id, ?, ?, ?, 'open', ?, ?, ?, ?, ?
		from agents
		where id = ? and account_id = ? and deleted_at is null`,
		t.ID, t.ConversationID, t.UserMessageID, t.MessageID, t.Owner, millis(t.LeaseUntil), MonthOf(t.StartedAt),
		int64(t.Reserved), millis(t.StartedAt), t.AgentID, t.AccountID)
	if err != nil {
		return 0, err
	}
	return db.recordEventsAndTurns(ctx, t.AccountID, t.StartedAt, 1, events...)
}

const turnColumns = `
  id,
  account_id,
  agent_id,
  conversation_id,
  user_message_id,
  message_id,
  owner,
  lease_until,
  reserved,
  started_at`

func scanTurn(scan sqldb.Scan) (t parley.Turn, err error) {
	err = scan(
		&t.ID,
		&t.AccountID,
		&t.AgentID,
		&t.ConversationID,
		&t.UserMessageID,
		&t.MessageID,
		&t.Owner,
		timeDest{&t.LeaseUntil},
		&t.Reserved,
		timeDest{&t.StartedAt},
	)
	return t, err
}

// OpenTurn finds the conversation's open turn, or nil.
func (db *DB) OpenTurn(ctx context.Context, account parley.AccountID, conversation parley.ConversationID) (*parley.Turn,
	error) {
	t, err := sqldb.One(ctx, db.sql, scanTurn, `select `+turnColumns+`
		from turns
		where conversation_id = ? and account_id = ? and state = 'open'`, conversation, account)
	if err != nil {
		if sqldb.IsNotFound(err) {
			return nil, nil
		}
		return nil, err
	}
	return &t, nil
}

// CloseTurn ends the turn, settles its credits and records the events. Fails with ErrTurnLost when another server has
// ended it. Call it last in its transaction: it locks the account's row until commit.
func (db *DB) CloseTurn(ctx context.Context, t *parley.Turn, state string, cost parley.Credits, trace *parley.Trace,
	now time.Time, events ...NewEvent) error {
	var traceText any
	if trace != nil {
		traceText = encodeTrace(trace)
	}
	err := db.sql.QueueCheck(ctx, requireTurn, `
		update turns set
		  state = ?,
		  ended_at = ?,
		  charged = ?,
		  trace = ?
		where id = ? and account_id = ? and owner = ? and state = 'open'`,
		state, millis(now), int64(cost), traceText, t.ID, t.AccountID, t.Owner)
	if err != nil {
		return err
	}
	if err := db.settleCredits(ctx, t, cost, now); err != nil {
		return err
	}
	return db.queueEventsAndTurns(ctx, t.AccountID, now, -1, events...)
}

func requireTurn(affected int64) error {
	if affected == 0 {
		return ErrTurnLost
	}
	return nil
}

// TurnState returns the state of a turn: open, or how it ended.
func (db *DB) TurnState(ctx context.Context, account parley.AccountID, id parley.TurnID) (state string, err error) {
	err = db.sql.QueryRow(ctx, `select state from turns where id = ? and account_id = ?`, id, account).Scan(&state)
	return state, err
}

// RenewTurnLeases renews the leases of these open turns of the owner. A turn that its owner has lost is not renewed, so
// its lease runs out and recovery finds it.
func (db *DB) RenewTurnLeases(ctx context.Context, owner string, turns []parley.TurnID, until time.Time) error {
	for some := range slices.Chunk(turns, 100) {
		args := []any{millis(until), owner}
		for _, id := range some {
			args = append(args, id)
		}
		marks := strings.Repeat(", ?", len(some))[2:]
		if _, err := db.sql.Exec(ctx, `update turns set lease_until = ? where owner = ? and state = 'open' and id in (`+
			marks+`)`, args...); err != nil {
			return err
		}
	}
	return nil
}

// RequestTurnCancel asks the turn's owner, another server, to end it if nobody reads it any more.
func (db *DB) RequestTurnCancel(ctx context.Context, account parley.AccountID, id parley.TurnID, now time.Time) error {
	_, err := db.sql.Exec(ctx, `
		update turns set cancel_asked_at = ?
		where id = ? and account_id = ? and state = 'open' and cancel_asked_at is null`,
		millis(now), id, account)
	return err
}

// RequestTurnStop asks the owner of a conversation's open turn, which may be another server, to end it.
func (db *DB) RequestTurnStop(ctx context.Context, account parley.AccountID, conversation parley.ConversationID,
	now time.Time) error {
	_, err := db.sql.Exec(ctx, `
		update turns set cancel_asked_at = ?
		where conversation_id = ? and account_id = ? and state = 'open'`,
		millis(now), conversation, account)
	return err
}

// CancelRequestedTurns lists the owner's open turns that are asked to end. The value says whether that is because the
// conversation is no longer the agent's to answer.
func (db *DB) CancelRequestedTurns(ctx context.Context, owner string) (map[parley.TurnID]bool, error) {
	type asked struct {
		id   parley.TurnID
		over bool
	}
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (a asked, err error) {
		err = scan(&a.id, &a.over)
		return a, err
	}, `
		select t.id, case when c.id is null or c.status <> ? or c.deleted_at is not null then 1 else 0 end
		from turns t
		left join conversations c on c.id = t.conversation_id
		where t.state = 'open' and t.owner = ? and t.cancel_asked_at is not null`, parley.ConversationOngoing, owner)
	all := map[parley.TurnID]bool{}
	for _, a := range list {
		all[a.id] = a.over
	}
	return all, err
}

// ExpireOtherTurnLeases ends the leases of all owners but this one: at the start of a server that alone holds the
// database, every other owner is dead.
func (db *DB) ExpireOtherTurnLeases(ctx context.Context, owner string) error {
	_, err := db.sql.Exec(ctx, `update turns set lease_until = 0 where owner <> ? and state = 'open'`, owner)
	return err
}

// ExpiredTurns lists open turns whose lease has run out, oldest first, at most limit.
func (db *DB) ExpiredTurns(ctx context.Context, now time.Time, limit int) ([]parley.Turn, error) {
	return sqldb.All(ctx, db.sql, scanTurn, `select `+turnColumns+`
		from turns
		where state = 'open' and lease_until < ?
		order by lease_until
		limit ?`, millis(now), limit)
}

// TurnTrace is one turn's trace with when it ran.
type TurnTrace struct {
	parley.Trace
	StartedAt time.Time
}

// TurnTraces returns what each turn of a conversation did, oldest first. It is the operator's view and asks for no
// account.
func (db *DB) TurnTraces(ctx context.Context, conversation parley.ConversationID) ([]TurnTrace, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (t TurnTrace, err error) {
		err = scan(turnTraceDests(&t)...)
		return t, err
	}, `
		select
		  id,
		  message_id,
		  state,
		  trace,
		  started_at
		from turns
		where conversation_id = ? and agent_id = (select agent_id from conversations where id = ?)
		order by started_at, id`, conversation, conversation)
}

func turnTraceDests(t *TurnTrace) []any {
	return []any{
		&t.TurnID,
		&t.MessageID,
		&t.State,
		traceDest{&t.Trace},
		timeDest{&t.StartedAt},
	}
}
