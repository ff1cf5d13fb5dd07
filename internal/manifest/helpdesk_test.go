package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/helpdesk"
)

// helpdeskManifest writes a manifest of the agent "shop" with a helpdesk.
func helpdeskManifest(sections string) string {
	return `{"agent":{"key":"shop"},"settings":{"name":"Shop"},"helpdesk":{` + sections + `}}`
}

const (
	triageStatus = `{"key":"triage","category":"new","label":"Triage","externalLabel":"Received",` +
		`"color":"#aabbcc","default":true}`
	parkedStatus = `{"key":"parked","category":"on_hold","label":"Parked","archived":true}`
	billingTeam  = `{"key":"billing","name":"Billing","strategy":"balanced","maxOpen":20,
		"hours":[{"days":["mon","tue","wed","thu","fri"],"from":"09:00","to":"17:30","zone":"Europe/Berlin"}],
		"members":[{"email":"kim@example.com","maxOpen":5},{"email":"lee@example.com","away":true,"hours":[{"days":["sat"],` +
		`"from":"22:00","to":"06:00","zone":"UTC"}]}]}`
	invoicesRule = `{"key":"invoices","name":"Invoices","all":[{"field":"subject","op":"contains","values":["invoice",` +
		`"bill"]}],
		"any":[{"field":"domain","op":"is","values":["shop.example"]}],"team":"billing"}`
	bossRule        = `{"key":"boss","name":"The boss","enabled":false,"team":"General","assignee":"kim@example.com"}`
	helpdeskSection = `"handover":false,"statuses":[` + triageStatus + `,` + parkedStatus + `],"teams":[` +
		billingTeam + `],"rules":[` + invoicesRule + `,` + bossRule + `]`
)

// addMembers adds Kim and Lee to the account, and Lou to another one.
func (mt *manifestTest) addMembers() {
	mt.t.Helper()
	for email, account := range map[string]string{"kim@example.com": mt.Account, "lee@example.com": mt.Account,
		"lou@example.com": mt.OtherAccount} {
		if _, err := admin.RunOn(mt.t.Context(), mt.AdminService, admin.AddMember,
			admin.NewMember{AccountID: account, Email: email, Name: email}); err != nil {
			mt.t.Fatal(err)
		}
	}
}

func (mt *manifestTest) helpdeskSetup(agent parley.AgentID) *helpdesk.Setup {
	mt.t.Helper()
	got, err := mt.Manifests.Helpdesk.Setup(mt.t.Context(), parley.AccountID(mt.Account).AgentRef(agent))
	if err != nil || got == nil {
		mt.t.Fatal(got, err)
	}
	return got
}

func TestHelpdeskOfAManifest(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		s.addMembers()
		const all = "create agent shop; update helpdesk; create status triage; create status parked; update " +
			"status New; create team billing; create rule invoices; create rule boss; "
		_, changes := s.apply(admin.ApplyManifest{DryRun: true}, helpdeskManifest(helpdeskSection))
		s.requireEqual("dry run", changes, all)
		agent, changes := s.apply(admin.ApplyManifest{}, helpdeskManifest(helpdeskSection))
		s.requireEqual("first", changes, all)
		for _, in := range []admin.ApplyManifest{{}, {Prune: true}, {DryRun: true}} {
			_, changes := s.apply(in, helpdeskManifest(helpdeskSection))
			s.requireEqual("again", changes, "")
		}
		got := s.helpdeskSetup(agent)
		if got.Handover || len(got.Statuses) != 8 || len(got.Teams) != 2 || len(got.Rules) != 2 {
			t.Fatalf("%+v", got)
		}
		if first, second := got.Statuses[0], got.Statuses[1]; first.InternalLabel != "New" || first.IsDefault ||
			!second.IsDefault || second.ExternalLabel != "Received" {
			t.Errorf("%+v %+v", first, second)
		}
		team := got.Teams[1]
		if len(team.Members) != 2 || *team.MaxOpen != 20 || team.Hours[0].To != "17:30" || team.IsDefault ||
			!got.Teams[0].IsDefault {
			t.Errorf("%+v", team)
		}
		if rule := got.Rules[0]; rule.TeamID != team.ID || rule.Any[0].Values[0] != "shop.example" ||
			got.Rules[1].Enabled || got.Rules[1].TeamID != got.Teams[0].ID || got.Rules[1].MemberID == "" {
			t.Errorf("%+v", got.Rules)
		}

		out := s.export(agent)
		_, changes = s.apply(admin.ApplyManifest{Prune: true}, out)
		s.requireEqual("export", changes, "")
		_, changes = s.apply(admin.ApplyManifest{}, strings.Replace(out, `"key":"shop"`, `"key":"copy"`, 1))
		s.requireEqual("copy", changes,
			"create agent copy; update helpdesk; update status New; create status triage; create status parked; "+
				"create team billing; create rule invoices; create rule boss; ")
	})
}

