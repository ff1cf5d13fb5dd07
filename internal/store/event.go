package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// NewEvent is an event to be recorded in the transaction in which it happened.
type NewEvent struct {
	Kind           parley.EventKind
	AgentID        parley.AgentID
	ConversationID parley.ConversationID
	Subject        string
	Payload        any // encodes as a JSON object; nil for {}
}

// Event is an event of an account's log. The log is ordered: of two transactions that record events of an account, the
// one that commits later has the later events.
type Event struct {
	Position       EventPosition
	At             time.Time
	Kind           parley.EventKind
	AgentID        parley.AgentID
	ConversationID parley.ConversationID
	Subject        string
	Payload        string // a JSON object
}

// EventPosition is a place in an account's event log: all events up to it have been read. The zero value is its
// beginning.
type EventPosition struct{ seq int64 }

// Compare returns a negative number if p is before q, 0 if they are the same, and a positive one otherwise.
func (p EventPosition) Compare(q EventPosition) int { return cmp.Compare(p.seq, q.seq) }

// Number returns the number of the event at the position: later events of the account have greater ones.
func (p EventPosition) Number() int64 { return p.seq }

// String returns the position as ParseEventPosition reads it.
func (p EventPosition) String() string { return strconv.FormatInt(p.seq, 36) }

// ParseEventPosition reads what String has written.
func ParseEventPosition(text string) (p EventPosition, err error) {
	p.seq, err = strconv.ParseInt(text, 36, 64)
	return p, err
}

var eventTable = newTable("events", func(e *Event) []field {
	return []field{
		{"seq", &e.Position.seq},
		{"at", timeDest{&e.At}},
		{"kind", &e.Kind},
		{"agent_id", nullableText(&e.AgentID)},
		{"conversation_id", nullableText(&e.ConversationID)},
		{"subject_id", &e.Subject},
		{"payload", &e.Payload},
	}
})

// RecordEvents appends events to the account's log. Call it last in a transaction: it locks the account's row until
// commit.
func (db *DB) RecordEvents(ctx context.Context, account parley.AccountID, now time.Time, events ...NewEvent) error {
	_, err := db.recordEventsAndTurns(ctx, account, now, 0, events...)
	return err
}

// recordEventsAndTurns is RecordEvents that in the same statement adds turns to the number of the account's open turns,
// which it returns.
func (db *DB) recordEventsAndTurns(
	ctx context.Context, account parley.AccountID, now time.Time, turns int, events ...NewEvent,
) (open int, err error) {
	err = db.sql.QueryRow(ctx, `
		update accounts set
		  event_seq = event_seq + ?,
		  open_turns = open_turns + ?
		where id = ?
		returning open_turns`, len(events), turns, account).Scan(&open)
	if err != nil {
		return 0, mapNotFound(err, parley.CodeAccountNotFound)
	}
	return open, db.queueEvents(ctx, account, now, events)
}

// queueEventsAndTurns is recordEventsAndTurns of an account that is known to be there. Nothing of it is awaited before
// the commit: PostgreSQL holds the account's row, which all of its turns need, as shortly as it can.
func (db *DB) queueEventsAndTurns(
	ctx context.Context, account parley.AccountID, now time.Time, turns int, events ...NewEvent,
) error {
	err := db.sql.Queue(ctx, `
		update accounts set
		  event_seq = event_seq + ?,
		  open_turns = open_turns + ?
		where id = ?`, len(events), turns, account)
	if err != nil {
		return err
	}
	return db.queueEvents(ctx, account, now, events)
}

// queueEvents writes events whose number has been added to the account's.
func (db *DB) queueEvents(ctx context.Context, account parley.AccountID, now time.Time, events []NewEvent) error {
	if len(events) == 0 {
		return nil
	}
	var args []any
	for i, e := range events {
		payload := "{}"
		if e.Payload != nil {
			payload = toJSON(e.Payload).(string)
		}
		args = append(args, account, account)
		args = append(args, eventTable.args(0, &Event{
			Position: EventPosition{int64(len(events) - 1 - i)}, // before the account's last one
			At:       now, Kind: e.Kind, AgentID: e.AgentID, ConversationID: e.ConversationID, Subject: e.Subject,
			Payload: payload,
		})...)
	}
	const row = `, (?, (select event_seq from accounts where id = ?) - ?, ?, ?, ?, ?, ?, ?)`
	err := db.sql.Queue(ctx, `
		insert into events (
		  account_id,`+eventTable.columns+`
		)
		values `+strings.Repeat(row, len(events))[2:], args...)
	if err == nil {
		db.sql.AfterCommit(func() { db.events.notify(account, events) })
	}
	return err
}

// EventPage is a part of an account's event log.
type EventPage struct {
	Events      []Event // oldest first
	End         EventPosition
	HasMore     bool // events follow after End
	IsTruncated bool // the beginning of the log has been erased up to beyond the position that was asked for
}

// EventsAfter returns the account's events after a position, at most limit. Single events may be missing: those of
// erased conversations and agents are erased with them.
func (db *DB) EventsAfter(
	ctx context.Context, account parley.AccountID, after EventPosition, limit int,
) (page EventPage, err error) {
	last, err := sqldb.One(ctx, db.sql, sqldb.Column[int64], `
		select event_seq
		from accounts
		where id = ?`, account)
	if err != nil {
		return page, mapNotFound(err, parley.CodeAccountNotFound)
	}
	page.End = EventPosition{max(last, after.seq)}
	if last <= after.seq {
		return page, nil
	}
	page.Events, err = eventTable.listFrom(ctx, db, eventsAfterQuery, account, after.seq, last, limit)
	if err != nil || len(page.Events) == 0 {
		return page, err
	}
	if page.HasMore = len(page.Events) == limit; page.HasMore {
		page.End = page.Events[limit-1].Position
	}
	if after.seq == 0 || page.Events[0].Position.seq == after.seq+1 {
		return page, nil
	}
	oldest, err := sqldb.One(ctx, db.sql, sqldb.Column[int64], oldestEventQuery, account)
	page.IsTruncated = oldest > after.seq+1
	return page, err
}

