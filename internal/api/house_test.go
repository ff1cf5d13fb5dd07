package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/admin"
	"parley/internal/house"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
	"parley/internal/rig/expect"
)

// settings are what a story may ask of its house before it is opened. @plan NAME, @scopes NAME SCOPES, @credits NAME N and
// @expired NAME, which make accounts and keys, follow when it stands.
var settings = map[string]func(tl *teller, value string) rig.Option{
	"rate": func(tl *teller, value string) rig.Option { // requests in ten seconds
		return rig.With(func(c *house.Config) { c.RateLimit = tl.number(value) })
	},
	"openturns": func(tl *teller, value string) rig.Option { // answers that an account may have in the making
		return rig.With(func(c *house.Config) { c.OpenTurns = tl.number(value) })
	},
	"plans": func(_ *teller, value string) rig.Option { // a file of plans
		return rig.With(func(c *house.Config) { c.Plans = value })
	},
	"model": func(tl *teller, _ string) rig.Option { // a model that echoes, but for its moods
		return rig.Speaking(&llm.Scripted{Answer: tl.moody})
	},
	"website": func(tl *teller, folder string) rig.Option { // pages on loopback, which link sources may read; {{site}} is their address
		tl.site = serveSite(tl.t, folder)
		return rig.With(func(c *house.Config) { c.FetchAllow = []string{"127.0.0.1/32"} })
	},
	"postgres": func(tl *teller, _ string) rig.Option { // a database that can be lost
		tl.database = dbs.StartOwn(tl.t)
		return rig.At("", tl.database.NewStore(tl.t))
	},
}

