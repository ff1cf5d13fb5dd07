package agents

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/wire"
)

var teamKind = named[parley.Team]{
	kind: kind[parley.Team]{
		part: "team",
		key:  func(t *parley.Team) string { return t.Key },
		show: showTeam,
	},
	name: func(t *parley.Team) string { return strings.ToLower(t.Name) },
	word: func(text json.RawMessage) string {
		var t struct{ Name string }
		if json.Unmarshal(text, &t) != nil {
			return ""
		}
		return strings.ToLower(t.Name)
	},
	noun:   "team",
	silent: []string{"default"},
}

// planTeams finds out how the teams will be.
func (w *work) planTeams(t *target, d *deskPlan) {
	path := t.path + ".helpdesk.teams"
	section := t.Helpdesk.Value.Teams
	list := teamKind.pairNamed(w.faults, path, section.Value, d.there.Teams)
	var all []planned[parley.Team]
	for _, e := range list {
		if p, ok := w.planTeam(t, d, e); ok {
			all = append(all, p)
		}
	}
	gone := map[parley.TeamID]bool{}
	for _, team := range teamKind.gone(section, list, d.there.Teams, w.Prune) {
		if team.Key != "" {
			gone[team.ID] = true
		}
	}
	all = append(all, rest(teamKind.kind, list, d.there.Teams)...)
	claims[parley.Team]{
		of:   func(*parley.Team) bool { return true },
		flag: func(t *parley.Team) *bool { return &t.IsDefault },
		noun: "team",
	}.settle(w.faults, all)
	var stay []planned[parley.Team]
	for i := range all {
		switch p := &all[i]; {
		case !gone[p.row.ID]:
			stay = append(stay, *p)
			d.roster.teams = append(d.roster.teams, p.row)
		case p.row.IsDefault:
			w.faults.say(path, "the team "+p.row.Key+" is the default and cannot go; make another one the default")
		default:
			t.changed("delete", "team", p.row.Key, showTeam(p.there), nil)
			d.goneTeams = append(d.goneTeams, p.row.ID)
		}
	}
	w.teamNames(path, stay)
	d.teams = changedRows(t, teamKind.kind, stay, func(t *parley.Team) string { return t.Name })
}

// teamNames finds two teams of the same name.
func (w *work) teamNames(section string, all []planned[parley.Team]) {
	owners := map[string]bool{}
	for i := range all {
		name := strings.ToLower(all[i].row.Name)
		if owners[name] {
			w.faults.say(all[i].at(section, "name"), "another team is called "+all[i].row.Name)
		}
		owners[name] = true
	}
}

// planTeam makes a team of its entry, beside what is there.
func (w *work) planTeam(t *target, d *deskPlan, e entry[parley.Team]) (p planned[parley.Team], ok bool) {
	var m ManifestTeam
	if err := wire.Decode(e.given, &m); err != nil {
		_ = w.faults.take(e.path, err) // wire.Decode fails with faults only
		return p, false
	}
	team := parley.Team{ID: parley.TeamID(d.id()), AccountID: w.Account.ID, AgentID: t.agent.ID, CreatedAt: later(t.now, e.index)}
	if e.there != nil {
		team = *e.there
	}
	team.Key, team.Name, team.Strategy, team.MaxOpen, team.Hours, team.UpdatedAt = e.key, m.Name, parley.Strategy(m.Strategy), m.MaxOpen, m.Hours, t.now
	w.checkHours(e.path, m.Hours)
	team.Members = w.planTeamMembers(t, d, e, m.Members)
	return planned[parley.Team]{entry: e, row: team, claim: m.Default, managed: true}, true
}

// planTeamMembers makes the members of a team of their entries, each laid over what is there.
func (w *work) planTeamMembers(t *target, d *deskPlan, e entry[parley.Team], section []json.RawMessage) (members []parley.TeamMember) {
	seen := map[parley.UserID]bool{}
	for i, text := range section {
		path := e.path + ".members." + strconv.Itoa(i)
		var name struct{ Email string }
		_ = json.Unmarshal(text, &name) // what is wrong is found below
		row := parley.TeamMember{JoinedAt: later(t.now, i)}
		before := json.RawMessage(nil)
		if there := memberOf(e.there, name.Email); there != nil {
			row, before = *there, showTeamMember(there)
		}
		given, err := overlay(before, text)
		if err != nil {
			w.faults.say(path, "must be an object")
			continue
		}
		var m ManifestTeamMember
		if err := wire.Decode(given, &m); err != nil {
			_ = w.faults.take(path, err)
			continue
		}
		w.checkHours(path, m.Hours)
		user := d.roster.member(m.Email)
		switch {
		case user == nil:
			w.faults.say(path+".email", m.Email+" is not a member of the account; `parley member add` makes one")
			continue
		case seen[user.ID]:
			w.faults.say(path+".email", "another entry is about this member")
			continue
		}
		seen[user.ID] = true
		row.User, row.MaxOpen, row.Hours, row.Away = *user, m.MaxOpen, m.Hours, m.Away
		members = append(members, row)
	}
	if e.there != nil { // who was there keeps their place
		place := func(m parley.TeamMember) int {
			i := slices.IndexFunc(e.there.Members, func(o parley.TeamMember) bool { return o.User.ID == m.User.ID })
			return cmp.Or(i+1, len(e.there.Members)+1)
		}
		slices.SortStableFunc(members, func(a, b parley.TeamMember) int { return place(a) - place(b) })
	}
	return members
}

// later tells apart what is made at once: teams and their members are listed by their age, in the order of the manifest.
func later(now time.Time, i int) time.Time { return now.Add(time.Duration(i+1) * time.Millisecond) }

func memberOf(team *parley.Team, email string) *parley.TeamMember {
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