var eventsAfterQuery = eventTable.selectText(`
	where account_id = ? and seq > ? and seq <= ?
	order by seq
	limit ?`)

const oldestEventQuery = `select min(seq) from events where account_id = ?`

// EventLogEnds returns the ends of the accounts' event logs, without those of accounts that do not exist. There must be
// at least one account.
func (db *DB) EventLogEnds(ctx context.Context, accounts []parley.AccountID) (map[parley.AccountID]EventPosition,
	error) {
	args := make([]any, len(accounts))
	for i, account := range accounts {
		args[i] = account
	}
	ends := make(map[parley.AccountID]EventPosition, len(accounts))
	_, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (struct{}, error) {
		var account parley.AccountID
		var end EventPosition
		err := scan(&account, &end.seq)
		ends[account] = end
		return struct{}{}, err
	}, `
		select id, event_seq
		from accounts
		where id in `+placeholders(len(args)), args...)
	return ends, err
}

// EventPosition returns how far the named reader has come in the account's log, and whether it has looked at the log at
// all.
func (db *DB) EventPosition(
	ctx context.Context, name string, account parley.AccountID,
) (position EventPosition, exists bool, err error) {
	position.seq, err = sqldb.One(ctx, db.sql, sqldb.Column[int64], eventPositionQuery, name, account)
	if sqldb.IsNotFound(err) {
		return position, false, nil
	}
	return position, err == nil, err
}

const eventPositionQuery = `select seq from event_positions where name = ? and account_id = ?`

// MoveEventPosition moves the named reader's position in the account's log. It reports false and changes nothing where
// the position is no longer the one that it moves from.
func (db *DB) MoveEventPosition(
	ctx context.Context, name string, account parley.AccountID, from, to EventPosition,
) (bool, error) {
	n, err := db.sql.Exec(ctx, `
		insert into event_positions (name, account_id, seq)
		values (?, ?, ?)
		on conflict (name, account_id) do update set seq = excluded.seq
		where event_positions.seq = ?`, name, account, to.seq, from.seq)
	return n > 0, err
}

// SkipEvents moves the named reader's position to the end of the account's log.
func (db *DB) SkipEvents(ctx context.Context, name string, account parley.AccountID) error {
	return db.exec(ctx, `
		insert into event_positions (name, account_id, seq)
		select ?, id, event_seq
		from accounts
		where id = ?
		on conflict (name, account_id) do update set seq = excluded.seq`, name, account)
}

// AccountsBehind looks at up to limit accounts after an id, in the order of their ids, and returns those in which there
// are events after the named reader's position, or which it has never looked at, and the last id: empty when there are
// no more accounts. It is a job of the installation and is not limited to one account.
func (db *DB) AccountsBehind(
	ctx context.Context, name string, after parley.AccountID, limit int,
) (behind []parley.AccountID, last parley.AccountID, err error) {
	type accountState struct {
		id       parley.AccountID
		isBehind bool
	}
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (a accountState, err error) {
		err = scan(&a.id, &a.isBehind)
		return a, err
	}, accountsBehindQuery, name, after, limit)
	for _, a := range list {
		if a.isBehind {
			behind = append(behind, a.id)
		}
	}
	if len(list) == limit {
		last = list[limit-1].id
	}
	return behind, last, err
}

// accountsBehindQuery looks up each position on its own: a join may read the positions of all accounts.
const accountsBehindQuery = `
	select
	  a.id,
	  case when coalesce( (select p.seq from event_positions p where p.name = ?
	    and p.account_id = a.id), -1 ) < a.event_seq then 1 else 0 end
	from accounts a
	where a.id > ?
	order by a.id
	limit ?`

// AccountsBehindAmong returns those of the accounts in which there are events after the named reader's position. There
// must be at least one account.
func (db *DB) AccountsBehindAmong(ctx context.Context, name string, accounts []parley.AccountID) (
	[]parley.AccountID, error) {
	args := make([]any, 0, len(accounts)+1)
	for _, account := range accounts {
		args = append(args, account)
	}
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.AccountID], accountsBehindAmongQuery(len(accounts)),
		append(args, name)...)
}

func accountsBehindAmongQuery(n int) string {
	return `
		select a.id
		from accounts a
		where a.id in ` + placeholders(n) + `
		  and coalesce( (select p.seq from event_positions p where p.name = ?
		    and p.account_id = a.id), -1 ) < a.event_seq`
}

// eventObservers are called with the events that are recorded in this process.
type eventObservers struct {
	mu   sync.Mutex
	list []*func(parley.AccountID, []NewEvent)
}

// ObserveEvents registers f to be called after each commit that has recorded events in this process, until stop is
// called. f must not block.
func (db *DB) ObserveEvents(f func(account parley.AccountID, events []NewEvent)) (stop func()) {
	o := db.events
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(slices.Clip(o.list), &f)
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		rest := make([]*func(parley.AccountID, []NewEvent), 0, len(o.list))
		for _, other := range o.list {
			if other != &f {
				rest = append(rest, other)
			}
		}
		o.list = rest
	}
}

func (o *eventObservers) notify(account parley.AccountID, events []NewEvent) {
	o.mu.Lock()
	list := o.list
	o.mu.Unlock()
	for _, f := range list {
		(*f)(account, events)
	}
}