func TestSLATargetsOfAManifest(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		const targets = `"slaTargets":[{"priority":"high","firstReplyMinutes":60,"resolutionMinutes":480},{"priority":"low"}]`
		agent, changes := s.apply(admin.ApplyManifest{}, helpdeskManifest(targets))
		s.requireEqual("first", changes, "create agent shop; update helpdesk slaTargets; ")
		got := s.helpdeskSetup(agent).Targets
		if len(got) != 1 || got[0] != (parley.SLATarget{Priority: "high", FirstReplyMinutes: 60, ResolutionMinutes: 480}) {
			t.Errorf("%+v", got)
		}
		for _, silent := range []string{targets, ``, `"rules":[]`} {
			_, changes = s.apply(admin.ApplyManifest{Prune: true}, helpdeskManifest(silent))
			s.requireEqual(silent, changes, "")
		}
		_, changes = s.apply(admin.ApplyManifest{}, strings.Replace(s.export(agent), `"key":"shop"`, `"key":"copy"`, 1))
		s.requireEqual("copy", changes, "create agent copy; update helpdesk slaTargets; ")
		_, err := s.tryApply(admin.ApplyManifest{}, helpdeskManifest(`"slaTargets":[{"priority":"huge"}]`))
		s.requireFault(err, "0.helpdesk.slaTargets.0.priority", "must be one of")
		_, changes = s.apply(admin.ApplyManifest{}, helpdeskManifest(`"slaTargets":[]`))
		s.requireEqual("none", changes, "update helpdesk slaTargets; ")
		if left := s.helpdeskSetup(agent).Targets; len(left) > 0 {
			t.Errorf("%+v", left)
		}
	})
}

func TestHelpdeskStaysIfTheManifestHasNone(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		s.addMembers()
		agent, _ := s.apply(admin.ApplyManifest{}, helpdeskManifest(helpdeskSection))
		out := s.export(agent)
		for _, silent := range []string{``, `"statuses":[{"key":"triage"}]`,
			`"teams":[{"key":"billing","members":[{"email":"LEE@example.com"},{"email":"kim@example.com"}]},{"name":"General"}]`,
			`"teams":[{"name":"General","key":"general"}],"rules":[]`} {
			_, changes := s.apply(admin.ApplyManifest{}, helpdeskManifest(silent))
			want := ""
			if strings.Contains(silent, `"key":"general"`) {
				want = "update team general; " // which now has a key
			} else {
				s.requireEqual("export", s.export(agent), out)
			}
			s.requireEqual(silent, strings.Replace(changes, "update rule boss; ", "", 1), want)
		}
		_, changes := s.apply(admin.ApplyManifest{},
			helpdeskManifest(`"teams":[{"key":"billing","maxOpen":null,"hours":null,`+
				`"members":[{"email":"lee@example.com","away":false}]}]`))
		s.requireEqual("less", changes, "update team billing; ")
		team := s.helpdeskSetup(agent).Teams[1]
		if team.MaxOpen != nil || len(team.Hours) != 0 || len(team.Members) != 1 || team.Members[0].IsAway ||
			len(team.Members[0].Hours) != 1 {
			t.Errorf("%+v", team)
		}
	})
}

