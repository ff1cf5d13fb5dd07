package helpdesk

import (
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/testkit/check"
)

func TestShifts(t *testing.T) {
	days := parley.WorkingHours{Days: []string{"mon", "tue", "wed", "thu", "fri"}, From: "09:00", To: "17:00",
		TimeZone: "Europe/Berlin"}
	night := parley.WorkingHours{Days: []string{"sat"}, From: "22:00", To: "06:00", TimeZone: "Europe/Berlin"}
	late := parley.WorkingHours{Days: []string{"fri"}, From: "18:00", To: "24:00", TimeZone: "America/New_York"}
	round := parley.WorkingHours{Days: []string{"sun"}, From: "08:00", To: "08:00", TimeZone: "Asia/Kolkata"}
	for _, c := range []struct {
		name  string
		shift parley.WorkingHours
		at    string
		want  bool
	}{
		{"the first minute", days, "2026-11-20T09:00:00+01:00", true},
		{"the minute before", days, "2026-11-20T08:59:59+01:00", false},
		{"the last second", days, "2026-11-20T16:59:59+01:00", true},
		{"the end", days, "2026-11-20T17:00:00+01:00", false},
		{"a Saturday", days, "2026-11-21T10:00:00+01:00", false},
		{"told in another zone", days, "2026-11-20T08:00:00Z", true},
		{"in summer 09:00 is an hour earlier", days, "2026-07-06T07:00:00Z", true},
		{"in winter it is not", days, "2026-11-20T07:00:00Z", false},
		{"overnight, the evening", night, "2026-11-21T23:30:00+01:00", true},
		{"overnight, the morning", night, "2026-11-22T05:59:00+01:00", true},
		{"overnight, its end", night, "2026-11-22T06:00:00+01:00", false},
		{"overnight, the morning before", night, "2026-11-21T05:00:00+01:00", false},
		{"overnight, the evening after", night, "2026-11-22T23:00:00+01:00", false},
		{"the night to summer time: 01:59 CET", night, "2026-03-29T00:59:00Z", true},
		{"the night to summer time: 03:00 CEST", night, "2026-03-29T01:00:00Z", true},
		{"the night to summer time: 06:00 CEST is an hour earlier", night, "2026-03-29T04:00:00Z", false},
		{"the night to summer time: 05:59 CEST", night, "2026-03-29T03:59:00Z", true},
		{"the night to winter time: the first 02:30", night, "2026-10-25T00:30:00Z", true},
		{"the night to winter time: the second 02:30", night, "2026-10-25T01:30:00Z", true},
		{"the night to winter time: 05:59 CET", night, "2026-10-25T04:59:00Z", true},
		{"the night to winter time: 06:00 CET", night, "2026-10-25T05:00:00Z", false},
		{"until midnight", late, "2026-11-20T23:59:59-05:00", true},
		{"midnight", late, "2026-11-21T00:00:00-05:00", false},
		{"from eight to eight is a whole day", round, "2026-11-22T08:00:00+05:30", true},
		{"its last minute", round, "2026-11-23T07:59:00+05:30", true},
		{"its end", round, "2026-11-23T08:00:00+05:30", false},
		{"a zone that is not known counts as UTC", parley.WorkingHours{Days: []string{"fri"}, From: "12:00",
			To: "13:00", TimeZone: "Mars/Base"}, "2026-11-20T12:30:00Z", true},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := isOnShift([]parley.WorkingHours{c.shift}, at); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if !isOnShift(nil, noon) {
		t.Error("without hours people always work")
	}
}

func TestPickAssignee(t *testing.T) {
	two, none := 2, 0
	member := func(name string, open int, turn int64, change func(*store.MemberWorkload)) store.MemberWorkload {
		m := store.MemberWorkload{TeamMember: parley.TeamMember{User: parley.User{ID: parley.UserID(name)},
			LastAssignment: turn}, OpenTickets: open}
		if change != nil {
			change(&m)
		}
		return m
	}
	away := func(m *store.MemberWorkload) { m.IsAway = true }
	off := func(m *store.MemberWorkload) {
		m.Hours = []parley.WorkingHours{{Days: []string{"fri"}, From: "00:00", To: "12:00", TimeZone: "UTC"}}
	}
	on := func(m *store.MemberWorkload) {
		m.Hours = []parley.WorkingHours{{Days: []string{"fri"}, From: "12:00", To: "13:00", TimeZone: "UTC"}}
	}
	maxOpen := func(n *int) func(*store.MemberWorkload) { return func(m *store.MemberWorkload) { m.MaxOpen = n } }
	weekend := []parley.WorkingHours{{Days: []string{"sat", "sun"}, From: "00:00", To: "24:00", TimeZone: "UTC"}}
	for name, c := range map[string]struct {
		team    parley.Team
		members []store.MemberWorkload
		want    parley.UserID
	}{
		"nobody is there": {parley.Team{Strategy: parley.StrategyRoundRobin}, nil, ""},
		"manual picks nobody": {parley.Team{Strategy: parley.StrategyManual},
			[]store.MemberWorkload{member("a", 0, 0, nil)}, ""},
		"round robin: who waited longest": {parley.Team{Strategy: parley.StrategyRoundRobin},
			[]store.MemberWorkload{member("a", 0, 3, nil), member("b", 9, 2, nil)}, "b"},
		"round robin: of equal ones the first": {parley.Team{Strategy: parley.StrategyRoundRobin},
			[]store.MemberWorkload{member("a", 5, 0, nil), member("b", 0, 0, nil)}, "a"},
		"balanced: the fewest open tickets": {parley.Team{Strategy: parley.StrategyBalanced},
			[]store.MemberWorkload{member("a", 3, 1, nil), member("b", 2, 9, nil)}, "b"},
		"balanced: of equal ones who waited": {parley.Team{Strategy: parley.StrategyBalanced},
			[]store.MemberWorkload{member("a", 2, 9, nil), member("b", 2, 1, nil)}, "b"},
		"one who is away is passed over": {parley.Team{Strategy: parley.StrategyRoundRobin},
			[]store.MemberWorkload{member("a", 0, 0, away), member("b", 0, 9, nil)}, "b"},
		"one who is off shift, too": {parley.Team{Strategy: parley.StrategyRoundRobin},
			[]store.MemberWorkload{member("a", 0, 0, off), member("b", 0, 9, nil)}, "b"},
		"the team's hours hold where own don't": {parley.Team{Strategy: parley.StrategyRoundRobin, Hours: weekend},
			[]store.MemberWorkload{member("a", 0, 0, nil), member("b", 0, 9, on)}, "b"},
		"own limit": {parley.Team{Strategy: parley.StrategyRoundRobin},
			[]store.MemberWorkload{member("a", 2, 0, maxOpen(&two)), member("b", 2, 9, nil)}, "b"},
		"the team's limit": {parley.Team{Strategy: parley.StrategyRoundRobin, MaxOpen: &two},
			[]store.MemberWorkload{member("a", 2, 0, nil), member("b", 1, 9, nil)}, "b"},
		"own limit in place of the team's": {parley.Team{Strategy: parley.StrategyBalanced, MaxOpen: &none},
			[]store.MemberWorkload{member("a", 0, 0, nil), member("b", 1, 9, maxOpen(&two))}, "b"},
		"all are full": {parley.Team{Strategy: parley.StrategyBalanced, MaxOpen: &none},
			[]store.MemberWorkload{member("a", 0, 0, nil)}, ""},
	} {
		list := rateCandidates(&c.team, c.members, noon)
		var got parley.UserID
		if best := pickAssignee(c.team.Strategy, list); best >= 0 {
			got = list[best].User.ID
		}
		if got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		for _, one := range list {
			if one.Reason == "" || one.IsPicked != (one.User.ID == c.want) {
				t.Errorf("%s: %+v", name, one)
			}
		}
	}
}

func TestWorkingHoursAreChecked(t *testing.T) {
	good := parley.WorkingHours{Days: []string{"mon"}, From: "00:00", To: "24:00", TimeZone: "Europe/Berlin"}
	for field, change := range map[string]func(*parley.WorkingHours){
		"days": func(s *parley.WorkingHours) { s.Days = []string{"monday"} },
		"from": func(s *parley.WorkingHours) { s.From = "24:00" },
		"to":   func(s *parley.WorkingHours) { s.To = "24:01" },
		"zone": func(s *parley.WorkingHours) { s.TimeZone = "Local" },
	} {
		bad := good
		change(&bad)
		faults := map[string]string{}
		if checkHours(faults, "hours", []parley.WorkingHours{good, bad}); len(faults) != 1 || faults["hours.1."+field] == "" {
			t.Errorf("%s: %v", field, faults)
		}
	}
	for _, clock := range []string{"", "9:00", "09:60", "25:00", "-1:00", "09:00:00", "0900", "+1:00", "09:-1"} {
		if _, err := minuteOf(clock); err == nil {
			t.Errorf("%q passes", clock)
		}
	}
}

// assignments returns how many tickets each member has, and the assignees in the order of the tickets' numbers.
func (h *testHelpdesk) assignments(n int) (counts map[parley.UserID]int, order []parley.UserID) {
	h.Helper()
	counts = map[parley.UserID]int{}
	for number := range int64(n) {
		t, err := h.DB.Ticket(h, h.ref(), number+1)
		h.Must(err)
		counts[t.AssigneeID]++
		order = append(order, t.AssigneeID)
	}
	return counts, order
}

func (h *testHelpdesk) openMany(n int) {
	h.Helper()
	errs := make([]error, n)
	check.Concurrently(n, func(i int) {
		_, errs[i] = h.Open(h, h.ref(), newTicketRequest(i))
	})
	for _, err := range errs {
		h.Must(err)
	}
}

func TestRoundRobinIsExact(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 4)
		h.openMany(64)
		counts, order := h.assignments(64)
		for i, user := range order {
			if user != users[i%4] {
				h.Fatalf("ticket %d was assigned to %s; %v", i+1, user, counts)
			}
		}
	})
}

