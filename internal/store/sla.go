package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// SLATargets returns the SLA targets of the agent's helpdesk; none if it has no helpdesk yet.
func (db *DB) SLATargets(ctx context.Context, ref parley.AgentRef) (targets []parley.SLATarget, err error) {
	err = db.sql.QueryRow(ctx, `
		select targets
		from helpdesks
		where agent_id = ? and account_id = ?`, ref.Agent, ref.Account).Scan(nullableList(&targets))
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	return targets, err
}

// SetSLATargets writes the SLA targets of the agent's helpdesk, which must be there.
func (db *DB) SetSLATargets(ctx context.Context, ref parley.AgentRef, targets []parley.SLATarget, now time.Time) error {
	return db.execFound(ctx, parley.CodeAgentNotFound, `
		update helpdesks set
		  targets = ?,
		  updated_at = ?
		where agent_id = ? and account_id = ?`, nullableList(&targets).arg(), millis(now), ref.Agent, ref.Account)
}

// TeamHours returns the working hours of one of the agent's teams, of the default one for an empty id. A team that is
// not there has none.
func (db *DB) TeamHours(ctx context.Context, ref parley.AgentRef,
	team parley.TeamID) (hours []parley.WorkingHours, err error) {
	condition, args := `is_default = 1`, []any{ref.Agent, ref.Account}
	if team != "" {
		condition, args = `id = ?`, append(args, team)
	}
	err = db.sql.QueryRow(ctx, `
		select hours
		from teams
		where agent_id = ? and account_id = ? and `+condition, args...).Scan(jsonOr(&hours, "[]"))
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	return hours, err
}

// slaAssignments set the columns of a ticket's SLA, with the arguments of slaArgs.
const slaAssignments = `worked_ms = ?,
		  running_since = ?,
		  replied_at = ?,
		  first_reply_due = ?,
		  resolution_due = ?,
		  first_reply_breached_at = ?,
		  resolution_breached_at = ?,
		  due_at = ?,
		  breach_at = ?`

func slaArgs(s *parley.TicketSLA) []any {
	return []any{s.Worked.Milliseconds(), millisOrNil(s.RunningSince), millisOrNil(s.RepliedAt),
		millisOrNil(s.FirstReplyDueAt), millisOrNil(s.ResolutionDueAt), millisOrNil(s.FirstReplyBreachedAt),
		millisOrNil(s.ResolutionBreachedAt), millisOrNil(s.DueAt()), millisOrNil(s.NextBreachAt())}
}

// SaveTicketSLA writes the SLA of a locked ticket, which does not count as an update of it. Fails with
// TICKET_NOT_FOUND.
func (db *DB) SaveTicketSLA(ctx context.Context, t *parley.Ticket) error {
	return db.execFound(ctx, parley.CodeTicketNotFound, `
		update tickets set
		  `+slaAssignments+`
		where agent_id = ? and account_id = ? and number = ?`,
		append(slaArgs(&t.SLA), t.AgentID, t.AccountID, t.Number)...)
}

// BreachedTicket names a ticket of which a target was missed.
type BreachedTicket struct {
	parley.AgentRef
	Number int64
}

// BreachedTickets lists the tickets of all accounts of which a target was missed until a time that is not recorded as
// missed, the earliest first, at most limit.
func (db *DB) BreachedTickets(ctx context.Context, at time.Time, limit int) ([]BreachedTicket, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (b BreachedTicket, err error) {
		err = scan(&b.Account, &b.Agent, &b.Number)
		return b, err
	}, breachedTicketsQuery, millis(at), limit)
}

const breachedTicketsQuery = `
	select t.account_id, t.agent_id, t.number
	from tickets t
	where t.breach_at is not null and t.breach_at <= ? and (
	    select a.deleted_at is null
	    from agents a
	    where a.id = t.agent_id and a.account_id = t.account_id)
	order by t.breach_at, t.id
	limit ?`
