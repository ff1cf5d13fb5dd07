package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// CloneHelpdesk copies what the original's helpdesk is made of: its statuses, its teams with their members, its rules and its
// handover. Tickets and customers stay with the original. Where that has no helpdesk the copy has none either.
func (db *DB) CloneHelpdesk(ctx context.Context, c Clone) error {
	n, err := db.sql.Exec(ctx, `insert into helpdesks (agent_id, account_id, last_number, handover, created_at, updated_at)
		select ?, account_id, 0, handover, created_at, updated_at from helpdesks where agent_id = ? and account_id = ? on conflict do nothing`, c.ToAgent, c.FromAgent, c.Account)
	if err != nil || n == 0 {
		return err
	}
	for _, t := range []copiedTable{copiedStatuses, copiedTeams} {
		ids, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `select id from `+t.table+` where agent_id = ? and account_id = ? order by id`, c.FromAgent, c.Account)
		if err != nil {
			return err
		}
		if err := db.copyRows(ctx, c, t, ids); err != nil {
			return err
		}
	}
	return errorsJoin(db.cloneTeamMembers(ctx, c), db.cloneRules(ctx, c))
}

// cloneTeamMembers copies who is in which team. In the copy nobody has had a turn.
func (db *DB) cloneTeamMembers(ctx context.Context, c Clone) error {
	teams, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `select id from teams where agent_id = ? and account_id = ? order by id`, c.FromAgent, c.Account)
	for _, team := range teams {
		if err != nil {
			return err
		}
		_, err = db.sql.Exec(ctx, `insert into team_members (team_id, user_id, account_id, agent_id, max_open, hours, away, last_turn, joined_at)
			select ?, user_id, account_id, ?, max_open, hours, away, 0, joined_at from team_members where team_id = ? and agent_id = ? and account_id = ? on conflict do nothing`,
			c.newID(team), c.ToAgent, team, c.FromAgent, c.Account)
	}
	return err
}

func (db *DB) cloneRules(ctx context.Context, c Clone) error {
	rules, err := db.Rules(ctx, c.Account, c.FromAgent)
	if err != nil {
		return err
	}
	for _, r := range rules {
		r.ID, r.AgentID, r.TeamID = parley.RuleID(c.newID(string(r.ID))), c.ToAgent, parley.TeamID(c.newID(string(r.TeamID)))
		if err := db.PutRule(ctx, &r); err != nil {
			return err
		}
	}
	return nil
}
