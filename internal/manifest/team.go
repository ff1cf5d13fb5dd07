package manifest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

// teamSpec is a team as manifests write it. One without a key is recognized by its name.
type teamSpec struct {
	Key      string                `json:"key,omitempty"`
	Name     string                `json:"name" min:"1" max:"100"`
	Default  httpapi.Opt[bool]     `json:"default,omitzero"`
	Strategy string                `json:"strategy" enum:"@strategy" default:"round_robin"`
	MaxOpen  *int                  `json:"maxOpen,omitempty" min:"0" max:"1000000"`
	Hours    []parley.WorkingHours `json:"hours,omitempty" nullable:"true" max:"50"`
	Members  []json.RawMessage     `json:"members,omitempty" nullable:"true" max:"1000"`
}

// teamMemberSpec is a member of a team as manifests write it. What is absent stays, and null takes the team's.
type teamMemberSpec struct {
	Email   string                `json:"email" min:"1" max:"320"`
	MaxOpen *int                  `json:"maxOpen,omitempty" min:"0" max:"1000000"`
	Hours   []parley.WorkingHours `json:"hours,omitempty" nullable:"true" max:"50"`
	Away    bool                  `json:"away,omitempty"`
}

func encodeTeam(t *parley.Team) json.RawMessage {
	spec := teamSpec{Key: t.Key, Name: t.Name, Strategy: string(t.Strategy), MaxOpen: t.MaxOpen, Hours: t.Hours,
		Members: encodeAll(t.Members, encodeTeamMember)}
	if t.IsDefault {
		spec.Default = httpapi.Some(true)
	}
	return mustJSON(spec)
}

func encodeTeamMember(m *parley.TeamMember) json.RawMessage {
	return mustJSON(teamMemberSpec{m.User.Email, m.MaxOpen, m.Hours, m.IsAway})
}

var teamKind = kind[parley.Team]{
	noun:   "team",
	key:    func(t *parley.Team) string { return t.Key },
	encode: encodeTeam,
	name:   func(t *parley.Team) string { return strings.ToLower(t.Name) },
	entryName: func(text json.RawMessage) string {
		var t struct{ Name string }
		_ = json.Unmarshal(text, &t) // what is wrong with the name is found elsewhere
		return strings.ToLower(t.Name)
	},
	resetting: []string{"default"},
}

func (r *applyRun) planTeams(t *target, p *helpdeskPlan) {
	path := t.path + ".helpdesk.teams"
	c := reconcileSection(r.faults, teamKind, path, t.Helpdesk.Value.Teams, p.current.Teams, r.Prune)
	var all []plannedRow[parley.Team]
	for i := range c.entries {
		if row, ok := r.planTeam(t, p, &c.entries[i]); ok {
			all = append(all, row)
		}
	}
	all = append(all, teamKind.unlistedRows(c)...)
	defaultChoice[parley.Team]{
		appliesTo: func(*parley.Team) bool { return true },
		isDefault: func(t *parley.Team) *bool { return &t.IsDefault },
		noun:      "team",
	}.choose(r.faults, all)
	var remaining []plannedRow[parley.Team]
	for i := range all {
		switch row := &all[i]; {
		case !row.isRemoved:
			remaining = append(remaining, *row)
			p.directory.teams = append(p.directory.teams, row.row)
		case row.row.IsDefault:
			r.faults.add(path, "the team "+row.row.Key+" is the default and cannot go; make another one the default")
		default:
			teamKind.recordRemoval(t, row.existing)
			p.removedTeams = append(p.removedTeams, row.row.ID)
		}
	}
	r.checkUniqueTeamNames(path, remaining)
	p.teams = teamKind.changedRows(t, remaining, func(t *parley.Team) string { return t.Name })
}

func (r *applyRun) checkUniqueTeamNames(section string, all []plannedRow[parley.Team]) {
	names := map[string]bool{}
	for i := range all {
		name := strings.ToLower(all[i].row.Name)
		if names[name] {
			r.faults.add(all[i].faultPath(section, "name"), "another team is called "+all[i].row.Name)
		}
		names[name] = true
	}
}

// planTeam returns the team of an entry; ok is false if the entry has faults.
func (r *applyRun) planTeam(t *target, p *helpdeskPlan,
	e *entry[parley.Team]) (row plannedRow[parley.Team], ok bool) {
	var spec teamSpec
	if !r.faults.decode(e.path, e.merged, &spec) {
		return row, false
	}
	team := parley.Team{ID: parley.TeamID(t.nextID()), AccountID: r.Account.ID, AgentID: t.agent.ID,
		CreatedAt: nthTime(t.now, e.index)}
	if e.existing != nil {
		team = *e.existing
	}
	team.Key, team.Name, team.Strategy, team.UpdatedAt = e.key, spec.Name, parley.Strategy(spec.Strategy), t.now
	team.MaxOpen, team.Hours = spec.MaxOpen, spec.Hours
	r.checkHours(e.path, spec.Hours)
	team.Members = r.planTeamMembers(t, p, e, spec.Members)
	return plannedRow[parley.Team]{entry: *e, row: team, wantsDefault: spec.Default, hasEntry: true}, true
}