func newTeller(t *testing.T, s story) *teller {
	t.Helper()
	tl := &teller{t: t, gate: llm.NewGate(), listed: listed(t)}
	var options []rig.Option
	for _, set := range s.Settings {
		name, value, _ := strings.Cut(set, " ")
		if make := settings[name]; make != nil {
			options = append(options, make(tl, value))
		}
	}
	tl.house = rig.Open(t, options...)
	tl.house.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	tl.known = expect.Known{"key": tl.house.Key, "otherKey": tl.house.OtherKey, "site": tl.site}
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

// moody fails when it is asked to, waits when it is asked to, and echoes otherwise.
func (tl *teller) moody(req llm.Request) []llm.Step {
	last := req.Messages[len(req.Messages)-1]
	if last.Role == "tool" {
		return []llm.Step{llm.Say("The tool said " + last.Text), llm.Stop()}
	}
	switch text := last.Text; text {
	case "Where am I?":
		return []llm.Step{llm.Say("One moment."), llm.Use("where_am_i", `{"precise": true}`), llm.Calls()}
	case "Show me the door":
		return []llm.Step{llm.Use("door", `{}`), llm.Calls()}
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
		tl.known[set[1]] = tl.newKey(admin.NewKey{Name: set[1], Scopes: strings.Split(set[2], ",")})
	case "expired":
		tl.known[set[1]] = tl.newKey(admin.NewKey{Name: set[1]})
		tl.sql(`update api_keys set expires_at = ? where name = ? and account_id = ?`, time.Now().Add(-time.Second).UnixMilli(), set[1], tl.house.Account)
		tl.house.Gate.Forget()
	case "member", "stranger": // of our account's team, or of the other account's
		tl.known[set[1]] = tl.newMember(map[string]string{"member": tl.house.Account, "stranger": tl.house.Other}[set[0]], set[1], set[2])
	case "searches": // as many as one likes
		tl.house.Search.Take = nil
	case "patience": // of a message whose conversation is answering another
		patience, err := time.ParseDuration(set[1])
		if err != nil {
			tl.t.Fatal(err)
		}
		tl.house.Engine.Patience = patience
	}
}

func (tl *teller) newKey(k admin.NewKey) string {
	k.AccountID = tl.house.Account
	made, err := admin.Do(tl.t.Context(), tl.house.Operator, admin.CreateKey, k)
	if err != nil {
		tl.t.Fatal(err)
	}
	return made.APIKey
}

func (tl *teller) newMember(account, name, email string) string {
	made, err := admin.Do(tl.t.Context(), tl.house.Operator, admin.AddMember, admin.NewMember{AccountID: account, Email: email, Name: name, Role: string(parley.RoleAgent)})
	if err != nil {
		tl.t.Fatal(err)
	}
	return made.UserID
}

func (tl *teller) sql(query string, args ...any) {
	tl.t.Helper()
	if _, err := tl.house.DB.SQL().Exec(tl.t.Context(), query, args...); err != nil {
		tl.t.Fatal(err)
	}
}

// deeds are what happens in a house without a request.
var deeds = map[string]func(tl *teller, id string) error{
	"ends":       func(tl *teller, id string) error { return tl.changeConversation(id, "status", parley.Ended) },
	"takes over": func(tl *teller, id string) error { return tl.changeConversation(id, "status", parley.TakenOver) },
	"brings by WhatsApp": func(tl *teller, id string) error {
		tl.sql(`update conversation_counts set api = api - 1 where agent_id = (select agent_id from conversations where id = ?)`, id)
		return tl.changeConversation(id, "channel", parley.ChannelWhatsApp)
	},
	"replies in": func(tl *teller, id string) error {
		_, agent, err := tl.house.DB.OwnerOfConversation(tl.t.Context(), parley.ConversationID(id))
		if err == nil {
			_, err = tl.house.Clerk.HumanReplies(tl.t.Context(), parley.AccountID(tl.house.Account), agent, parley.ConversationID(id), "", "Hello, this is Kim.")
		}
		return err
	},
	"has the operator": func(tl *teller, what string) error { // STEP CONVERSATION
		step, id, _ := strings.Cut(what, " ")
		_, err := admin.Do(tl.t.Context(), tl.house.Operator, admin.MoveConversation, admin.Step{ID: id, Step: step})
		return err
	},
	"answers as": func(tl *teller, what string) error { // EMAIL CONVERSATION
		email, id, _ := strings.Cut(what, " ")
		_, err := admin.Do(tl.t.Context(), tl.house.Operator, admin.ReplyAsHuman, admin.HumanReply{ID: id, Member: email, Text: "It is me again."})
		return err
	},
	"deletes the conversation": func(tl *teller, id string) error {
		_, agent, err := tl.house.DB.OwnerOfConversation(tl.t.Context(), parley.ConversationID(id))
		if err == nil {
			_, err = tl.house.Clerk.Delete(tl.t.Context(), parley.AccountID(tl.house.Account), agent, []parley.ConversationID{parley.ConversationID(id)}, nil)
		}
		return err
	},
	"has indexed everything":      func(tl *teller, _ string) error { return tl.index() },
	"judges the conversations of": (*teller).judge,
	"masks in": func(tl *teller, id string) error {
		return tl.house.DB.UpdateAgent(tl.t.Context(), parley.AccountID(tl.house.Account), parley.AgentID(id),
			func(a *parley.Agent) error { a.Redact = true; return nil })
	},
	"falls under HIPAA": func(tl *teller, _ string) error {
		tl.sql(`update accounts set hipaa = 1 where id = ?`, tl.house.Account)
		tl.house.Gate.Forget()
		return nil
	},
	"has a moment for a search": func(tl *teller, _ string) error {
		tl.house.Search.Budget = 1
		return nil
	},
	"pauses": func(tl *teller, id string) error { return tl.changeConversation(id, "paused", 1) },
	"loses the message": func(tl *teller, id string) error {
		tl.sql(`delete from messages where id = ? and account_id = ?`, id, tl.house.Account)
		return nil
	},
	"gives tools to": func(tl *teller, id string) error { return tl.equip(parley.AgentID(id)) },
	"ages the calls of": func(tl *teller, id string) error {
		old := time.Now().Add(-25 * time.Hour).UnixMilli()
		tl.sql(`update tool_calls set created_at = ? where conversation_id = ? and account_id = ?`, old, id, tl.house.Account)
		tl.sql(`update messages set created_at = ? where conversation_id = ? and account_id = ?`, old, id, tl.house.Account)
		return nil
	},
	"begins to delete": func(tl *teller, ids string) error {
		agent, source, _ := strings.Cut(ids, " ")
		_, _, err := tl.house.DB.UpdateSource(tl.t.Context(), parley.AccountID(tl.house.Account), parley.AgentID(agent), parley.SourceID(source),
			func(s *parley.Source) error { s.Status = parley.SourceToBeDeleted; return nil })
		return err
	},
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
		return nil
	},
	"holds keys of requests with": (*teller).holdKeys,
	"loses every kept reply": func(tl *teller, _ string) error {
		tl.sql(`update idempotency_keys set status = 0, reply = ''`)
		return nil
	},
	"breaks its rooms": func(tl *teller, _ string) error { tl.house.Voice.Rooms.(*rig.Rooms).Break(true); return nil },
	"has rooms again":  func(tl *teller, _ string) error { tl.house.Voice.Rooms.(*rig.Rooms).Break(false); return nil },
	"connects the customer of": func(tl *teller, id string) error { // a session
		for _, l := range tl.house.Voice.Sessions() {
			if string(l.ID) == id {
				l.Joined()
			}
		}
		return tl.house.Voice.Note(tl.t.Context())
	},
	"hangs up": func(tl *teller, id string) error { // a session
		_, err := admin.Do(tl.t.Context(), tl.house.Operator, admin.EndVoiceSession, admin.VoiceSessionRef{ID: id})
		return err
	},
	"archives": func(tl *teller, status string) error {
		tl.sql(`update ticket_statuses set archived_at = 1 where id = ? and account_id = ?`, status, tl.house.Account)
		return nil
	},
	"lets": func(tl *teller, who string) error { // USER join TEAM
		user, team, _ := strings.Cut(who, " join ")
		tl.sql(`insert into team_members (team_id, user_id, account_id, agent_id, hours, joined_at) select id, ?, account_id, agent_id, '[]', 1 from teams where id = ? and account_id = ?`,
			user, team, tl.house.Account)
		return nil
	},
	"is under maintenance": func(tl *teller, _ string) error { return tl.maintain(true) },
	"is open again":        func(tl *teller, _ string) error { return tl.maintain(false) },
	"opens the gate":       func(tl *teller, _ string) error { tl.gate.Open(); return tl.join() },
	"stops": func(tl *teller, _ string) error { // without time for what is running
		now, cancel := context.WithCancel(tl.t.Context())
		cancel()
		tl.house.Drain(now)
		return tl.join()
	},
	"loses its database": func(tl *teller, _ string) error { tl.database.Kill(tl.t); return nil },
	"finds its database": func(tl *teller, _ string) error { tl.database.Start(tl.t); return nil },
}

