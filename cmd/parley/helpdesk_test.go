package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/testkit/dbs"
)

// requireOutput runs a command that must succeed, and checks that its output holds texts.
func requireOutput(t *testing.T, command string, wanted ...string) {
	t.Helper()
	status, out, errs := runCommand(t, splitCommandLine(command)...)
	for _, want := range wanted {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("parley %s: %d, %q is not in\n%s%s", command, status, want, out, errs)
		}
	}
}

// requireFailure runs a command that must fail.
func requireFailure(t *testing.T, status int, reason, command string) {
	t.Helper()
	if got, out, errs := runCommand(t, splitCommandLine(command)...); got != status || !strings.Contains(errs, reason) ||
		out != "" {
		t.Errorf("parley %s: %d %s%s, want %d %s", command, got, out, errs, status, reason)
	}
}

// splitCommandLine splits a command line at spaces outside quotes.
func splitCommandLine(command string) []string {
	list := placeholderPattern.FindAllString(command, -1)
	for i := range list {
		list[i] = strings.Trim(list[i], `"`)
	}
	return list
}

// The operator sets up a help desk and works with it, without a server and with one.
func TestHelpdeskCommands(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
			if database == "postgres" {
				t.Setenv("PARLEY_DATABASE_URL", dbs.SharedPostgres(t).NewStore(t))
			}
			created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
			for _, name := range []string{"Kim", "Lee"} {
				runJSON[admin.AddedMember](t, "member", "add", "--account", created.AccountID, "--email",
					strings.ToLower(name)+"@example.com", "--name", name)
			}
			s := startServer(t, "serve")
			agent := postJSON[struct{ ID string }](t, s.URL+"/api/v2/agents", created.APIKey, `{"name": "Shop"}`).ID
			testStatuses(t, agent)
			testTeams(t, agent)
			s.stopServer(t)
			testRules(t, agent)
			testRoutes(t, agent)
			s = startServer(t, "serve")
			testTickets(t, s.URL, agent, created.APIKey)
			s.stopServer(t)
			requireOutput(t, "ticket show 1 --agent "+agent, "Ticket 1: My invoice", "status      Parked (on_hold)",
				"customer (Jo)", "It is wrong.", "team (Kim)", "We look into it.", "team (Lee), note", "status change")
			requireOutput(t, "customer list --agent "+agent, "jo@shop.example", "Jo")
			testOnlyAgent(t)
			testMemberRemoval(t, created.AccountID, agent)
		})
	}
}

// Where there is one agent, no command needs its id.
func testOnlyAgent(t *testing.T) {
	t.Helper()
	for command, want := range map[string]string{
		"ticket-status list": "Waiting on you", "ticket-status change parked --label Shelved": "Shelved",
		"team list": "Billing", "team change billing --max-open 7": "most open 7",
		"rule list": "invoices", "rule enable vip": "vip", "route --subject Hello": "General",
		"ticket list": "My invoice", "ticket show 1": "Ticket 1", "ticket change 1 --priority low": "low",
		"customer list": "jo@shop.example",
	} {
		requireOutput(t, command, want)
	}
}

func testStatuses(t *testing.T, agent string) {
	t.Helper()
	if list := runJSON[[]admin.Status](t, "status", "list", "--agent", agent); len(list) != 6 ||
		list[1].Label != "Waiting on you" || list[1].ExternalLabel != "Open" || !list[1].Default {
		t.Errorf("%+v", list)
	}
	at := " --agent " + agent
	requireOutput(t,
		`status add --category on_hold --label Parked --external-label "We wait" --color #1a2b3c --key parked`+at,
		"Parked", "We wait", "#1a2b3c", "parked")
	requireFailure(t, 1, "another status of this key", "status add --category new --label X --key parked"+at)
	requireFailure(t, 1, "color", "status add --category new --label X --color red"+at)
	requireFailure(t, 1, "key", `status add --category new --label X --key "a key"`+at)
	requireFailure(t, 2, "--category", "status add --category old --label X"+at)
	requireOutput(t, "status default parked"+at, "default")
	requireFailure(t, 1, "default", "status archive Parked"+at)
	requireOutput(t, `status archive "on hold"`+at, "archived")
	requireOutput(t, `status change parked --external-label "On its way" --color ""`+at, "On its way")
	requireFailure(t, 2, "nothing to change", "status change parked"+at)
	requireFailure(t, 1, "no status", "status default nothing"+at)
	requireFailure(t, 1, "Agent not found", "status list --agent nobody")
}

