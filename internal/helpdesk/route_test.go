package helpdesk

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/testkit/dbs"
)

func TestRoute(t *testing.T) {
	condition := func(field, op string, values ...string) parley.Condition {
		return parley.Condition{Field: field, Op: op, Values: values}
	}
	all := func(key string, list ...parley.Condition) parley.Rule {
		return parley.Rule{Key: key, Enabled: true, All: list, TeamID: parley.TeamID("team " + key)}
	}
	ticket := RoutingInput{Subject: "Refund für Bestellung 4711", Body: "My ORDER never came.",
		Email: "Ann@Shop.Example.com", Channel: parley.TicketAPI, Priority: "high"}
	off := all("off")
	off.Enabled = false
	either := all("either", condition("priority", "is", "high"))
	either.Any = []parley.Condition{condition("subject", "contains", "invoice"), condition("body", "contains", "order")}
	neither := either
	neither.Key, neither.Any = "neither", []parley.Condition{condition("subject", "contains", "invoice")}
	toAnn := all("ann")
	toAnn.MemberID = "ann"
	onlyAnn := parley.Rule{Key: "only", Enabled: true, MemberID: "ann"}
	departed := all("gone")
	departed.MemberID = "left"
	for name, c := range map[string]struct {
		rules []parley.Rule
		rule  string
		want  Decision
	}{
		"no rules":                        {nil, "", Decision{}},
		"no conditions hold for all":      {[]parley.Rule{all("a")}, "a", Decision{TeamID: "team a"}},
		"the first match wins":            {[]parley.Rule{all("a"), all("b")}, "a", Decision{TeamID: "team a"}},
		"one switched off is passed over": {[]parley.Rule{off, all("b")}, "b", Decision{TeamID: "team b"}},
		"one that does not hold, too": {[]parley.Rule{all("a", condition("subject", "is", "refund")), all("b")}, "b",
			Decision{TeamID: "team b"}},
		"none holds": {[]parley.Rule{all("a", condition("channel", "is", "email"))}, "", Decision{}},
		"is, whatever the case": {[]parley.Rule{all("a", condition("email", "is", "ann@shop.example.com"))}, "a",
			Decision{TeamID: "team a"}},
		"is, whatever the accents": {[]parley.Rule{all("a", condition("subject", "contains", "FUR bestellung"))}, "a",
			Decision{TeamID: "team a"}},
		"one of several values": {[]parley.Rule{all("a", condition("priority", "is", "urgent", "high"))}, "a",
			Decision{TeamID: "team a"}},
		"is not any of the values": {[]parley.Rule{all("a", condition("priority", "is_not", "urgent", "high"))}, "",
			Decision{}},
		"is not": {[]parley.Rule{all("a", condition("priority", "is_not", "urgent", "low"))}, "a",
			Decision{TeamID: "team a"}},
		"contains none": {[]parley.Rule{all("a", condition("body", "not_contains", "parcel", "order"))}, "",
			Decision{}},
		"does not contain": {[]parley.Rule{all("a", condition("body", "not_contains", "parcel"))}, "a",
			Decision{TeamID: "team a"}},
		"starts with": {[]parley.Rule{all("a", condition("subject", "starts_with", "refund"))}, "a",
			Decision{TeamID: "team a"}},
		"does not start with": {[]parley.Rule{all("a", condition("subject", "starts_with", "bestellung"))}, "",
			Decision{}},
		"ends with": {[]parley.Rule{all("a", condition("subject", "ends_with", "4711"))}, "a",
			Decision{TeamID: "team a"}},
		"the domain is all behind the @": {[]parley.Rule{all("a", condition("domain", "is", "shop.example.com"))}, "a",
			Decision{TeamID: "team a"}},
		"a part of the domain is not it": {[]parley.Rule{all("a", condition("domain", "is", "example.com"))}, "", Decision{}},
		"but it ends with it": {[]parley.Rule{all("a", condition("domain", "ends_with", ".example.com"))}, "a",
			Decision{TeamID: "team a"}},
		"channel": {[]parley.Rule{all("a", condition("channel", "is", "API"))}, "a",
			Decision{TeamID: "team a"}},
		"all of": {[]parley.Rule{all("a", condition("channel", "is", "api"),
			condition("priority", "is", "low"))}, "", Decision{}},
		"any of":                           {[]parley.Rule{either}, "either", Decision{TeamID: "team either"}},
		"none of any":                      {[]parley.Rule{neither}, "", Decision{}},
		"a field that nobody knows":        {[]parley.Rule{all("a", condition("inbox", "is_not", "x"))}, "", Decision{}},
		"an operator that nobody knows":    {[]parley.Rule{all("a", condition("subject", "matches", "x"))}, "", Decision{}},
		"team and member":                  {[]parley.Rule{toAnn}, "ann", Decision{TeamID: "team ann", MemberID: "ann"}},
		"a member alone":                   {[]parley.Rule{onlyAnn}, "only", Decision{MemberID: "ann"}},
		"one who has left leaves the team": {[]parley.Rule{departed, all("b")}, "gone", Decision{TeamID: "team gone"}},
	} {
		got := route(c.rules, map[parley.UserID]bool{"ann": true}, ticket)
		rule := ""
		if got.Rule != nil {
			rule = got.Rule.Key
		}
		if rule != c.rule || got.TeamID != c.want.TeamID || got.MemberID != c.want.MemberID {
			t.Errorf("%s: rule %q, %+v", name, rule, got)
		}
	}
}

