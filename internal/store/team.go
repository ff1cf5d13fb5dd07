package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const teamColumns = `
  id,
  account_id,
  agent_id,
  key,
  name,
  is_default,
  strategy,
  max_open,
  hours,
  created_at,
  updated_at`

func scanTeam(scan sqldb.Scan) (t parley.Team, err error) {
	err = scan(teamDests(&t)...)
	return t, err
}

// teamDests are the places of teamColumns in t.
func teamDests(t *parley.Team) []any {
	return []any{
		&t.ID,
		&t.AccountID,
		&t.AgentID,
		nullableText(&t.Key),
		&t.Name,
		&t.IsDefault,
		&t.Strategy,
		intPointerDest{&t.MaxOpen},
		jsonDest{&t.Hours},
		timeDest{&t.CreatedAt},
		timeDest{&t.UpdatedAt},
	}
}

// Teams lists the agent's teams with their members, longest standing first.
func (db *DB) Teams(ctx context.Context, ref parley.AgentRef) ([]parley.Team, error) {
	teams, err := sqldb.All(ctx, db.sql, scanTeam, `
		select `+teamColumns+`
		from teams
		where agent_id = ? and account_id = ?
		order by created_at, id`, ref.Agent, ref.Account)
	if err != nil {
		return nil, err
	}
	members, err := db.TeamMembers(ctx, ref)
	at := map[parley.TeamID]int{}
	for i, t := range teams {
		at[t.ID] = i
	}
	for _, m := range members {
		if i, ok := at[m.TeamID]; ok {
			teams[i].Members = append(teams[i].Members, m.TeamMember)
		}
	}
	return teams, err
}

// Team finds one of the agent's teams, without its members. Fails with TICKET_TEAM_NOT_FOUND.
func (db *DB) Team(ctx context.Context, ref parley.AgentRef, id parley.TeamID) (*parley.Team, error) {
	return db.team(ctx, ref, `id = ?`, id)
}

