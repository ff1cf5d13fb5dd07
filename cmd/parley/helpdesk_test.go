package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/admin"
	"parley/internal/rig/dbs"
)

// says runs a command that has to work and looks for texts in what it prints.
func says(t *testing.T, command string, wants ...string) {
	t.Helper()
	status, out, errs := cli(t, words(command)...)
	for _, want := range wants {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("parley %s: %d, %q is not in\n%s%s", command, status, want, out, errs)
		}
	}
}

// refuses runs a command that has to fail.
func refuses(t *testing.T, status int, why, command string) {
	t.Helper()
	if got, out, errs := cli(t, words(command)...); got != status || !strings.Contains(errs, why) || out != "" {
		t.Errorf("parley %s: %d %s%s, want %d %s", command, got, out, errs, status, why)
	}
}

// words cuts a command line; quotes keep words together.
func words(command string) []string {
	list := value.FindAllString(command, -1)
	for i := range list {
		list[i] = strings.Trim(list[i], `"`)
	}
	return list
}

// The operator sets a helpdesk up and works in it, without a server and beside one.
func TestHelpdeskVerbs(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
			if database == "postgres" {
				t.Setenv("PARLEY_DATABASE_URL", dbs.Postgres(t).NewStore(t))
			}
			made := must[admin.AccountCreated](t, "account", "create", "--name", "A")
			for _, name := range []string{"Kim", "Lee"} {
				must[admin.MemberAdded](t, "member", "add", "--account", made.AccountID, "--email", strings.ToLower(name)+"@example.com", "--name", name)
			}
			s := start(t, "serve")
			agent := asked[struct{ ID string }](t, s.URL+"/api/v2/agents", made.APIKey, `{"name": "Shop"}`).ID
			statuses(t, agent)
			teams(t, agent)
			s.end(t)
			rules(t, agent)
			routes(t, agent)
			s = start(t, "serve")
			tickets(t, s.URL, agent, made.APIKey)
			s.end(t)
			says(t, "ticket show 1 --agent "+agent, "Ticket 1: My invoice", "status      Parked (on_hold)", "customer (Jo)", "It is wrong.", "team (Kim)", "We look into it.", "team (Lee), note", "status change")
			says(t, "customer list --agent "+agent, "jo@shop.example", "Jo")
			leavers(t, made.AccountID, agent)
		})
	}
}

func statuses(t *testing.T, agent string) {
	t.Helper()
	if list := must[[]admin.Status](t, "status", "list", "--agent", agent); len(list) != 6 || list[1].Label != "Waiting on you" || list[1].ExternalLabel != "Open" || !list[1].Default {
		t.Errorf("%+v", list)
	}
	at := " --agent " + agent
	says(t, `status add --category on_hold --label Parked --external-label "We wait" --color #1a2b3c --key parked`+at, "Parked", "We wait", "#1a2b3c", "parked")
	refuses(t, 1, "another status of this key", "status add --category new --label X --key parked"+at)
	refuses(t, 1, "color", "status add --category new --label X --color red"+at)
	refuses(t, 1, "key", `status add --category new --label X --key "a key"`+at)
	refuses(t, 2, "--category", "status add --category old --label X"+at)
	says(t, "status default parked"+at, "default")
	refuses(t, 1, "default", "status archive Parked"+at)
	says(t, `status archive "on hold"`+at, "archived")
	says(t, `status change parked --external-label "On its way" --color ""`+at, "On its way")
	refuses(t, 2, "nothing to change", "status change parked"+at)
	refuses(t, 1, "no status", "status default nothing"+at)
	refuses(t, 1, "Agent not found", "status list --agent nobody")
}

func teams(t *testing.T, agent string) {
	t.Helper()
	at := " --agent " + agent
	says(t, "team list"+at, "General (default)", "round_robin")
	says(t, `team add --name Billing --strategy balanced --max-open 5 --key billing --hours "mon-fri 09:00-17:00 Europe/Berlin" --hours "sat 10:00-12:00 UTC"`+at,
		"balanced", "mon,tue,wed,thu,fri 09:00-17:00 Europe/Berlin; sat 10:00-12:00 UTC", "most open 5")
	refuses(t, 1, "another team", "team add --name billing"+at)
	refuses(t, 2, "--hours", "team add --name X --hours always-not"+at)
	refuses(t, 1, "zone", `team add --name X --hours "mon 09:00-17:00 Mars"`+at)
	says(t, "team change billing --hours always --max-open none"+at, "Billing")
	if list := must[[]admin.Team](t, "team", "list", "--agent", agent); len(list) != 2 || len(list[1].Hours) != 0 || list[1].MaxOpen != nil {
		t.Errorf("%+v", list)
	}
	refuses(t, 2, "nothing to change", "team change billing"+at)
	says(t, "team join billing --member KIM@example.com --max-open 1"+at, "kim@example.com (Kim), most open 1")
	says(t, "team join billing --member lee@example.com --away"+at, "lee@example.com (Lee), away")
	says(t, "team join billing --member kim@example.com --max-open none"+at, "kim@example.com (Kim)\n")
	refuses(t, 1, "nobody@example.com", "team join billing --member nobody@example.com"+at)
	must[admin.Team](t, "team", "add", "--name", "Later", "--agent", agent)
	says(t, "team join Later --member lee@example.com"+at, "lee@example.com")
	if list := must[admin.Team](t, "team", "leave", "later", "--member", "lee@example.com", "--agent", agent); len(list.Members) != 0 {
		t.Errorf("%+v", list)
	}
	says(t, "team remove Later"+at, "Removed the team Later")
	refuses(t, 1, "default", "team remove General"+at)
	refuses(t, 1, "no team", "team remove Later"+at)
}