func TestDomainOfOddAddresses(t *testing.T) {
	for address, want := range map[string]string{"a@b": "b", `"a@b"@c.de`: "c.de", "": "", "nobody": "nobody", "a@": ""} {
		if got := (RoutingInput{Email: address}).value("domain"); got != want {
			t.Errorf("%q: %q", address, got)
		}
	}
}

func TestRules(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		user, team := h.addMember(h.Account, "ann"), h.generalTeam()
		rule := func(key string) parley.Rule {
			return parley.Rule{Key: key, Name: "Rule " + key, Enabled: true, TeamID: team.ID,
				All: []parley.Condition{{Field: "email", Op: "ends_with", Values: []string{"." + key}}}}
		}
		put := func(list ...parley.Rule) string {
			h.Must(h.putRules(list))
			rules, err := h.Rules(h, h.ref())
			h.Must(err)
			var keys []string
			for i, r := range rules {
				if r.Position != i {
					h.Errorf("%+v", r)
				}
				keys = append(keys, r.Key)
			}
			return strings.Join(keys, " ")
		}
		if got := put(rule("a"), rule("b"), rule("c")); got != "a b c" {
			h.Error(got)
		}
		before, err := h.Rules(h, h.ref())
		h.Must(err)
		if got := put(rule("c"), rule("a")); got != "c a" {
			h.Error(got)
		}
		after, err := h.Rules(h, h.ref())
		h.Must(err)
		if after[1].ID != before[0].ID || !after[1].CreatedAt.Equal(before[0].CreatedAt) {
			h.Error("a rule that moves becomes another one")
		}
		bad := rule("d")
		bad.All[0].Op, bad.TeamID = "like", ""
		err = h.putRules([]parley.Rule{rule("a"), bad})
		if e := parley.AsError(err); e.Details["1.all.0.op"] == "" || e.Details["1.team"] == "" || len(e.Details) != 2 {
			h.Error(err, e.Details)
		}
		for code, change := range map[parley.Code]func(*parley.Rule){
			parley.CodeTicketTeam:   func(r *parley.Rule) { r.TeamID = "none" },
			parley.CodeTicketMember: func(r *parley.Rule) { r.MemberID = "none" },
			parley.CodeInvalidBody: func(r *parley.Rule) {
				r.All[0] = parley.Condition{Field: "priority", Op: "is", Values: []string{"huge"}}
			},
		} {
			wrong := rule("x")
			change(&wrong)
			h.WantCode(h.putRules([]parley.Rule{wrong}), code)
		}
		h.WantCode(h.putRules([]parley.Rule{rule("a"), rule("a")}), parley.CodeInvalidBody)
		leaving := rule("ann")
		leaving.MemberID = user
		if got := put(leaving); got != "ann" {
			h.Error(got)
		}
		_, err = h.DB.SQL().Exec(h, `delete from memberships where user_id = ?`, user)
		h.Must(err)
		in := newTicketRequest(1)
		in.Email = "a@b.ann"
		if got := h.mustOpen(in); got.TeamID != team.ID || got.AssigneeID != "" {
			h.Errorf("%+v", got)
		}
		leaving.Enabled = false
		if got := put(leaving, parley.Rule{Name: "No key", TeamID: team.ID}); !strings.HasPrefix(got, "ann ") {
			h.Error("a removed member prevents changes of the rules:", got)
		}
	})
}