func testTeams(t *testing.T, agent string) {
	t.Helper()
	at := " --agent " + agent
	requireOutput(t, "team list"+at, "General (default)", "round_robin")
	requireOutput(t,
		`team add --name Billing --strategy balanced --max-open 5 --key billing --hours "mon-fri 09:00-17:00 `+
			`Europe/Berlin" --hours "sat 10:00-12:00 UTC"`+at,
		"balanced", "mon,tue,wed,thu,fri 09:00-17:00 Europe/Berlin; sat 10:00-12:00 UTC", "most open 5")
	requireFailure(t, 1, "another team", "team add --name billing"+at)
	requireFailure(t, 2, "--hours", "team add --name X --hours always-not"+at)
	requireFailure(t, 1, "zone", `team add --name X --hours "mon 09:00-17:00 Mars"`+at)
	requireOutput(t, "team change billing --hours always --max-open none"+at, "Billing")
	if list := runJSON[[]admin.Team](t, "team", "list", "--agent", agent); len(list) != 2 || len(list[1].Hours) != 0 ||
		list[1].MaxOpen != nil {
		t.Errorf("%+v", list)
	}
	requireFailure(t, 2, "nothing to change", "team change billing"+at)
	requireOutput(t, "team join billing --member KIM@example.com --max-open 1"+at, "kim@example.com (Kim), most open 1")
	requireOutput(t, "team join billing --member lee@example.com --away"+at, "lee@example.com (Lee), away")
	requireOutput(t, "team join billing --member kim@example.com --max-open none"+at, "kim@example.com (Kim)\n")
	requireFailure(t, 1, "nobody@example.com", "team join billing --member nobody@example.com"+at)
	runJSON[admin.Team](t, "team", "add", "--name", "Later", "--agent", agent)
	requireOutput(t, "team join Later --member lee@example.com"+at, "lee@example.com")
	if list := runJSON[admin.Team](t, "team", "leave", "later", "--member", "lee@example.com", "--agent",
		agent); len(list.Members) != 0 {
		t.Errorf("%+v", list)
	}
	requireOutput(t, "team remove Later"+at, "Removed the team Later")
	requireFailure(t, 1, "default", "team remove General"+at)
	requireFailure(t, 1, "no team", "team remove Later"+at)
}

func testRules(t *testing.T, agent string) {
	t.Helper()
	at := " --agent " + agent
	requireOutput(t, "rule list"+at, "No rules")
	requireOutput(t, `rule add --key vip --name VIP --all "domain is vip.example" --assignee lee@example.com`+at,
		"domain is vip.example", "lee@example.com")
	requireOutput(t,
		`rule add --key invoices --all "subject contains invoice|bill" --any "domain is shop.example" --any `+
			`"priority is urgent" --team billing`+at,
		"subject contains invoice|bill and (domain is shop.example or priority is urgent)")
	requireFailure(t, 1, "a rule with the key vip", "rule add --key vip --team billing"+at)
	requireFailure(t, 2, "--all", "rule add --all subject --team billing"+at)
	requireFailure(t, 1, "field", `rule add --all "colour is red" --team billing`+at)
	requireFailure(t, 1, "team", "rule add --key x"+at)
	keys := func(list []admin.Rule) (keys []string) {
		for _, r := range list {
			keys = append(keys, r.Key)
		}
		return keys
	}
	if got := keys(runJSON[[]admin.Rule](t, "rule", "move", "invoices", "--to", "1", "--agent",
		agent)); !slices.Equal(got, []string{"invoices", "vip"}) {
		t.Error(got)
	}
	runJSON[[]admin.Rule](t, "rule", "add", "--key", "all", "--at", "2", "--team", "General", "--agent", agent)
	if got := keys(runJSON[[]admin.Rule](t, "rule", "remove", "all", "--agent", agent)); !slices.Equal(got,
		[]string{"invoices", "vip"}) {
		t.Error(got)
	}
	if got := runJSON[[]admin.Rule](t, "rule", "disable", "vip", "--agent", agent); got[1].Enabled {
		t.Error(got)
	}
	requireFailure(t, 1, `Rule "all" not found. "parley rule list --agent ID" lists`, "rule remove all"+at)
	requireFailure(t, 2, "first place", "rule move vip --to 0"+at)
}

