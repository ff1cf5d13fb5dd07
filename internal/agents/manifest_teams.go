package agents

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/httpapi"
)

var teamKind = namedKind[parley.Team]{
	entryKind: entryKind[parley.Team]{
		part:   "team",
		key:    func(t *parley.Team) string { return t.Key },
		encode: showTeam,
	},
	name: func(t *parley.Team) string { return strings.ToLower(t.Name) },
	entryName: func(text json.RawMessage) string {
		var t struct{ Name string }
		if json.Unmarshal(text, &t) != nil {
			return ""
		}
		return strings.ToLower(t.Name)
	},
	noun:            "team",
	unmergedMembers: []string{"default"},
}

// planTeams finds out how the teams will be.
func (w *applyRun) planTeams(t *target, d *helpdeskPlan) {
	path := t.path + ".helpdesk.teams"
	section := t.Helpdesk.Value.Teams
	list := teamKind.matchNamed(w.faults, path, section.Value, d.current.Teams)
	var all []plannedRow[parley.Team]
	for _, e := range list {
		if p, ok := w.planTeam(t, d, e); ok {
			all = append(all, p)
		}
	}
	gone := map[parley.TeamID]bool{}
	for _, team := range teamKind.removed(section, list, d.current.Teams, w.Prune) {
		if team.Key != "" {
			gone[team.ID] = true
		}
	}
	all = append(all, unmentionedRows(teamKind.entryKind, list, d.current.Teams)...)
	defaultPicker[parley.Team]{
		appliesTo: func(*parley.Team) bool { return true },
		isDefault: func(t *parley.Team) *bool { return &t.IsDefault },
		noun:      "team",
	}.choose(w.faults, all)
	var stay []plannedRow[parley.Team]
	for i := range all {
		switch p := &all[i]; {
		case !gone[p.row.ID]:
			stay = append(stay, *p)
			d.roster.teams = append(d.roster.teams, p.row)
		case p.row.IsDefault:
			w.faults.add(path, "the team "+p.row.Key+" is the default and cannot go; make another one the default")
		default:
			t.addChange("delete", "team", p.row.Key, showTeam(p.current), nil)
			d.removedTeams = append(d.removedTeams, p.row.ID)
		}
	}
	w.checkUniqueNames(path, stay)
	d.teams = changedRows(t, teamKind.entryKind, stay, func(t *parley.Team) string { return t.Name })
}

// checkUniqueNames finds two teams of the same name.
func (w *applyRun) checkUniqueNames(section string, all []plannedRow[parley.Team]) {
	owners := map[string]bool{}
	for i := range all {
		name := strings.ToLower(all[i].row.Name)
		if owners[name] {
			w.faults.add(all[i].faultPath(section, "name"), "another team is called "+all[i].row.Name)
		}
		owners[name] = true
	}
}

// planTeam makes a team of its entry, beside what is there.
func (w *applyRun) planTeam(t *target, d *helpdeskPlan, e entry[parley.Team]) (p plannedRow[parley.Team], ok bool) {
	var m ManifestTeam
	if err := httpapi.Decode(e.merged, &m); err != nil {
		_ = w.faults.addError(e.path, err) // httpapi.Decode fails with faults only
		return p, false
	}
	team := parley.Team{ID: parley.TeamID(d.nextID()), AccountID: w.Account.ID, AgentID: t.agent.ID, CreatedAt: nthTime(t.now, e.index)}
	if e.current != nil {
		team = *e.current
	}
	team.Key, team.Name, team.Strategy, team.MaxOpen, team.Hours, team.UpdatedAt = e.key, m.Name, parley.Strategy(m.Strategy), m.MaxOpen, m.Hours, t.now
	w.checkHours(e.path, m.Hours)
	team.Members = w.planTeamMembers(t, d, e, m.Members)
	return plannedRow[parley.Team]{entry: e, row: team, wantsDefault: m.Default, hasEntry: true}, true
}

// planTeamMembers makes the members of a team of their entries, each laid over what is there.
func (w *applyRun) planTeamMembers(t *target, d *helpdeskPlan, e entry[parley.Team], section []json.RawMessage) (members []parley.TeamMember) {
	seen := map[parley.UserID]bool{}
	for i, text := range section {
		path := e.path + ".members." + strconv.Itoa(i)
		var name struct{ Email string }
		_ = json.Unmarshal(text, &name) // what is wrong is found below
		row := parley.TeamMember{JoinedAt: nthTime(t.now, i)}
		before := json.RawMessage(nil)
		if there := findTeamMember(e.current, name.Email); there != nil {
			row, before = *there, showTeamMember(there)
		}
		given, err := mergeObjects(before, text)
		if err != nil {
			w.faults.add(path, "must be an object")
			continue
		}
		var m ManifestTeamMember
		if err := httpapi.Decode(given, &m); err != nil {
			_ = w.faults.addError(path, err)
			continue
		}
		w.checkHours(path, m.Hours)
		user := d.roster.member(m.Email)
		switch {
		case user == nil:
			w.faults.add(path+".email", m.Email+" is not a member of the account; `parley member add` makes one")
			continue
		case seen[user.ID]:
			w.faults.add(path+".email", "another entry is about this member")
			continue
		}
		seen[user.ID] = true
		row.User, row.MaxOpen, row.Hours, row.IsAway = *user, m.MaxOpen, m.Hours, m.Away
		members = append(members, row)
	}
	if e.current != nil { // who was there keeps their place
		place := func(m parley.TeamMember) int {
			i := slices.IndexFunc(e.current.Members, func(o parley.TeamMember) bool { return o.User.ID == m.User.ID })
			return cmp.Or(i+1, len(e.current.Members)+1)
		}
		slices.SortStableFunc(members, func(a, b parley.TeamMember) int { return place(a) - place(b) })
	}
	return members
}

// nthTime tells apart what is made at once: teams and their members are listed by their age, in the order of the manifest.
func nthTime(now time.Time, i int) time.Time { return now.Add(time.Duration(i+1) * time.Millisecond) }

func findTeamMember(team *parley.Team, email string) *parley.TeamMember {
	if team == nil {
		return nil
	}
	for i := range team.Members {
		if strings.EqualFold(team.Members[i].User.Email, email) {
			return &team.Members[i]
		}
	}
	return nil
}