// LockTeam prevents the team from being removed until the transaction ends. Lock it after the ticket that is to get it.
// Fails with TICKET_TEAM_NOT_FOUND.
func (db *DB) LockTeam(ctx context.Context, ref parley.AgentRef, id parley.TeamID) error {
	_, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select 1
		from teams
		where agent_id = ? and account_id = ? and id = ?`+db.sql.ForUpdate(), ref.Agent, ref.Account, id)
	return mapNotFound(err, parley.CodeTicketTeam)
}

// DefaultTeam finds the agent's default team, without its members. Fails with TICKET_TEAM_NOT_FOUND where there is no
// helpdesk yet.
func (db *DB) DefaultTeam(ctx context.Context, ref parley.AgentRef) (*parley.Team, error) {
	return db.team(ctx, ref, `is_default = ?`, 1)
}

func (db *DB) team(ctx context.Context, ref parley.AgentRef, which string, value any) (*parley.Team, error) {
	t, err := sqldb.One(ctx, db.sql, scanTeam, `
		select `+teamColumns+`
		from teams
		where agent_id = ? and account_id = ? and `+which, ref.Agent, ref.Account, value)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeTicketTeam)
	}
	return &t, nil
}

// PutTeam writes a team in place of the one with its id, if there is one; its members stay.
func (db *DB) PutTeam(ctx context.Context, t *parley.Team) error {
	_, err := db.sql.Exec(ctx, `insert into teams (`+teamColumns+`)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (id) do update set
		  key = excluded.key,
		  name = excluded.name,
		  is_default = excluded.is_default,
		  strategy = excluded.strategy,
		  max_open = excluded.max_open,
		  hours = excluded.hours,
		  updated_at = excluded.updated_at
		where teams.agent_id = excluded.agent_id and teams.account_id = excluded.account_id`,
		t.ID, t.AccountID, t.AgentID, textOrNil(t.Key), t.Name, boolToInt(t.IsDefault), t.Strategy, intOrNil(t.MaxOpen),
		listJSON(t.Hours), millis(t.CreatedAt), millis(t.UpdatedAt))
	return err
}

// UnsetDefaultTeam unmarks the default team.
func (db *DB) UnsetDefaultTeam(ctx context.Context, ref parley.AgentRef, now time.Time) error {
	_, err := db.sql.Exec(ctx, `
		update teams set
		  is_default = 0,
		  updated_at = ?
		where agent_id = ? and account_id = ? and is_default = 1`, millis(now), ref.Agent, ref.Account)
	return err
}

// DropTeam removes a team with its memberships; its tickets and rules go to the team named to. It locks the team first,
// so that no ticket comes to it meanwhile.
func (db *DB) DropTeam(ctx context.Context, ref parley.AgentRef, id, to parley.TeamID) error {
	if err := db.LockTeam(ctx, ref, id); err != nil {
		return err
	}
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{`
			update tickets set team_id = ?
			where agent_id = ? and account_id = ? and team_id = ?`, []any{to, ref.Agent, ref.Account, id}},
		{`
			update routing_rules set team_id = ?
			where agent_id = ? and account_id = ? and team_id = ?`, []any{to, ref.Agent, ref.Account, id}},
		{`delete from team_members where agent_id = ? and account_id = ? and team_id = ?`, []any{ref.Agent, ref.Account, id}},
	} {
		if _, err := db.sql.Exec(ctx, step.sql, step.args...); err != nil {
			return err
		}
	}
	n, err := db.sql.Exec(ctx, `delete from teams where agent_id = ? and account_id = ? and id = ?`, ref.Agent,
		ref.Account, id)
	return requireChanged(n, err, parley.CodeTicketTeam)
}

// MemberWorkload is a member of a team with what they have to do.
type MemberWorkload struct {
	parley.TeamMember
	TeamID      parley.TeamID
	OpenTickets int // open tickets of the agent that are assigned to them
}

const workloadColumns = `
  m.team_id,
  m.max_open,
  m.hours,
  m.away,
  m.last_turn,
  m.joined_at,
  u.id,
  u.email,
  u.name,
  u.created_at,
  (select count(*) from tickets k where k.agent_id = m.agent_id and k.assignee_id = m.user_id and k.is_open = 1)`

// workloadDests are the places of workloadColumns in m; all may be null.
func workloadDests(m *MemberWorkload) []any {
	return []any{
		nullableText(&m.TeamID),
		intPointerDest{&m.MaxOpen},
		jsonDest{&m.Hours},
		boolDest{&m.IsAway},
		int64Dest{&m.LastAssignment},
		timeDest{&m.JoinedAt},
		nullableText(&m.User.ID),
		nullableText(&m.User.Email),
		nullableText(&m.User.Name),
		timeDest{&m.User.CreatedAt},
		&m.OpenTickets,
	}
}

// TeamMembers lists the members of all teams who still belong to the account, longest standing first.
func (db *DB) TeamMembers(ctx context.Context, ref parley.AgentRef) ([]MemberWorkload, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (m MemberWorkload, err error) {
		err = scan(workloadDests(&m)...)
		return m, err
	}, `
		select `+workloadColumns+`
		from team_members m
		join memberships a on a.account_id = m.account_id and a.user_id = m.user_id
		join users u on u.id = m.user_id
		where m.agent_id = ? and m.account_id = ?
		order by m.joined_at, m.user_id`, ref.Agent, ref.Account)
}

// TeamWithWorkload finds a team, or the default team where none is named, with its members who still belong to the
// account, longest standing first. Fails with TICKET_TEAM_NOT_FOUND.
func (db *DB) TeamWithWorkload(ctx context.Context, ref parley.AgentRef, team parley.TeamID) (*parley.Team,
	[]MemberWorkload, error) {
	which, args := `t.is_default = 1`, []any{ref.Agent, ref.Account}
	if team != "" {
		which, args = `t.id = ?`, append(args, team)
	}
	var t parley.Team
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (m MemberWorkload, err error) {
		t = parley.Team{}
		err = scan(append(teamDests(&t), workloadDests(&m)...)...)
		return m, err
	}, `select `+qualifiedColumns("t", teamColumns)+`, `+workloadColumns+`
		from teams t
		left join (team_members m join memberships a on a.account_id = m.account_id
		  and a.user_id = m.user_id join users u on u.id = m.user_id) on m.team_id = t.id
		where t.agent_id = ? and t.account_id = ? and `+which+` order by m.joined_at, m.user_id`, args...)
	switch {
	case err != nil:
		return nil, nil, err
	case len(list) == 0:
		return nil, nil, parley.NewError(parley.CodeTicketTeam)
	case list[0].User.ID == "": // nobody is in it
		list = nil
	}
	return &t, list, nil
}

// PutTeamMember writes a member of a team. One who is there already keeps the place in the round and the time of
// joining.
func (db *DB) PutTeamMember(ctx context.Context, ref parley.AgentRef, team parley.TeamID, m *parley.TeamMember) error {
	_, err := db.sql.Exec(ctx, `
		insert into team_members (
		  team_id,
		  user_id,
		  account_id,
		  agent_id,
		  max_open,
		  hours,
		  away,
		  last_turn,
		  joined_at
		)
		values (?, ?, ?, ?, ?, ?, ?, 0, ?)
		on conflict (team_id, user_id) do update set
		  max_open = excluded.max_open,
		  hours = excluded.hours,
		  away = excluded.away`,
		team, m.User.ID, ref.Account, ref.Agent, intOrNil(m.MaxOpen), listJSON(m.Hours), boolToInt(m.IsAway),
		millis(m.JoinedAt))
	return err
}

// DropTeamMember removes a member from a team; their tickets stay with them. Fails with TICKET_TEAM_MEMBER_NOT_FOUND.
func (db *DB) DropTeamMember(ctx context.Context, ref parley.AgentRef, team parley.TeamID, user parley.UserID) error {
	n, err := db.sql.Exec(ctx, `
		delete from team_members
		where agent_id = ? and account_id = ? and team_id = ? and user_id = ?`, ref.Agent, ref.Account, team, user)
	return requireChanged(n, err, parley.CodeTicketMember)
}

// DropFromTeams removes a user from all teams of the agent, and returns how many those were.
func (db *DB) DropFromTeams(ctx context.Context, ref parley.AgentRef, user parley.UserID) (int, error) {
	n, err := db.sql.Exec(ctx, `
		delete from team_members
		where agent_id = ? and account_id = ? and user_id = ?`, ref.Agent, ref.Account, user)
	return int(n), err
}

// SetLastAssignment notes that a ticket went round to the member of the team: nobody of it has had a later one.
func (db *DB) SetLastAssignment(ctx context.Context, ref parley.AgentRef, team parley.TeamID, user parley.UserID,
	turn int64) error {
	n, err := db.sql.Exec(ctx, `
		update team_members set last_turn = ?
		where agent_id = ? and account_id = ? and team_id = ? and user_id = ?`, turn, ref.Agent, ref.Account, team, user)
	return requireChanged(n, err, parley.CodeTicketMember)
}

const ruleColumns = `
  id,
  account_id,
  agent_id,
  key,
  name,
  position,
  enabled,
  all_of,
  any_of,
  team_id,
  member_id,
  created_at,
  updated_at`

func scanRule(scan sqldb.Scan) (r parley.Rule, err error) {
	err = scan(
		&r.ID,
		&r.AccountID,
		&r.AgentID,
		&r.Key,
		&r.Name,
		&r.Position,
		&r.Enabled,
		jsonDest{&r.All},
		jsonDest{&r.Any},
		nullableText(&r.TeamID),
		nullableText(&r.MemberID),
		timeDest{&r.CreatedAt},
		timeDest{&r.UpdatedAt},
	)
	return r, err
}

// Rules lists the agent's routing rules in their order, those that are switched off too.
func (db *DB) Rules(ctx context.Context, ref parley.AgentRef) ([]parley.Rule, error) {
	return sqldb.All(ctx, db.sql, scanRule, `
		select `+ruleColumns+`
		from routing_rules
		where agent_id = ? and account_id = ?
		order by position, key`, ref.Agent, ref.Account)
}

// PutRule writes a rule in place of the agent's rule with its key, if there is one, which keeps its id and birth.
func (db *DB) PutRule(ctx context.Context, r *parley.Rule) error {
	return db.sql.QueryRow(ctx, `insert into routing_rules (`+ruleColumns+`)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (agent_id, key) do update set
		  name = excluded.name,
		  position = excluded.position,
		  enabled = excluded.enabled,
		  all_of = excluded.all_of,
		  any_of = excluded.any_of,
		  team_id = excluded.team_id,
		  member_id = excluded.member_id,
		  updated_at = excluded.updated_at
		where routing_rules.account_id = excluded.account_id
		returning id, created_at`,
		r.ID, r.AccountID, r.AgentID, r.Key, r.Name, r.Position, boolToInt(r.Enabled), listJSON(r.All), listJSON(r.Any),
		textOrNil(r.TeamID), textOrNil(r.MemberID),
		millis(r.CreatedAt), millis(r.UpdatedAt)).Scan(&r.ID, timeDest{&r.CreatedAt})
}

// DropRule removes the agent's rule with the key. Fails with NOT_FOUND.
func (db *DB) DropRule(ctx context.Context, ref parley.AgentRef, key string) error {
	n, err := db.sql.Exec(ctx, `
		delete from routing_rules
		where agent_id = ? and account_id = ? and key = ?`, ref.Agent, ref.Account, key)
	return requireChanged(n, err, parley.CodeNotFound)
}
