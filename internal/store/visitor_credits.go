package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// DayOf returns the calendar day (UTC) that the credits of visitors are counted in: "2026-11-23".
func DayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// allVisitors is the row that counts for all visitors of an agent.
const allVisitors parley.VisitorID = ""

// addVisitorCreditsQuery adds to what the visitors of an agent have used and reserved. It takes the row of all visitors
// first, so that no two transactions wait for each other.
const addVisitorCreditsQuery = `
	insert into visitor_credits (
	  account_id,
	  agent_id,
	  visitor_id,
	  day,
	  used,
	  reserved
	)
	values (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?)
	on conflict (account_id, agent_id, visitor_id, day) do update set
	  used = visitor_credits.used + excluded.used,
	  reserved = visitor_credits.reserved + excluded.reserved`

func visitorCreditsArgs(t *parley.Turn, used, reserved parley.Credits) []any {
	day := DayOf(t.StartedAt)
	return []any{
		t.AccountID, t.AgentID, allVisitors, day, int64(used), int64(reserved),
		t.AccountID, t.AgentID, t.VisitorID, day, int64(used), int64(reserved),
	}
}

// QueueVisitorReservation reserves the credits of a visitor's turn, and fails the transaction where check fails with
// what all visitors of the agent and this one have used and reserved on that day by then.
func (db *DB) QueueVisitorReservation(ctx context.Context, t *parley.Turn,
	check func(ofAll, ofVisitor parley.Credits) error) error {
	return db.sql.QueueRead(ctx, func(rows *sqldb.Rows) error {
		ofAll, ofVisitor, err := readVisitorCredits(rows)
		if err != nil {
			return err
		}
		return check(ofAll, ofVisitor)
	}, addVisitorCreditsQuery+`
	returning visitor_id, used + reserved`, visitorCreditsArgs(t, 0, t.Reserved)...)
}

func readVisitorCredits(rows *sqldb.Rows) (ofAll, ofVisitor parley.Credits, err error) {
	for rows.Next() {
		var visitor parley.VisitorID
		var sum parley.Credits
		if err := rows.Scan(&visitor, &sum); err != nil {
			return 0, 0, err
		}
		if visitor == allVisitors {
			ofAll = sum
		} else {
			ofVisitor = sum
		}
	}
	return ofAll, ofVisitor, rows.Err()
}

// settleVisitorCredits turns the reservation of a visitor's turn into what it cost; zero releases it.
func (db *DB) settleVisitorCredits(ctx context.Context, t *parley.Turn, cost parley.Credits) error {
	if t.VisitorID == "" {
		return nil
	}
	return db.sql.Queue(ctx, addVisitorCreditsQuery, visitorCreditsArgs(t, cost, -t.Reserved)...)
}

// OpenTurnsOfVisitor returns how many answers are being written for a visitor.
func (db *DB) OpenTurnsOfVisitor(ctx context.Context, ref parley.AgentRef, id parley.VisitorID) (int, error) {
	return db.count(ctx, `
		from turns
		where visitor_id = ? and agent_id = ? and account_id = ? and state = 'open'`, id, ref.Agent, ref.Account)
}

// keptDays is how long the credits of visitors are kept: turns that began on a day may end on the next.
const keptDays = 7

// EraseOldVisitorCredits erases the sums of days that are past, in chunks in the bulk lane.
func (db *DB) EraseOldVisitorCredits(ctx context.Context, now time.Time) error {
	return db.execInChunks(ctx, `
		delete from visitor_credits
		where (account_id, agent_id, visitor_id, day) in (
		  select account_id, agent_id, visitor_id, day
		  from visitor_credits
		  where day < ?
		  order by day
		  limit ?)`, DayOf(now.AddDate(0, 0, -keptDays)))
}