func testRoutes(t *testing.T, agent string) {
	t.Helper()
	ask := fmt.Sprintf(`route --agent %s --subject "My invoice" --email jo@shop.example`, agent)
	requireOutput(t, ask, "The rule invoices fired", "team        Billing", "assignee    kim@example.com")
	requireOutput(t, ask+" --explain", "1. invoices (invoices) fires",
		`all subject contains invoice|bill: holds, for it is "My invoice"`,
		`any priority is urgent: does not hold, for it is "none"`,
		"2. VIP (vip) is disabled", "lee@example.com", "is away", "fewest open tickets")
	requireOutput(t, "route --agent "+agent+" --explain --email a@vip.example", "is disabled; it would hold",
		"No rule fired", "General")
	got := runJSON[admin.RouteResult](t, append(splitCommandLine(ask), "--explain")...)
	if got.Rule != "invoices" || len(got.Rules) != 2 || len(got.Rules[0].Conditions) != 3 || len(got.Candidates) != 2 ||
		!got.Candidates[0].Picked || got.Candidates[1].Eligible {
		t.Errorf("%+v", got)
	}
	requireFailure(t, 1, "channel", "route --agent "+agent+" --channel pigeon")
	requireFailure(t, 1, "priority", "route --agent "+agent+" --priority loud")
	if list := runJSON[[]admin.Ticket](t, "ticket", "list", "--agent", agent); len(list) != 0 {
		t.Error("it opened", list)
	}
}

func testTickets(t *testing.T, url, agent, key string) {
	t.Helper()
	at := " --agent " + agent
	first := runJSON[admin.Ticket](t,
		splitCommandLine(`ticket open --subject "My invoice" --description "It is wrong." --email `+
			`jo@shop.example --name Jo`+at)...)
	if first.Number != 1 || first.Team != "Billing" || first.Assignee != "kim@example.com" || first.Status != "New" ||
		first.Customer.Name != "Jo" {
		t.Errorf("%+v", first)
	}
	second := runJSON[admin.Ticket](t,
		splitCommandLine(`ticket open --subject Other --description Text --email JO@shop.example --team General `+
			`--assignee none --priority high --status parked`+at)...)
	if second.Number != 2 || second.Assignee != "" || second.Team != "General" ||
		second.Customer.ID != first.Customer.ID || second.Category != "on_hold" {
		t.Errorf("%+v", second)
	}
	requireFailure(t, 1, "email", "ticket open --subject S --description D --email nobody"+at)
	requireFailure(t, 1, "no status", "ticket open --subject S --description D --email a@b.example --status nothing"+at)
	runJSON[admin.MessageRef](t, "ticket", "reply", "1", "We look **into** it.", "--member", "KIM@example.com",
		"--agent", agent)
	runJSON[admin.MessageRef](t, "ticket", "note", "1", "Ask the bank.", "--member", "lee@example.com", "--agent", agent)
	requireFailure(t, 1, "not a member", "ticket note 1 Hm --member jo@shop.example"+at)
	requireFailure(t, 1, "Ticket not found", "ticket note 9 Hm --member kim@example.com"+at)
	if got := runJSON[admin.TicketDetails](t, "ticket", "show", "1", "--agent", agent); got.Category != "on_customer" ||
		len(got.Messages) < 3 || got.Messages[0].From != "customer" {
		t.Errorf("%+v", got)
	}
	if got := runJSON[admin.Ticket](t,
		splitCommandLine("ticket change 1 --status parked --assignee none --team none --priority low"+
			at)...); got.Status != "Parked" || got.Assignee != "" || got.Team != "" || got.Priority != "low" {
		t.Errorf("%+v", got)
	}
	requireFailure(t, 2, "nothing to change", "ticket change 1"+at)
	requireFailure(t, 1, "no team", "ticket change 1 --team nothing"+at)
	for filter, want := range map[string]string{"": "1 2", "--status new,on_customer": "", "--status on_hold": "1 2",
		"--team none": "1", "--team General": "2", "--assignee none": "1 2",
		"--assignee kim@example.com": "", "--customer JO@shop.example": "1 2",
		"--customer jo@shop.example --team none": "1", "--channel api --limit 1": "1", "--find invoice": "1",
		"--find #2": "2"} {
		var numbers []string
		for _, got := range runJSON[[]admin.Ticket](t, splitCommandLine("ticket list "+filter+at)...) {
			numbers = append(numbers, strconv.FormatInt(got.Number, 10))
		}
		slices.Sort(numbers)
		if strings.Join(numbers, " ") != want {
			t.Errorf("%s: %v, want %s", filter, numbers, want)
		}
	}
	testTargets(t, at)
	requireFailure(t, 1, "statusCategories: must be one of", "ticket list --status old"+at)
	requireFailure(t, 2, "--find", "ticket list --find x --team General"+at)
	requireFailure(t, 2, "--find", "ticket list --find x --customer jo@shop.example"+at)
	requireFailure(t, 1, "no customer", "ticket list --customer al@shop.example"+at)
	if status, body := sendRequest(t, "GET", url+"/api/v2/agents/"+agent+"/helpdesk/tickets/1", key,
		""); status != 200 || !strings.Contains(body, `"priority":"low"`) {
		t.Errorf("over HTTP: %d %s", status, body)
	}
}