func TestExplain(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 3)
		team := h.generalTeam()
		h.Must(h.JoinTeam(h, h.ref(), team.ID,
			parley.TeamMember{User: parley.User{ID: users[0]}, IsAway: true}, "operator"))
		h.Must(h.putRules([]parley.Rule{
			{Key: "off", Name: "Off", TeamID: team.ID},
			{Key: "vip", Name: "VIP", Enabled: true, MemberID: users[2],
				All: []parley.Condition{{Field: "domain", Op: "is", Values: []string{"vip.example"}}}},
			{Key: "urgent", Name: "Urgent", Enabled: true, TeamID: team.ID,
				All: []parley.Condition{{Field: "priority", Op: "is", Values: []string{"urgent"}}},
				Any: []parley.Condition{{Field: "subject", Op: "contains", Values: []string{"down"}},
					{Field: "body", Op: "contains", Values: []string{"down"}}}},
		}))
		e, err := h.Explain(h, h.ref(),
			RoutingInput{Subject: "All is down", Body: "help", Email: "a@b.example", Priority: "urgent"})
		h.Must(err)
		if e.FiredRule == nil || e.FiredRule.Key != "urgent" || e.Team.ID != team.ID || e.IsDefaultTeam ||
			e.Assignee.ID != users[1] || !strings.Contains(e.Summary, "Urgent fired") {
			h.Errorf("%+v", e)
		}
		if off, vip, urgent := e.Rules[0], e.Rules[1], e.Rules[2]; off.WasReached || !off.Matches || !vip.WasReached ||
			vip.Matches || vip.All[0].Matches || vip.All[0].Text != "b.example" ||
			!urgent.HasFired || !urgent.All[0].Matches || !urgent.Any[0].Matches || urgent.Any[1].Matches {
			h.Errorf("%+v", e.Rules)
		}
		if c := e.Candidates; len(c) != 3 || c[0].Reason != "is away" || !c[1].IsPicked || c[2].IsPicked ||
			c[2].Reason != "it is somebody else's turn" {
			h.Errorf("%+v", c)
		}
		e, err = h.Explain(h, h.ref(), RoutingInput{Email: "a@vip.example", Priority: "urgent", Subject: "down"})
		h.Must(err)
		if e.FiredRule.Key != "vip" || e.Team != nil || e.Assignee.ID != users[2] || e.Candidates != nil ||
			e.Rules[2].WasReached || !e.Rules[2].Matches {
			h.Errorf("%+v", e)
		}
		e, err = h.Explain(h, h.ref(), RoutingInput{Email: "a@b.example"})
		h.Must(err)
		if e.FiredRule != nil || !e.IsDefaultTeam || e.Assignee.ID != users[1] {
			h.Errorf("%+v", e)
		}
		if dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from tickets`) != 0 ||
			dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from people`) != 0 {
			h.Error("an explanation has written something")
		}
		// A real ticket is routed as explained.
		in := newTicketRequest(1)
		in.Priority, in.Subject = "urgent", "All is down"
		if got := h.mustOpen(in); got.AssigneeID != users[1] || got.TeamID != team.ID {
			h.Errorf("%+v", got)
		}
	})
}