// planTeamMembers returns the members of a team, those that it has in the order that they have.
func (r *applyRun) planTeamMembers(t *target, p *helpdeskPlan, e *entry[parley.Team],
	section []json.RawMessage) (members []parley.TeamMember) {
	seen := map[parley.UserID]bool{}
	for i, text := range section {
		path := e.path + ".members." + strconv.Itoa(i)
		m, ok := r.planTeamMember(path, &p.directory, e.existing, text)
		if !ok {
			continue
		}
		if seen[m.User.ID] {
			r.faults.add(path+".email", "another entry is about this member")
			continue
		}
		seen[m.User.ID] = true
		if m.JoinedAt.IsZero() {
			m.JoinedAt = nthTime(t.now, i)
		}
		members = append(members, m)
	}
	if e.existing != nil {
		place := func(m parley.TeamMember) int {
			i := slices.IndexFunc(e.existing.Members, func(o parley.TeamMember) bool { return o.User.ID == m.User.ID })
			return cmp.Or(i+1, len(e.existing.Members)+1)
		}
		slices.SortStableFunc(members, func(a, b parley.TeamMember) int { return place(a) - place(b) })
	}
	return members
}

// planTeamMember returns the member of an entry, which is laid over what the team has of that member.
func (r *applyRun) planTeamMember(path string, d *directory, team *parley.Team,
	text json.RawMessage) (m parley.TeamMember, ok bool) {
	var name struct{ Email string }
	_ = json.Unmarshal(text, &name) // what is wrong is found below
	var before json.RawMessage
	if team != nil {
		isSame := func(o *parley.TeamMember) bool { return strings.EqualFold(o.User.Email, name.Email) }
		if existing := find(team.Members, isSame); existing != nil {
			m, before = *existing, encodeTeamMember(existing)
		}
	}
	merged, err := mergeObjects(before, text)
	if err != nil {
		r.faults.add(path, "must be an object")
		return m, false
	}
	var spec teamMemberSpec
	if !r.faults.decode(path, merged, &spec) {
		return m, false
	}
	r.checkHours(path, spec.Hours)
	member := d.member(spec.Email)
	if member == nil {
		r.faults.add(path+".email", spec.Email+" is not a member of the account; `parley member add` makes one")
		return m, false
	}
	m.User, m.MaxOpen, m.Hours, m.IsAway = member.User, spec.MaxOpen, spec.Hours, spec.Away
	return m, true
}

// nthTime separates what is created at once: teams and their members are listed by age, in the order of the manifest.
func nthTime(now time.Time, i int) time.Time { return now.Add(time.Duration(i+1) * time.Millisecond) }

// writeTeams stores the teams with their members, the new default first. Names that change hands are freed before.
func (r *applyRun) writeTeams(ctx context.Context, t *target, p *helpdeskPlan) error {
	if err := r.freeTeamNames(ctx, p); err != nil {
		return err
	}
	slices.SortStableFunc(p.teams, func(a, b parley.Team) int { return trueFirst(a.IsDefault, b.IsDefault) })
	for i := range p.teams {
		if err := r.Helpdesk.PutTeamTx(ctx, r.tx, &p.teams[i]); err != nil {
			return err
		}
		if err := r.writeTeamMembers(ctx, &p.teams[i], p.current); err != nil {
			return err
		}
	}
	for _, id := range p.removedTeams {
		if err := r.Helpdesk.RemoveTeamTx(ctx, r.tx, t.agent.Ref(), id); err != nil {
			return err
		}
	}
	return nil
}

// freeTeamNames renames teams that are renamed or removed to their ids for a moment: no two may share a name.
func (r *applyRun) freeTeamNames(ctx context.Context, p *helpdeskPlan) error {
	for i := range p.current.Teams {
		before := p.current.Teams[i]
		isRenamed := slices.ContainsFunc(p.teams, func(t parley.Team) bool {
			return t.ID == before.ID && !strings.EqualFold(t.Name, before.Name)
		})
		if !isRenamed && !slices.Contains(p.removedTeams, before.ID) {
			continue
		}
		before.Name = string(before.ID)
		if err := r.tx.PutTeam(ctx, &before); err != nil {
			return err
		}
	}
	return nil
}

func (r *applyRun) writeTeamMembers(ctx context.Context, team *parley.Team, current *helpdesk.Setup) error {
	for _, m := range team.Members {
		if err := r.Helpdesk.JoinTeamTx(ctx, r.tx, team.AgentRef(), team.ID, m); err != nil {
			return err
		}
	}
	before := find(current.Teams, func(t *parley.Team) bool { return t.ID == team.ID })
	if before == nil {
		return nil
	}
	for _, m := range before.Members {
		if slices.ContainsFunc(team.Members, func(o parley.TeamMember) bool { return o.User.ID == m.User.ID }) {
			continue
		}
		if err := r.Helpdesk.LeaveTeamTx(ctx, r.tx, team.AgentRef(), team.ID, m.User.ID); err != nil {
			return err
		}
	}
	return nil
}