func (tl *teller) does(what string) error {
	for verb, do := range deeds {
		if object, ok := strings.CutPrefix(what, verb); ok {
			return do(tl, tl.known.Expand(strings.TrimSpace(object)))
		}
	}
	return errors.New("the house cannot do this")
}

// equip gives an agent an action that its clients run, and one that the server runs.
func (tl *teller) equip(agent parley.AgentID) error {
	now := time.Now()
	for _, a := range []parley.Action{
		{Key: "where", Kind: parley.ActionClient, Name: "where_am_i", Inputs: []parley.ActionInput{{Name: "precise", Type: "boolean"}}},
		{Key: "door", Kind: parley.ActionCustomButton, Name: "door", Config: json.RawMessage(`{"label": "The door", "url": "https://example.com/door"}`)},
	} {
		a.ID, a.AccountID, a.AgentID = parley.ActionID(parley.NewUUID()), parley.AccountID(tl.house.Account), agent
		a.Description, a.Enabled, a.CreatedAt, a.UpdatedAt = "For stories.", true, now, now
		if err := tl.house.DB.PutAction(tl.t.Context(), &a); err != nil {
			return err
		}
	}
	return nil
}

func (tl *teller) changeConversation(id, column string, value any) error {
	tl.sql(`update conversations set `+column+` = ? where id = ? and account_id = ?`, value, id, tl.house.Account)
	return nil
}

// codeIn gives the code of the reply that a story wants; empty when it is no error.
func codeIn(want string) string {
	var r struct{ Error struct{ Code string } }
	if json.Unmarshal([]byte(want), &r) != nil {
		return ""
	}
	return r.Error.Code
}
