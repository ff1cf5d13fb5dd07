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

// VisitorDay names the sums that count what a visitor uses on a day. What begins on a day counts there to its end.
type VisitorDay struct {
	Agent   parley.AgentRef
	Visitor parley.VisitorID
	Day     string
}

// VisitorDayOf names the sums of what a visitor begins at a moment.
func VisitorDayOf(ref parley.AgentRef, visitor parley.VisitorID, began time.Time) VisitorDay {
	return VisitorDay{ref, visitor, DayOf(began)}
}

func (d VisitorDay) args(used, reserved parley.Credits) []any {
	return []any{
		d.Agent.Account, d.Agent.Agent, allVisitors, d.Day, int64(used), int64(reserved),
		d.Agent.Account, d.Agent.Agent, d.Visitor, d.Day, int64(used), int64(reserved),
	}
}

// QueueVisitorReservation reserves credits for a visitor, and fails the transaction where check fails with what all
// visitors of the agent have used and reserved on that day by then.
func (db *DB) QueueVisitorReservation(ctx context.Context, d VisitorDay, amount parley.Credits,
	check func(ofAll parley.Credits) error) error {
	return db.sql.QueueRead(ctx, func(rows *sqldb.Rows) error {
		ofAll, err := readCreditsOfAll(rows)
		if err != nil {
			return err
		}
		return check(ofAll)
	}, addVisitorCreditsQuery+`
	returning visitor_id, used + reserved`, d.args(0, amount)...)
}

func readCreditsOfAll(rows *sqldb.Rows) (ofAll parley.Credits, err error) {
	for rows.Next() {
		var visitor parley.VisitorID
		var sum parley.Credits
		if err := rows.Scan(&visitor, &sum); err != nil {
			return 0, err
		}
		if visitor == allVisitors {
			ofAll = sum
		}
	}
	return ofAll, rows.Err()
}

// QueueVisitorCheck fails the transaction where check fails with what a visitor has used and reserved on that day, and
// the same person in other browsers and before the site has shown who it is. It is exact after
// QueueVisitorReservation, which holds the sums of the agent.
func (db *DB) QueueVisitorCheck(ctx context.Context, d VisitorDay, check func(ofVisitor parley.Credits) error) error {
	return db.sql.QueueRead(ctx, func(rows *sqldb.Rows) error {
		var sum parley.Credits
		for rows.Next() {
			if err := rows.Scan(&sum); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		return check(sum)
	}, `
	with own as (
	  select coalesce(merged_into, id) as id from visitors where id = ?
	),
	same as (
	  select id from own
	  union
	  select other.id
	  from own
	  join visitors v on v.id = own.id
	  join visitors other on other.agent_id = v.agent_id and other.user_id = v.user_id
	)
	select cast(coalesce(sum(used + reserved), 0) as bigint)
	from visitor_credits
	where account_id = ? and agent_id = ? and day = ?
	  and visitor_id in (
	    select id from same
	    union
	    select id from visitors where merged_into in (select id from same)
	  )`, d.Visitor, d.Agent.Account, d.Agent.Agent, d.Day)
}

// settleVisitorCredits turns what was reserved for a visitor into what it cost; zero releases it.
func (db *DB) settleVisitorCredits(ctx context.Context, d VisitorDay, reserved, cost parley.Credits) error {
	if d.Visitor == "" {
		return nil
	}
	return db.sql.Queue(ctx, addVisitorCreditsQuery, d.args(cost, -reserved)...)
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