func TestHelpdeskIsPruned(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		s.addMembers()
		agent, _ := s.apply(admin.ApplyManifest{}, helpdeskManifest(helpdeskSection))
		_, changes := s.apply(admin.ApplyManifest{Prune: true}, helpdeskManifest(`"handover":true`))
		s.requireEqual("sections that are absent", changes, "update helpdesk; ")
		_, err := s.tryApply(admin.ApplyManifest{Prune: true}, helpdeskManifest(`"statuses":[]`))
		s.requireFault(err, "0.helpdesk.statuses", "default status of the category new")
		_, changes = s.apply(admin.ApplyManifest{Prune: true},
			helpdeskManifest(`"statuses":[{"category":"new","label":"New","default":true}],"teams":[],"rules":[`+bossRule+`]`))
		s.requireEqual("prune", changes,
			"update status New; update status triage; delete team billing; delete rule invoices; ")
		got := s.helpdeskSetup(agent)
		if len(got.Statuses) != 8 || got.Statuses[1].ArchivedAt == nil || len(got.Teams) != 1 || len(got.Rules) != 1 {
			t.Errorf("%+v", got)
		}
		s.apply(admin.ApplyManifest{}, helpdeskManifest(helpdeskSection))
		_, changes = s.apply(admin.ApplyManifest{},
			helpdeskManifest(`"teams":[{"name":"General"},{"key":"billing","name":"General "}]`))
		s.requireEqual("another name", changes, "update team billing; ")
		_, changes = s.apply(admin.ApplyManifest{},
			helpdeskManifest(`"teams":[{"name":"General","key":"g"},{"key":"billing","default":true}]`))
		s.requireEqual("another default", changes, "update team g; update team billing; ")
		_, changes = s.apply(admin.ApplyManifest{},
			helpdeskManifest(`"teams":[{"key":"g","name":"General "},{"key":"billing","name":"General"}],`+
				`"rules":[{"key":"boss","team":"g"}]`))
		s.requireEqual("names swap", changes, "update team g; update team billing; ")
		_, changes = s.apply(admin.ApplyManifest{Prune: true}, helpdeskManifest(`"teams":[{"key":"billing"}]`))
		s.requireEqual("the team of a rule goes", changes, "delete team g; ")
		if got := s.helpdeskSetup(agent); got.Rules[1].Key != "boss" || got.Rules[1].TeamID != got.Teams[0].ID ||
			got.Teams[0].Key != "billing" {
			t.Errorf("%+v", got)
		}
	})
}

func TestLabelsOfAManifestAreDistinct(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		const a, b = `{"key":"a","category":"on_hold","label":"Parts"`, `{"key":"b","category":"on_hold","label":"pARTS"`
		wantText := "another status of the category on_hold that is in use"
		_, err := s.tryApply(admin.ApplyManifest{}, helpdeskManifest(`"statuses":[`+a+`},`+b+`}]`))
		s.requireFault(err, "0.helpdesk.statuses.1.label", wantText)
		_, err = s.tryApply(admin.ApplyManifest{},
			helpdeskManifest(`"statuses":[{"key":"a","category":"on_hold","label":"ON HOLD","default":true},`+
				`{"key":"c","category":"on_hold","label":"on hold"}]`))
		s.requireFault(err, "0.helpdesk.statuses.1.label", wantText)
		_, changes := s.apply(admin.ApplyManifest{}, helpdeskManifest(`"statuses":[`+a+`,"archived":true},`+b+
			`},{"key":"c","category":"closed","label":"Parts"}]`))
		s.requireEqual("archived, and of another category", changes,
			"create agent shop; create status a; create status b; create status c; ")
		_, err = s.tryApply(admin.ApplyManifest{}, helpdeskManifest(`"statuses":[`+a+`}]`))
		s.requireFault(err, "0.helpdesk.statuses.0.label", wantText)
		_, changes = s.apply(admin.ApplyManifest{}, helpdeskManifest(`"statuses":[`+a+`},`+b+`,"archived":true}]`))
		s.requireEqual("one in place of the other", changes, "update status a; update status b; ")
		_, changes = s.apply(admin.ApplyManifest{},
			helpdeskManifest(`"statuses":[{"key":"d","category":"on_hold","label":"Parts","default":true},`+a+
				`,"archived":true}]`))
		s.requireEqual("a default in place of the other", changes,
			"create status d; update status a; update status On hold; ")
	})
}

