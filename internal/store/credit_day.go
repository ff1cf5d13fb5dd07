package store

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// creditDaysKept is how long days of credits are kept: the month and the twelve before it.
const creditDaysKept = 400

// CreditDay is what an agent has used on a day.
type CreditDay struct {
	Day   string // UTC: "2026-11-24"
	Agent parley.AgentID
	Used  parley.Credits
}

var creditDayTable = newTable("credit_days", func(d *CreditDay) []field {
	return []field{{"day", &d.Day}, {"agent_id", &d.Agent}, {"used", &d.Used}}
})

// queueCreditDay counts what was used on its day: the account's row before the agent's, as addCreditsQuery does.
func (db *DB) queueCreditDay(ctx context.Context, s settlement, now time.Time) error {
	day := dayInMonth(s.month, now)
	return db.sql.Queue(ctx, `
		insert into credit_days (
		  account_id,
		  day,
		  agent_id,
		  used
		)
		values (?, ?, ?, ?), (?, ?, ?, ?)
		on conflict (account_id, day, agent_id) do update set
		  used = credit_days.used + excluded.used`,
		s.agent.Account, day, wholeAccount, int64(s.cost),
		s.agent.Account, day, s.agent.Agent, int64(s.cost))
}

// dayInMonth returns the day of a moment, or the last day of the month that credits belong to where it is later, so
// that the days of a month add up to the month.
func dayInMonth(month string, now time.Time) string {
	day := DayOf(now)
	if begin, err := time.Parse("2006-01", month); err == nil && !strings.HasPrefix(day, month) {
		return DayOf(begin.AddDate(0, 1, -1))
	}
	return day
}

// CreditDays lists what an account has used on days, or one of its agents where it is named. Days without any use are
// left out.
func (db *DB) CreditDays(ctx context.Context, account parley.AccountID, agent parley.AgentID,
	days []string) ([]CreditDay, error) {
	if len(days) == 0 {
		return nil, nil
	}
	return creditDayTable.list(ctx, db, `
		where account_id = ? and day in `+placeholders(len(days))+` and agent_id = ?
		order by day`, append(append([]any{account}, toAny(days)...), agent)...)
}

// CreditsOfDay lists what an account has used on a day and each of its agents; the account itself comes first.
func (db *DB) CreditsOfDay(ctx context.Context, account parley.AccountID, day string) ([]CreditDay, error) {
	return creditDayTable.list(ctx, db, `
		where account_id = ? and day = ?
		order by agent_id`, account, day)
}

// AgentNames returns the names of agents of an account; those that are gone are left out.
func (db *DB) AgentNames(ctx context.Context, account parley.AccountID,
	ids []parley.AgentID) (map[parley.AgentID]string, error) {
	names := map[parley.AgentID]string{}
	if len(ids) == 0 {
		return names, nil
	}
	_, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (struct{}, error) {
		var id parley.AgentID
		var name string
		err := scan(&id, &name)
		names[id] = name
		return struct{}{}, err
	}, `
		select id, name
		from agents
		where id in `+placeholders(len(ids))+` and account_id = ? and deleted_at is null`, append(toAny(ids), account)...)
	return names, err
}

// EraseOldCreditDays erases the days of all accounts that are long past, in chunks in the bulk lane. It is a job of the
// installation and is not limited to one account.
func (db *DB) EraseOldCreditDays(ctx context.Context, now time.Time) error {
	return db.execInChunks(ctx, `
		delete from credit_days
		where (account_id, day, agent_id) in (
		  select account_id, day, agent_id
		  from credit_days
		  where day < ?
		  order by day
		  limit ?)`, DayOf(now.AddDate(0, 0, -creditDaysKept)))
}