func rules(t *testing.T, agent string) {
	t.Helper()
	at := " --agent " + agent
	says(t, "rule list"+at, "No rules")
	says(t, `rule add --key vip --name VIP --all "domain is vip.example" --assignee lee@example.com`+at, "domain is vip.example", "lee@example.com")
	says(t, `rule add --key invoices --all "subject contains invoice|bill" --any "domain is shop.example" --any "priority is urgent" --team billing`+at,
		"subject contains invoice|bill and (domain is shop.example or priority is urgent)")
	refuses(t, 1, "a rule with the key vip", "rule add --key vip --team billing"+at)
	refuses(t, 2, "--all", "rule add --all subject --team billing"+at)
	refuses(t, 1, "field", `rule add --all "colour is red" --team billing`+at)
	refuses(t, 1, "team", "rule add --key x"+at)
	keys := func(list []admin.Rule) (keys []string) {
		for _, r := range list {
			keys = append(keys, r.Key)
		}
		return keys
	}
	if got := keys(must[[]admin.Rule](t, "rule", "move", "invoices", "--to", "1", "--agent", agent)); !slices.Equal(got, []string{"invoices", "vip"}) {
		t.Error(got)
	}
	must[[]admin.Rule](t, "rule", "add", "--key", "all", "--at", "2", "--team", "General", "--agent", agent)
	if got := keys(must[[]admin.Rule](t, "rule", "remove", "all", "--agent", agent)); !slices.Equal(got, []string{"invoices", "vip"}) {
		t.Error(got)
	}
	if got := must[[]admin.Rule](t, "rule", "disable", "vip", "--agent", agent); got[1].Enabled {
		t.Error(got)
	}
	refuses(t, 1, "no rule", "rule remove all"+at)
	refuses(t, 2, "first place", "rule move vip --to 0"+at)
}

func routes(t *testing.T, agent string) {
	t.Helper()
	ask := fmt.Sprintf(`route --agent %s --subject "My invoice" --email jo@shop.example`, agent)
	says(t, ask, "The rule invoices fired", "team        Billing", "assignee    kim@example.com")
	says(t, ask+" --explain", "1. invoices (invoices) fires", `all subject contains invoice|bill: holds, for it is "My invoice"`, `any priority is urgent: does not hold, for it is "none"`,
		"2. VIP (vip) is disabled", "lee@example.com", "is away", "fewest open tickets")
	says(t, "route --agent "+agent+" --explain --email a@vip.example", "is disabled; it would hold", "No rule fired", "General")
	got := must[admin.Routed](t, append(words(ask), "--explain")...)
	if got.Rule != "invoices" || len(got.Rules) != 2 || len(got.Rules[0].Conditions) != 3 || len(got.Candidates) != 2 || !got.Candidates[0].Picked || got.Candidates[1].Eligible {
		t.Errorf("%+v", got)
	}
	refuses(t, 1, "channel", "route --agent "+agent+" --channel pigeon")
	refuses(t, 1, "priority", "route --agent "+agent+" --priority loud")
	if list := must[[]admin.Ticket](t, "ticket", "list", "--agent", agent); len(list) != 0 {
		t.Error("it opened", list)
	}
}

