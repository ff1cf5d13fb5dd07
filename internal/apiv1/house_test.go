package apiv1_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/admin"
	"parley/internal/house"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/expect"
)

// settings are what a story may ask of its house before it is opened. @plan NAME, @scopes NAME SCOPES and @credits NAME N, which
// make accounts and keys, follow when it stands. The model echoes, but for its moods.
var settings = map[string]func(tl *teller, value string) rig.Option{
	"rate": func(tl *teller, value string) rig.Option { // requests in ten seconds
		return rig.With(func(c *house.Config) { c.RateLimit = tl.number(value) })
	},
	"secretKey": func(_ *teller, value string) rig.Option { // seals secrets
		return rig.With(func(c *house.Config) { c.SecretKey = value })
	},
	"plans": func(_ *teller, value string) rig.Option { // a file of plans
		return rig.With(func(c *house.Config) { c.Plans = value })
	},
}

func newTeller(t *testing.T, s story) *teller {
	t.Helper()
	tl := &teller{t: t, gate: llm.NewGate()}
	options := []rig.Option{rig.Speaking(&llm.Scripted{Answer: tl.moody})}
	for _, set := range s.Settings {
		name, value, _ := strings.Cut(set, " ")
		if make := settings[name]; make != nil {
			options = append(options, make(tl, value))
		}
	}
	tl.house = rig.Open(t, options...)
	tl.known = expect.Known{"key": tl.house.Key, "account": tl.house.Account, "otherKey": tl.house.OtherKey, "blank": " ", "square": drawn(8, 8), "wide": drawn(9, 8)}
	for _, set := range s.Settings {
		tl.settle(strings.Fields(set))
	}
	return tl
}

func (tl *teller) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		tl.t.Fatal(err)
	}
	return n
}

// moody fails when it is asked to, and echoes otherwise.
func (tl *teller) moody(req llm.Request) []llm.Step {
	switch text := req.Messages[len(req.Messages)-1].Text; text {
	case "fail at once":
		return []llm.Step{{Err: fmt.Errorf("the provider at 10.1.2.3 is down")}}
	case "fail halfway":
		return []llm.Step{llm.Say("Half an "), {Err: fmt.Errorf("the provider at 10.1.2.3 went away")}}
	case "wait":
		return []llm.Step{llm.Say("Half an "), {Gate: tl.gate}, llm.Say("answer."), llm.Stop()}
	default:
		return []llm.Step{llm.Say(text), llm.Stop()}
	}
}

// settle makes the accounts and keys that a setting asks for.
func (tl *teller) settle(set []string) {
	switch set[0] {
	case "plan":
		_, tl.known[set[1]] = tl.house.NewAccount(tl.t, admin.NewAccount{Name: set[1], Plan: set[1]})
	case "credits":
		n := int64(tl.number(set[2]))
		_, tl.known[set[1]] = tl.house.NewAccount(tl.t, admin.NewAccount{Name: set[1], Plan: "unlimited", Credits: &n})
	case "scopes":
		made, err := admin.Do(tl.t.Context(), tl.house.Operator, admin.CreateKey, admin.NewKey{AccountID: tl.house.Account, Name: set[1], Scopes: strings.Split(set[2], ",")})
		if err != nil {
			tl.t.Fatal(err)
		}
		tl.known[set[1]] = made.APIKey
	}
}

func (tl *teller) sql(query string, args ...any) {
	tl.t.Helper()
	if _, err := tl.house.DB.SQL().Exec(tl.t.Context(), query, args...); err != nil {
		tl.t.Fatal(err)
	}
}

// deeds are what happens in a house without a request.
var deeds = map[string]func(tl *teller, id string) error{
	"forgets the model of": func(tl *teller, id string) error {
		return tl.house.DB.UpdateAgent(tl.t.Context(), parley.AccountID(tl.house.Account), parley.AgentID(id),
			func(a *parley.Agent) error { a.Model = "of-yesterday"; return nil })
	},
	"spoils": func(tl *teller, table string) error {
		tl.sql("alter table " + table + " rename to spoilt_" + table)
		tl.house.Gate.Forget()
		return nil
	},
	"mends": func(tl *teller, table string) error {
		tl.sql("alter table spoilt_" + table + " rename to " + table)
		tl.house.Gate.Forget()
		return nil
	},
	"is under maintenance": func(tl *teller, _ string) error {
		on := true
		_, err := admin.Do(tl.t.Context(), tl.house.Operator, admin.Maintenance, admin.MaintenanceChange{On: &on})
		return err
	},
	"keeps three leads of": func(tl *teller, id string) error {
		for i, at := range []time.Time{time.Date(2026, 1, 1, 23, 59, 59, 999e6, time.UTC), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)} {
			n := strconv.Itoa(i + 1)
			tl.sql(`insert into leads (id, account_id, agent_id, conversation_id, name, email, phone, fields, created_at) values (?, ?, ?, 'c', ?, ?, '', '{}', ?)`,
				"lead-"+n, tl.house.Account, id, "Ann "+n, "ann"+n+"@example.org", at.UnixMilli())
		}
		return nil
	},
	"dates from the second of January 2026": func(tl *teller, id string) error {
		tl.sql(`update conversations set created_at = ? where agent_id = ?`, time.Date(2026, 1, 2, 23, 59, 59, 999e6, time.UTC).UnixMilli(), id)
		return nil
	},
	"brings by WhatsApp": func(tl *teller, id string) error {
		tl.sql(`update conversations set channel = ? where id = ?`, parley.ChannelWhatsApp, id)
		return nil
	},
	"hands to a person": func(tl *teller, name string) error {
		tl.sql(`update conversations set status = ? where external_id = ?`, parley.TakenOver, name)
		return nil
	},
	"pauses": func(tl *teller, name string) error {
		tl.sql(`update conversations set status = ?, paused = 1 where external_id = ?`, parley.Ongoing, name)
		return nil
	},
}

func (tl *teller) does(what string) error {
	for verb, do := range deeds {
		if object, ok := strings.CutPrefix(what, verb); ok {
			return do(tl, tl.known.Expand(strings.TrimSpace(object)))
		}
	}
	return errors.New("the house cannot do this")
}