func TestFaultsOfAHelpdesk(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		s.addMembers()
		bad := helpdeskManifest(`"handover":"yes","colour":1,
			"statuses":[{"category":"old","label":""},{"key":"a","category":"new","label":"A","default":true,"color":"red"},` +
			`{"key":"b","category":"new","label":"B","default":true,"archived":true},
				{"key":"c","category":"closed","label":"C","default":true},{"key":"c"},5,{"key":"d","category":"closed",` +
			`"label":"D","default":true,"archived":true}],
			"teams":[{"key":"t","name":"T","strategy":"luck","members":[{"email":"lou@example.com"}]},{"key":"u","name":"U",` +
			`"maxOpen":-1},{"key":"v","name":"general"},
				{"key":"w","name":"W","hours":[{"days":["someday"],"from":"9","to":"25:00","zone":"Mars"}],` +
			`"members":[{"email":"kim@example.com"},{"email":"KIM@example.com"},{"email":"lou@example.com"},{}]}],
			"rules":[{"key":"r","team":"nobody"},{"key":"q","assignee":"lou@example.com"},{"key":"p","name":"P"},` +
			`{"name":"without"},{"key":"o","team":"General","all":[{"field":"colour","op":"resembles","values":[]}]}]`)
		_, err := s.tryApply(admin.ApplyManifest{}, bad)
		for path, wantText := range map[string]string{
			"handover": "true or false", "colour": "not allowed", "statuses.0.category": "must be one of",
			"statuses.0.label": "at least 1", "statuses.1.color": "must match",
			"statuses.4.key": "another entry", "statuses.5": "must be an object", "statuses.6.default": "another entry",
			"statuses.6.archived": "",
			"teams.0.strategy":    "must be one of", "teams.1.maxOpen": "must be from 0",
			"teams.3.hours.0.days": "someday", "teams.3.hours.0.from": "09:00",
			"teams.3.hours.0.to": "17:30", "teams.3.hours.0.zone": "time zone",
			"teams.3.members.1.email": "another entry", "teams.3.members.2.email": "lou@example.com is not a member",
			"teams.3.members.3.email": "is required", "rules.0.team": "no team nobody",
			"rules.1.assignee": "lou@example.com is not a member", "rules.2.team": "must be named",
			"rules.3.key": "is required", "rules.4.all.0.field": "must be one of", "rules.4.all.0.op": "must be one of",
			"rules.4.all.0.values": "1 to 100",
		} {
			s.requireFault(err, "0.helpdesk."+path, wantText)
		}
		s.apply(admin.ApplyManifest{}, helpdeskManifest(helpdeskSection))
		_, err = s.tryApply(admin.ApplyManifest{},
			helpdeskManifest(`"statuses":[{"key":"triage","category":"closed","default":false}],`+
				`"teams":[{"name":"billing"},{"name":"Other","default":true,"key":"x"},{"name":"Other",`+
				`"default":true}]`))
		for path, wantText := range map[string]string{"statuses.0.category": "cannot change",
			"teams.0.key": "has the key billing", "teams.2.default": "another entry", "teams.2.name": "another team"} {
			s.requireFault(err, "0.helpdesk."+path, wantText)
		}
		_, err = s.tryApply(admin.ApplyManifest{},
			helpdeskManifest(`"statuses":[{"key":"triage","default":false}],"teams":[{"name":"General","default":false}]`))
		s.requireFault(err, "0.helpdesk.statuses.0.default", "one must be")
		s.requireFault(err, "0.helpdesk.teams.0.default", "one must be")
	})
}

func TestRulesOfAManifestAreLimited(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		many := func(name string, n int) string {
			var list []string
			for i := range n {
				list = append(list, fmt.Sprintf(`{"key":"%s%d","team":"General"}`, name, i))
			}
			return helpdeskManifest(`"rules":[` + strings.Join(list, ",") + `]`)
		}
		s.apply(admin.ApplyManifest{}, many("a", 150))
		_, err := s.tryApply(admin.ApplyManifest{}, many("b", 51))
		s.requireFault(err, "0.helpdesk.rules", "201 rules")
		agent, _ := s.apply(admin.ApplyManifest{Prune: true}, many("b", 51))
		if n := len(s.helpdeskSetup(agent).Rules); n != 51 {
			t.Error(n)
		}
	})
}
