package store

import (
	"context"
	"database/sql"
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

var turnTable = newTable("turns", turnFields)

func turnFields(t *parley.Turn) []field {
	return []field{
		{"id", &t.ID},
		{"account_id", &t.AccountID},
		{"agent_id", &t.AgentID},
		{"conversation_id", &t.ConversationID},
		{"user_message_id", &t.UserMessageID},
		{"message_id", &t.MessageID},
		{"owner", &t.Owner},
		{"lease_until", timeDest{&t.LeaseUntil}},
		{"reserved", &t.Reserved},
		{"started_at", timeDest{&t.StartedAt}},
		{"visitor_id", nullableText(&t.VisitorID)},
	}
}

// newTurnTable has what is written with a new turn.
var newTurnTable = newTable("turns", func(t *parley.Turn) []field {
	return append(turnFields(t),
		field{"state", "open"},
		field{"month", func() any { return MonthOf(t.StartedAt) }})
})

var createTurnQuery = createTurnQueryOf(newTurnTable.columns, len(newTurnTable.fields(new(parley.Turn))))

func createTurnQueryOf(columns string, count int) string {
	return `
	insert into turns (` + columns + `)
	select ` + strings.Trim(placeholders(count), "()") + `
	from agents
	where id = ? and account_id = ? and deleted_at is null`
}

// CreateTurn writes an open turn and returns the number of the account's open turns, this one included. A second open
// turn of the same conversation is a duplicate. Fails with AGENT_NOT_FOUND once the agent is deleted. Call it last in
// its transaction: it locks the account's row until commit.
func (db *DB) CreateTurn(ctx context.Context, t *parley.Turn, events ...NewEvent) (open int, err error) {
	err = db.sql.QueueCheck(ctx, requireSome(parley.CodeAgentNotFound), createTurnQuery,
		append(newTurnTable.args(2, t), t.AgentID, t.AccountID)...)
	if err != nil {
		return 0, err
	}
	return db.recordEventsAndTurns(ctx, t.AccountID, t.StartedAt, 1, events...)
}

// closedTurn is a turn as it is written when it is over already.
type closedTurn struct {
	parley.Turn
	endedAt time.Time
	charged parley.Credits
	trace   any
}

var closedTurnTable = newTable("turns", func(t *closedTurn) []field {
	return append(turnFields(&t.Turn),
		field{"state", TurnDone},
		field{"month", func() any { return MonthOf(t.StartedAt) }},
		field{"ended_at", timeDest{&t.endedAt}},
		field{"charged", &t.charged},
		field{"trace", &t.trace})
})

var createClosedTurnQuery = createTurnQueryOf(closedTurnTable.columns, len(closedTurnTable.fields(new(closedTurn))))

// CreateClosedTurn is CreateTurn of one that is done already and has cost that much, which QueueCharge has charged.
func (db *DB) CreateClosedTurn(ctx context.Context, t *parley.Turn, cost parley.Credits, trace *parley.Trace,
	now time.Time, events ...NewEvent) (open int, err error) {
	row := closedTurn{Turn: *t, endedAt: now, charged: cost, trace: encodeTrace(trace)}
	err = db.sql.QueueCheck(ctx, requireSome(parley.CodeAgentNotFound), createClosedTurnQuery,
		append(closedTurnTable.args(2, &row), t.AgentID, t.AccountID)...)
	if err != nil {
		return 0, err
	}
	return db.recordEventsAndTurns(ctx, t.AccountID, now, 0, events...)
}

// OpenTurn finds the conversation's open turn, or nil.
func (db *DB) OpenTurn(ctx context.Context, ref parley.ConversationRef) (*parley.Turn, error) {
	return turnTable.findOrNil(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ? and state = 'open'`,
		ref.Conversation, ref.Agent, ref.Account)
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
	err = db.settleVisitorCredits(ctx, VisitorDayOf(t.AgentRef(), t.VisitorID, t.StartedAt), t.Reserved, cost)
	if err != nil {
		return err
	}
	return db.queueEventsAndTurns(ctx, t.AccountID, now, -1, events...)
}

// turnProgress is what readers have seen of the answer of an open turn. It is stored in the column of the trace.
type turnProgress struct {
	Parts []parley.Part `json:"seen"`
}

// SaveTurnProgress stores what readers have seen of the answer. Of a turn that has ended nothing is stored.
func (db *DB) SaveTurnProgress(ctx context.Context, t *parley.Turn, parts []parley.Part) error {
	return db.exec(ctx, saveProgressQuery, toJSON(turnProgress{parts}), t.ID, t.AccountID, t.Owner)
}

const saveProgressQuery = `
	update turns set trace = ?
	where id = ? and account_id = ? and owner = ? and state = 'open'`

// TurnProgress returns what readers have seen of the answer of an open turn; nil for nothing.
func (db *DB) TurnProgress(ctx context.Context, t *parley.Turn) ([]parley.Part, error) {
	var seen turnProgress
	err := db.sql.QueryRow(ctx, progressQuery, t.ID, t.AccountID).Scan(jsonDest{&seen})
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return seen.Parts, err
}

const progressQuery = `
	select trace
	from turns
	where id = ? and account_id = ? and state = 'open'`

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
		err := db.exec(ctx, `
			update turns set lease_until = ?
			where owner = ? and state = 'open' and id in `+placeholders(len(some)),
			append([]any{millis(until), owner}, toAny(some)...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// RequestTurnCancel asks the turn's owner, another server, to end it if nobody reads it any more.
func (db *DB) RequestTurnCancel(ctx context.Context, account parley.AccountID, id parley.TurnID, now time.Time) error {
	return db.exec(ctx, `
		update turns set cancel_asked_at = ?
		where id = ? and account_id = ? and state = 'open' and cancel_asked_at is null`,
		millis(now), id, account)
}

// RequestTurnStop asks the owner of a conversation's open turn, which may be another server, to end it.
func (db *DB) RequestTurnStop(ctx context.Context, ref parley.ConversationRef, now time.Time) error {
	return db.exec(ctx, `
		update turns set cancel_asked_at = ?
		where conversation_id = ? and agent_id = ? and account_id = ? and state = 'open'`,
		millis(now), ref.Conversation, ref.Agent, ref.Account)
}

// CancelRequestedTurns lists the owner's open turns that are asked to end. The value says whether that is because the
// conversation is no longer the agent's to answer.
func (db *DB) CancelRequestedTurns(ctx context.Context, owner string) (map[parley.TurnID]bool, error) {
	type cancelRequest struct {
		turn   parley.TurnID
		isOver bool
	}
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (r cancelRequest, err error) {
		err = scan(&r.turn, &r.isOver)
		return r, err
	}, `
		select t.id, case when c.id is null or c.status <> ? or c.deleted_at is not null then 1 else 0 end
		from turns t
		left join conversations c on c.id = t.conversation_id
		where t.state = 'open' and t.owner = ? and t.cancel_asked_at is not null`, parley.ConversationOngoing, owner)
	all := map[parley.TurnID]bool{}
	for _, r := range list {
		all[r.turn] = r.isOver
	}
	return all, err
}

// ExpireOtherTurnLeases ends the leases of all owners but this one: at the start of a server that alone holds the
// database, every other owner is dead.
func (db *DB) ExpireOtherTurnLeases(ctx context.Context, owner string) error {
	return db.exec(ctx, `
		update turns set lease_until = 0
		where owner <> ? and state = 'open'`, owner)
}

// ExpiredTurns lists open turns whose lease has run out, oldest first, at most limit.
func (db *DB) ExpiredTurns(ctx context.Context, now time.Time, limit int) ([]parley.Turn, error) {
	return turnTable.list(ctx, db, `
		where state = 'open' and lease_until < ?
		order by lease_until
		limit ?`, millis(now), limit)
}

// TurnTrace is one turn's trace with when it ran and what it cost.
type TurnTrace struct {
	parley.Trace
	StartedAt time.Time
	Charged   parley.Credits
}

// TurnTraces returns what each turn of a conversation did, oldest first. It is the operator's view and asks for no
// account.
func (db *DB) TurnTraces(ctx context.Context, conversation parley.ConversationID) ([]TurnTrace, error) {
	return turnTraceTable.list(ctx, db, `
		where conversation_id = ? and agent_id = (select agent_id from conversations where id = ?)
		order by started_at, id`, conversation, conversation)
}

var turnTraceTable = newTable("turns", turnTraceFields)

func turnTraceFields(t *TurnTrace) []field {
	return []field{
		{"id", &t.TurnID},
		{"message_id", &t.MessageID},
		{"state", &t.State},
		{"trace", traceDest{&t.Trace}},
		{"started_at", timeDest{&t.StartedAt}},
		{"coalesce(charged, 0)", &t.Charged},
	}
}
