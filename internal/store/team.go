package store

import (
	"context"
	"time"

	"parley"
)

var teamTable = newTable("teams", func(t *parley.Team) []field {
	return []field{
		{"id", &t.ID},
		{"account_id", &t.AccountID},
		{"agent_id", &t.AgentID},
		{"key", nullableText(&t.Key)},
		{"name", &t.Name},
		{"is_default", &t.IsDefault},
		{"strategy", &t.Strategy},
		{"max_open", &t.MaxOpen},
		{"hours", jsonOr(&t.Hours, "[]")},
		{"created_at", timeDest{&t.CreatedAt}},
		{"updated_at", timeDest{&t.UpdatedAt}},
	}
})

// Teams lists the agent's teams with their members, longest standing first.
func (db *DB) Teams(ctx context.Context, ref parley.AgentRef) ([]parley.Team, error) {
	teams, err := teamTable.list(ctx, db, `
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
	return db.requireRow(ctx, parley.CodeTicketTeam, `
		from teams
		where agent_id = ? and account_id = ? and id = ?`+db.sql.ForUpdate(), ref.Agent, ref.Account, id)
}

// DefaultTeam finds the agent's default team, without its members. Fails with TICKET_TEAM_NOT_FOUND if there is no
// helpdesk yet.
func (db *DB) DefaultTeam(ctx context.Context, ref parley.AgentRef) (*parley.Team, error) {
	return db.team(ctx, ref, `is_default = ?`, 1)
}

func (db *DB) team(ctx context.Context, ref parley.AgentRef, condition string, value any) (*parley.Team, error) {
	return teamTable.find(ctx, db, parley.CodeTicketTeam, `
		where agent_id = ? and account_id = ? and `+condition, ref.Agent, ref.Account, value)
}

// PutTeam writes a team in place of the one with its id, if there is one; its members stay.
func (db *DB) PutTeam(ctx context.Context, t *parley.Team) error {
	return teamTable.insert(ctx, db,
		overwrite("id", "key", "name", "is_default", "strategy", "max_open", "hours", "updated_at")+`
		where teams.agent_id = excluded.agent_id and teams.account_id = excluded.account_id`, t)
}

// UnsetDefaultTeam unmarks the default team.
func (db *DB) UnsetDefaultTeam(ctx context.Context, ref parley.AgentRef, now time.Time) error {
	return db.exec(ctx, `
		update teams set
		  is_default = 0,
		  updated_at = ?
		where agent_id = ? and account_id = ? and is_default = 1`, millis(now), ref.Agent, ref.Account)
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
		if err := db.exec(ctx, step.sql, step.args...); err != nil {
			return err
		}
	}
	return db.execFound(ctx, parley.CodeTicketTeam,
		`delete from teams where agent_id = ? and account_id = ? and id = ?`, ref.Agent,
		ref.Account, id)
}

// MemberWorkload is a member of a team with what they have to do.
type MemberWorkload struct {
	parley.TeamMember
	TeamID      parley.TeamID
	OpenTickets int // open tickets of the agent that are assigned to them
}

// workloadTable is read from the members of teams; all of it may be null.
var workloadTable = newTable("team_members m", func(m *MemberWorkload) []field {
	return []field{
		{"m.team_id", nullableText(&m.TeamID)},
		{"m.max_open", &m.MaxOpen},
		{"m.hours", jsonDest{&m.Hours}},
		{"m.away", boolDest{&m.IsAway}},
		{"m.last_turn", nullableNumber(&m.LastAssignment)},
		{"m.joined_at", timeDest{&m.JoinedAt}},
		{"u.id", nullableText(&m.User.ID)},
		{"u.email", nullableText(&m.User.Email)},
		{"u.name", nullableText(&m.User.Name)},
		{"u.created_at", timeDest{&m.User.CreatedAt}},
		{"(select count(*) from tickets k where k.agent_id = m.agent_id and k.assignee_id = m.user_id and k.is_open = 1)",
			&m.OpenTickets},
	}
})

// TeamMembers lists the members of all teams who still belong to the account, longest standing first.
func (db *DB) TeamMembers(ctx context.Context, ref parley.AgentRef) ([]MemberWorkload, error) {
	return workloadTable.list(ctx, db, `
		join memberships a on a.account_id = m.account_id and a.user_id = m.user_id
		join users u on u.id = m.user_id
		where m.agent_id = ? and m.account_id = ?
		order by m.joined_at, m.user_id`, ref.Agent, ref.Account)
}

// TeamWithWorkload finds a team, or the default team if none is named, with its members who still belong to the
// account, longest standing first. Fails with TICKET_TEAM_NOT_FOUND.
func (db *DB) TeamWithWorkload(ctx context.Context, ref parley.AgentRef, team parley.TeamID) (*parley.Team,
	[]MemberWorkload, error) {
	condition, args := `t.is_default = 1`, []any{ref.Agent, ref.Account}
	if team != "" {
		condition, args = `t.id = ?`, append(args, team)
	}
	list, err := teamWorkloadTable.list(ctx, db, `
		where t.agent_id = ? and t.account_id = ? and `+condition+`
		order by m.joined_at, m.user_id`, args...)
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		return nil, nil, parley.NewError(parley.CodeTicketTeam)
	}
	var members []MemberWorkload
	for _, row := range list {
		if row.member.User.ID != "" { // else nobody is in it
			members = append(members, row.member)
		}
	}
	return &list[0].team, members, nil
}

// teamWorkload is a team with one of its members.
type teamWorkload struct {
	team   parley.Team
	member MemberWorkload
}

var teamWorkloadTable = newTable(`teams t
	left join (team_members m
	  join memberships a on a.account_id = m.account_id and a.user_id = m.user_id
	  join users u on u.id = m.user_id) on m.team_id = t.id`,
	func(w *teamWorkload) []field {
		return append(withAlias("t", teamTable.fields(&w.team)), workloadTable.fields(&w.member)...)
	})

// PutTeamMember writes a member of a team. One who is there already keeps the place in the round and the time of
// joining.
func (db *DB) PutTeamMember(ctx context.Context, ref parley.AgentRef, team parley.TeamID, m *parley.TeamMember) error {
	return db.insert(ctx, "team_members", overwrite("team_id, user_id", "max_open", "hours", "away"),
		field{"team_id", team},
		field{"user_id", m.User.ID},
		field{"account_id", ref.Account},
		field{"agent_id", ref.Agent},
		field{"max_open", m.MaxOpen},
		field{"hours", jsonOr(&m.Hours, "[]")},
		field{"away", m.IsAway},
		field{"last_turn", 0},
		field{"joined_at", millis(m.JoinedAt)})
}

// DropTeamMember removes a member from a team; their tickets stay with them. Fails with TICKET_TEAM_MEMBER_NOT_FOUND.
func (db *DB) DropTeamMember(ctx context.Context, ref parley.AgentRef, team parley.TeamID, user parley.UserID) error {
	return db.execFound(ctx, parley.CodeTicketMember, `
		delete from team_members
		where agent_id = ? and account_id = ? and team_id = ? and user_id = ?`, ref.Agent, ref.Account, team, user)
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
	return db.execFound(ctx, parley.CodeTicketMember, `
		update team_members set last_turn = ?
		where agent_id = ? and account_id = ? and team_id = ? and user_id = ?`, turn, ref.Agent, ref.Account, team, user)
}

var ruleTable = newTable("routing_rules", func(r *parley.Rule) []field {
	return []field{
		{"id", &r.ID},
		{"account_id", &r.AccountID},
		{"agent_id", &r.AgentID},
		{"key", &r.Key},
		{"name", &r.Name},
		{"position", &r.Position},
		{"enabled", &r.Enabled},
		{"all_of", jsonOr(&r.All, "[]")},
		{"any_of", jsonOr(&r.Any, "[]")},
		{"team_id", nullableText(&r.TeamID)},
		{"member_id", nullableText(&r.MemberID)},
		{"created_at", timeDest{&r.CreatedAt}},
		{"updated_at", timeDest{&r.UpdatedAt}},
	}
})

// Rules lists the agent's routing rules in their order, those that are switched off too.
func (db *DB) Rules(ctx context.Context, ref parley.AgentRef) ([]parley.Rule, error) {
	return ruleTable.list(ctx, db, `
		where agent_id = ? and account_id = ?
		order by position, key`, ref.Agent, ref.Account)
}

// PutRule writes a rule in place of the agent's rule with its key, if there is one, which keeps its id and time of
// creation.
func (db *DB) PutRule(ctx context.Context, r *parley.Rule) error {
	query, args := ruleTable.insertion(overwrite("agent_id, key", "name", "position", "enabled", "all_of", "any_of",
		"team_id", "member_id", "updated_at")+`
		where routing_rules.account_id = excluded.account_id
		returning id, created_at`, r)
	return db.sql.QueryRow(ctx, query, args...).Scan(&r.ID, timeDest{&r.CreatedAt})
}

// DropRule removes the agent's rule with the key. Fails with NOT_FOUND.
func (db *DB) DropRule(ctx context.Context, ref parley.AgentRef, key string) error {
	return db.execFound(ctx, parley.CodeNotFound, `
		delete from routing_rules
		where agent_id = ? and account_id = ? and key = ?`, ref.Agent, ref.Account, key)
}