func tickets(t *testing.T, url, agent, key string) {
	t.Helper()
	at := " --agent " + agent
	first := must[admin.Ticket](t, words(`ticket open --subject "My invoice" --description "It is wrong." --email jo@shop.example --name Jo`+at)...)
	if first.Number != 1 || first.Team != "Billing" || first.Assignee != "kim@example.com" || first.Status != "New" || first.Customer.Name != "Jo" {
		t.Errorf("%+v", first)
	}
	second := must[admin.Ticket](t, words(`ticket open --subject Other --description Text --email JO@shop.example --team General --assignee none --priority high --status parked`+at)...)
	if second.Number != 2 || second.Assignee != "" || second.Team != "General" || second.Customer.ID != first.Customer.ID || second.Category != "on_hold" {
		t.Errorf("%+v", second)
	}
	refuses(t, 1, "email", "ticket open --subject S --description D --email nobody"+at)
	refuses(t, 1, "no status", "ticket open --subject S --description D --email a@b.example --status nothing"+at)
	must[admin.MessageRef](t, "ticket", "reply", "1", "We look **into** it.", "--member", "KIM@example.com", "--agent", agent)
	must[admin.MessageRef](t, "ticket", "note", "1", "Ask the bank.", "--member", "lee@example.com", "--agent", agent)
	refuses(t, 1, "not a member", "ticket note 1 Hm --member jo@shop.example"+at)
	refuses(t, 1, "Ticket not found", "ticket note 9 Hm --member kim@example.com"+at)
	if got := must[admin.TicketShown](t, "ticket", "show", "1", "--agent", agent); got.Category != "on_customer" || len(got.Messages) < 3 || got.Messages[0].From != "customer" {
		t.Errorf("%+v", got)
	}
	if got := must[admin.Ticket](t, words("ticket change 1 --status parked --assignee none --team none --priority low"+at)...); got.Status != "Parked" || got.Assignee != "" || got.Team != "" || got.Priority != "low" {
		t.Errorf("%+v", got)
	}
	refuses(t, 2, "nothing to change", "ticket change 1"+at)
	refuses(t, 1, "no team", "ticket change 1 --team nothing"+at)
	for filter, want := range map[string]string{"": "1 2", "--status new,on_customer": "", "--status on_hold": "1 2", "--team none": "1", "--team General": "2", "--assignee none": "1 2",
		"--assignee kim@example.com": "", "--customer JO@shop.example": "1 2", "--customer jo@shop.example --team none": "1", "--channel api --limit 1": "1", "--find invoice": "1", "--find #2": "2"} {
		var numbers []string
		for _, got := range must[[]admin.Ticket](t, words("ticket list "+filter+at)...) {
			numbers = append(numbers, strconv.FormatInt(got.Number, 10))
		}
		slices.Sort(numbers)
		if strings.Join(numbers, " ") != want {
			t.Errorf("%s: %v, want %s", filter, numbers, want)
		}
	}
	refuses(t, 1, "category", "ticket list --status old"+at)
	refuses(t, 2, "--find", "ticket list --find x --team General"+at)
	refuses(t, 2, "--find", "ticket list --find x --customer jo@shop.example"+at)
	refuses(t, 1, "no customer", "ticket list --customer al@shop.example"+at)
	if status, body := ask(t, "GET", url+"/api/v2/agents/"+agent+"/helpdesk/tickets/1", key, ""); status != 200 || !strings.Contains(body, `"priority":"low"`) {
		t.Errorf("over HTTP: %d %s", status, body)
	}
}

// leavers removes Kim, who has tickets, and Lee, whom a rule names.
func leavers(t *testing.T, account, agent string) {
	t.Helper()
	at, of := " --agent "+agent, " --account "+account
	for range 2 {
		must[admin.Ticket](t, words(`ticket open --subject Late --description Text --email al@shop.example --team billing --assignee kim@example.com`+at)...)
	}
	refuses(t, 2, "--user", "member remove"+of)
	refuses(t, 2, "--user", "member remove --user x --email kim@example.com"+of)
	refuses(t, 1, "not a member", "member remove --email jo@shop.example"+of)
	says(t, "member change --email KIM@example.com --role owner"+of, "kim@example.com", "owner")
	refuses(t, 1, "only owner", "member remove --email kim@example.com"+of)
	refuses(t, 1, "only owner", "member change --email kim@example.com --role agent"+of)
	says(t, "member change --email lee@example.com --role owner"+of, "owner")
	says(t, "team join billing --member lee@example.com --away=false"+at, "lee@example.com")
	says(t, "member remove --email kim@example.com --reassign"+of, "Removed kim@example.com", "from 1 team.", "2 went to others of the team, and 0 have nobody now")
	if list := must[[]admin.Ticket](t, words("ticket list --customer AL@shop.example --assignee lee@example.com"+at)...); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	user := must[admin.MemberAdded](t, "member", "add", "--account", account, "--email", "kim@example.com", "--name", "Somebody", "--role", "owner").UserID
	says(t, "member list"+of, user, "Kim")
	got := must[admin.MemberRemoved](t, "member", "remove", "--account", account, "--email", "lee@example.com")
	if got.Email != "lee@example.com" || got.Unassigned != 2 || got.Reassigned != 0 || got.Teams != 1 || len(got.Rules) != 1 || got.Rules[0] != (admin.NamingRule{AgentID: agent, Key: "vip"}) {
		t.Errorf("%+v", got)
	}
	says(t, "ticket show 1"+at, "team (Lee), note")
}

func TestHoursAreReadAsTheyAreTyped(t *testing.T) {
	got, err := shifts([]string{"fri-mon 22:00-06:00 UTC", "Wed 09:00-12:00 Europe/Berlin"})
	if err != nil || hours(got) != "fri,sat,sun,mon 22:00-06:00 UTC; wed 09:00-12:00 Europe/Berlin" {
		t.Error(hours(got), err)
	}
	for _, text := range []string{"mon", "mon 9 UTC", "mon 09:00-10:00", ""} {
		if _, err := shifts([]string{text}); err == nil {
			t.Error(text, "is taken")
		}
	}
	if none, err := shifts([]string{"always"}); err != nil || none == nil || len(none) != 0 {
		t.Error(none, err)
	}
}