// testTargets sets and lists SLA targets.
func testTargets(t *testing.T, at string) {
	t.Helper()
	requireOutput(t, "ticket targets"+at, "No targets.")
	requireFailure(t, 2, "nothing to change", "ticket target high"+at)
	requireFailure(t, 2, "whole minutes", "ticket target high --first-reply 30s"+at)
	requireFailure(t, 1, "resolutionMinutes", "ticket target high --resolution 721h"+at)
	requireOutput(t, "ticket target high --first-reply 30m --resolution 8h"+at, "high", "30m", "8h0m")
	requireOutput(t, "ticket target low --resolution 16h"+at, "low", "16h0m", "high", "30m")
	requireOutput(t, "ticket target high --first-reply 0s --resolution 0s"+at, "low", "16h0m")
	if list := runJSON[[]parley.SLATarget](t, splitCommandLine("ticket targets"+at)...); len(list) != 1 {
		t.Errorf("%+v", list)
	}
	if late := runJSON[[]admin.Ticket](t, splitCommandLine("ticket list --overdue"+at)...); len(late) != 0 {
		t.Errorf("%+v", late)
	}
	requireFailure(t, 2, "--overdue", "ticket list --find x --overdue"+at)
}

// testMemberRemoval removes Kim, who has tickets, and Lee, whom a rule names.
func testMemberRemoval(t *testing.T, account, agent string) {
	t.Helper()
	at, of := " --agent "+agent, " --account "+account
	for range 2 {
		runJSON[admin.Ticket](t,
			splitCommandLine(`ticket open --subject Late --description Text --email al@shop.example --team `+
				`billing --assignee kim@example.com`+
				at)...)
	}
	requireFailure(t, 2, "--user", "member remove"+of)
	requireFailure(t, 2, "--user", "member remove --user x --email kim@example.com"+of)
	requireFailure(t, 1, "not a member", "member remove --email jo@shop.example"+of)
	requireOutput(t, "member change --email KIM@example.com --role owner"+of, "kim@example.com", "owner")
	requireFailure(t, 1, "only owner", "member remove --email kim@example.com"+of)
	requireFailure(t, 1, "only owner", "member change --email kim@example.com --role agent"+of)
	requireOutput(t, "member change --email lee@example.com --role owner"+of, "owner")
	requireOutput(t, "team join billing --member lee@example.com --away=false"+at, "lee@example.com")
	requireOutput(t, "member remove --email kim@example.com --reassign"+of, "Removed kim@example.com", "from 1 team.",
		"2 went to others of the team, and 0 have nobody now")
	if list := runJSON[[]admin.Ticket](t,
		splitCommandLine("ticket list --customer AL@shop.example --assignee lee@example.com"+at)...); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	user := runJSON[admin.AddedMember](t, "member", "add", "--account", account, "--email", "kim@example.com", "--name",
		"Somebody", "--role", "owner").UserID
	requireOutput(t, "member list"+of, user, "Kim")
	got := runJSON[admin.MemberRemovalResult](t, "member", "remove", "--account", account, "--email", "lee@example.com")
	if got.Email != "lee@example.com" || got.Unassigned != 2 || got.Reassigned != 0 || got.Teams != 1 ||
		len(got.Rules) != 1 || got.Rules[0] != (admin.RuleNamingMember{AgentID: agent, Key: "vip"}) {
		t.Errorf("%+v", got)
	}
	requireOutput(t, "ticket show 1"+at, "team (Lee), note")
}

func TestParseWorkingHours(t *testing.T) {
	got, err := parseWorkingHours([]string{"fri-mon 22:00-06:00 UTC", "Wed 09:00-12:00 Europe/Berlin"})
	if err != nil || formatWorkingHours(got) != "fri,sat,sun,mon 22:00-06:00 UTC; wed 09:00-12:00 Europe/Berlin" {
		t.Error(formatWorkingHours(got), err)
	}
	for _, text := range []string{"mon", "mon 9 UTC", "mon 09:00-10:00", ""} {
		if _, err := parseWorkingHours([]string{text}); err == nil {
			t.Error(text, "is taken")
		}
	}
	if none, err := parseWorkingHours([]string{"always"}); err != nil || none == nil || len(none) != 0 {
		t.Error(none, err)
	}
}