func TestBalancedWithinOne(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyBalanced, 5)
		closed, err := h.DB.DefaultStatus(h, h.ref(), parley.TicketClosed)
		h.Must(err)
		h.openMany(64)
		counts, _ := h.assignments(64)
		for _, user := range users {
			if n := counts[user]; n < 12 || n > 13 {
				h.Errorf("%v", counts)
			}
		}
		// A member who closes tickets gets the next ones.
		_, err = h.DB.SQL().Exec(h,
			`update tickets set is_open = 0, category = 'closed', status_id = ? where assignee_id = ?`, closed.ID, users[2])
		h.Must(err)
		for i := range 3 {
			if next := h.mustOpen(newTicketRequest(100 + i)); next.AssigneeID != users[2] {
				h.Error("assigned to", next.AssigneeID)
			}
		}
	})
}

func TestMostOpen(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 3)
		three, five := 3, 5
		team := h.generalTeam()
		_, err := h.ChangeTeam(h, h.ref(), team.ID, "operator", func(t *parley.Team) { t.MaxOpen = &three })
		h.Must(err)
		h.Must(h.JoinTeam(h, h.ref(), team.ID,
			parley.TeamMember{User: parley.User{ID: users[1]}, MaxOpen: &five}, "operator"))
		h.Must(h.JoinTeam(h, h.ref(), team.ID,
			parley.TeamMember{User: parley.User{ID: users[2]}, IsAway: true}, "operator"))
		h.openMany(16)
		counts, _ := h.assignments(16)
		if counts[users[0]] != 3 || counts[users[1]] != 5 || counts[users[2]] != 0 || counts[""] != 8 {
			h.Error(counts)
		}
	})
}

func TestShiftsDecideWhoIsPicked(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyBalanced, 2)
		team := h.generalTeam()
		day := []parley.WorkingHours{{Days: []string{"mon", "tue", "wed", "thu", "fri"}, From: "08:00", To: "20:00",
			TimeZone: "Europe/Berlin"}}
		night := []parley.WorkingHours{{Days: []string{"mon", "tue", "wed", "thu", "fri"}, From: "20:00", To: "08:00",
			TimeZone: "Europe/Berlin"}}
		for i, hours := range [][]parley.WorkingHours{day, night} {
			h.Must(h.JoinTeam(h, h.ref(), team.ID,
				parley.TeamMember{User: parley.User{ID: users[i]}, Hours: hours}, "operator"))
		}
		for _, c := range []struct {
			at   string
			want parley.UserID
		}{
			{"2026-03-27T12:00:00Z", users[0]},
			{"2026-03-28T06:59:00Z", users[1]}, // Saturday, 07:59 in Berlin: the night of Friday
			{"2026-03-28T07:00:00Z", ""},       // 08:00: the weekend
			{"2026-03-30T05:59:00Z", ""},       // Monday, 07:59 in summer: no shift of Sunday
			{"2026-03-30T06:00:00Z", users[0]}, // 08:00 in summer
			{"2026-10-23T18:00:00Z", users[1]}, // 20:00 in summer
			{"2026-10-26T18:30:00Z", users[0]}, // 19:30 in winter
			{"2026-10-26T19:00:00Z", users[1]}, // 20:00 in winter
		} {
			at, err := time.Parse(time.RFC3339, c.at)
			h.Must(err)
			h.Clock = at
			if got := h.mustOpen(newTicketRequest(1)); got.AssigneeID != c.want || got.TeamID != team.ID {
				h.Errorf("%s: %q", c.at, got.AssigneeID)
			}
		}
	})
}
