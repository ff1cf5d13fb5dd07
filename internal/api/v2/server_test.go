package v2_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/model"
	"parley/internal/model/scripted"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/expect"
)

// storySettings are what a story may ask of its server before it is opened. @plan NAME, @scopes NAME SCOPES,
// @credits NAME N and @expired NAME, which make accounts and keys, follow when it stands.
var storySettings = map[string]func(tl *storyRunner, value string) testkit.Option{
	"rate": func(tl *storyRunner, value string) testkit.Option { // requests in ten seconds
		return testkit.WithConfig(func(c *server.Config) { c.RateLimit = tl.parseNumber(value) })
	},
	"openturns": func(tl *storyRunner, value string) testkit.Option { // answers that an account may have in the making
		return testkit.WithConfig(func(c *server.Config) { c.OpenTurns = tl.parseNumber(value) })
	},
	"plans": func(_ *storyRunner, value string) testkit.Option { // a file of plans
		return testkit.WithConfig(func(c *server.Config) { c.Plans = value })
	},
	"model": func(tl *storyRunner, _ string) testkit.Option { // a model that echoes, but for its moods
		return testkit.WithModel(&scripted.Model{StepsFor: tl.modelSteps})
	},
	// pages on loopback, which link sources may read; {{site}} is their address
	"website": func(tl *storyRunner, folder string) testkit.Option {
		tl.siteURL = serveSite(tl.t, folder)
		return testkit.WithConfig(func(c *server.Config) { c.FetchAllow = []string{"127.0.0.1/32"} })
	},
	"postgres": func(tl *storyRunner, _ string) testkit.Option { // a database that can be lost
		tl.database = dbs.StartPostgres(tl.t)
		return testkit.WithDatabase("", tl.database.NewStore(tl.t))
	},
}

func newStoryRunner(t *testing.T, s story) *storyRunner {
	t.Helper()
	tl := &storyRunner{t: t, modelGate: scripted.NewBarrier(), listedCodes: listedCodes(t)}
	var options []testkit.Option
	for _, set := range s.Settings {
		name, value, _ := strings.Cut(set, " ")
		if make := storySettings[name]; make != nil {
			options = append(options, make(tl, value))
		}
	}
	tl.server = testkit.Open(t, options...)
	tl.server.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	tl.placeholders = expect.Placeholders{"key": tl.server.Key, "otherKey": tl.server.OtherKey, "site": tl.siteURL}
	for _, set := range s.Settings {
		tl.createFixtures(strings.Fields(set))
	}
	return tl
}

func (tl *storyRunner) parseNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		tl.t.Fatal(err)
	}
	return n
}

// modelSteps fails when it is asked to, waits when it is asked to, and echoes otherwise.
func (tl *storyRunner) modelSteps(req model.Request) []scripted.Step {
	last := req.Messages[len(req.Messages)-1]
	if last.Role == "tool" {
		return []scripted.Step{scripted.Text("The tool said " + last.Text), scripted.Stop()}
	}
	switch text := last.Text; text {
	case "Where am I?":
		return []scripted.Step{scripted.Text("One moment."), scripted.NewToolCall("where_am_i", `{"precise": true}`),
			scripted.FinishWithToolCalls()}
	case "Show me the door":
		return []scripted.Step{scripted.NewToolCall("door", `{}`), scripted.FinishWithToolCalls()}
	case "fail at once":
		return []scripted.Step{{Err: fmt.Errorf("the provider at 10.1.2.3 is down")}}
	case "fail halfway":
		return []scripted.Step{scripted.Text("Half an "), {Err: fmt.Errorf("the provider at 10.1.2.3 went away")}}
	case "wait":
		return []scripted.Step{scripted.Text("Half an "), {Barrier: tl.modelGate}, scripted.Text("answer."), scripted.Stop()}
	default:
		return []scripted.Step{scripted.Text(text), scripted.Stop()}
	}
}

// createFixtures creates the accounts and keys that a setting asks for.
func (tl *storyRunner) createFixtures(set []string) {
	switch set[0] {
	case "plan":
		_, tl.placeholders[set[1]] = tl.server.NewAccount(tl.t, admin.NewAccount{Name: set[1], Plan: set[1]})
	case "credits":
		n := int64(tl.parseNumber(set[2]))
		_, tl.placeholders[set[1]] = tl.server.NewAccount(tl.t,
			admin.NewAccount{Name: set[1], Plan: "unlimited", Credits: &n})
	case "scopes":
		tl.placeholders[set[1]] = tl.createKey(admin.NewKey{Name: set[1], Scopes: strings.Split(set[2], ",")})
	case "expired":
		tl.placeholders[set[1]] = tl.createKey(admin.NewKey{Name: set[1]})
		tl.execSQL(`update api_keys set expires_at = ? where name = ? and account_id = ?`,
			time.Now().Add(-time.Second).UnixMilli(), set[1], tl.server.Account)
		tl.server.Authenticator.ClearCache()
	case "member", "stranger": // of our account's team, or of the other account's
		tl.placeholders[set[1]] = tl.addMember(map[string]string{"member": tl.server.Account,
			"stranger": tl.server.OtherAccount}[set[0]], set[1], set[2])
	case "searches": // as many as one likes
		tl.server.Search.Allow = nil
	case "patience": // of a message whose conversation is answering another
		patience, err := time.ParseDuration(set[1])
		if err != nil {
			tl.t.Fatal(err)
		}
		tl.server.Engine.QueueTimeout = patience
	}
}

func (tl *storyRunner) createKey(k admin.NewKey) string {
	k.AccountID = tl.server.Account
	created, err := admin.RunOn(tl.t.Context(), tl.server.AdminService, admin.CreateKey, k)
	if err != nil {
		tl.t.Fatal(err)
	}
	return created.APIKey
}

func (tl *storyRunner) addMember(account, name, email string) string {
	created, err := admin.RunOn(tl.t.Context(), tl.server.AdminService, admin.AddMember,
		admin.NewMember{AccountID: account, Email: email, Name: name, Role: string(parley.RoleAgent)})
	if err != nil {
		tl.t.Fatal(err)
	}
	return created.UserID
}

func (tl *storyRunner) execSQL(query string, args ...any) {
	tl.t.Helper()
	if _, err := tl.server.DB.SQL().Exec(tl.t.Context(), query, args...); err != nil {
		tl.t.Fatal(err)
	}
}

// storyEvents are what happens in a server without a request.
var storyEvents = map[string]func(tl *storyRunner, id string) error{
	"ends": func(tl *storyRunner, id string) error {
		return tl.changeConversation(id, "status", parley.ConversationEnded)
	},
	"takes over": func(tl *storyRunner, id string) error {
		return tl.changeConversation(id, "status", parley.ConversationTakenOver)
	},
	"brings by WhatsApp": func(tl *storyRunner, id string) error {
		tl.execSQL(`update conversation_counts set api = api - 1 where agent_id = (select agent_id from conversations
			where id = ?)`, id)
		return tl.changeConversation(id, "channel", parley.ChannelWhatsApp)
	},
	"replies in": func(tl *storyRunner, id string) error {
		_, agent, err := tl.server.DB.OwnerOfConversation(tl.t.Context(), parley.ConversationID(id))
		if err == nil {
			_, err = tl.server.Conversations.AddHumanReply(tl.t.Context(), parley.AccountID(tl.server.Account).
				AgentRef(agent).ConversationRef(parley.ConversationID(id)), "", "Hello, this is Kim.")
		}
		return err
	},
	"has the operator": func(tl *storyRunner, what string) error { // STEP CONVERSATION
		step, id, _ := strings.Cut(what, " ")
		_, err := admin.RunOn(tl.t.Context(), tl.server.AdminService, admin.MoveConversation,
			admin.StateChange{ID: id, Step: step})
		return err
	},
	"answers as": func(tl *storyRunner, what string) error { // EMAIL CONVERSATION
		email, id, _ := strings.Cut(what, " ")
		_, err := admin.RunOn(tl.t.Context(), tl.server.AdminService, admin.ReplyAsHuman,
			admin.HumanReply{ID: id, Member: email, Text: "It is me again."})
		return err
	},
	"deletes the conversation": func(tl *storyRunner, id string) error {
		_, agent, err := tl.server.DB.OwnerOfConversation(tl.t.Context(), parley.ConversationID(id))
		if err == nil {
			_, err = tl.server.Conversations.Delete(tl.t.Context(), parley.AccountID(tl.server.Account).AgentRef(agent),
				[]parley.ConversationID{parley.ConversationID(id)}, nil)
		}
		return err
	},
	"has indexed everything":      func(tl *storyRunner, _ string) error { return tl.updateIndex() },
	"judges the conversations of": (*storyRunner).judgeConversations,
	"masks in": func(tl *storyRunner, id string) error {
		return tl.server.DB.UpdateAgent(tl.t.Context(), parley.AccountID(tl.server.Account).AgentRef(parley.AgentID(id)),
			func(a *parley.Agent) error { a.Redact = true; return nil })
	},
	"falls under HIPAA": func(tl *storyRunner, _ string) error {
		tl.execSQL(`update accounts set hipaa = 1 where id = ?`, tl.server.Account)
		tl.server.Authenticator.ClearCache()
		return nil
	},
	"has a moment for a search": func(tl *storyRunner, _ string) error {
		tl.server.Search.Timeout = 1
		return nil
	},
	"pauses": func(tl *storyRunner, id string) error { return tl.changeConversation(id, "paused", 1) },
	"loses the message": func(tl *storyRunner, id string) error {
		tl.execSQL(`delete from messages where id = ? and account_id = ?`, id, tl.server.Account)
		return nil
	},
	"gives tools to": func(tl *storyRunner, id string) error { return tl.addActions(parley.AgentID(id)) },
	"ages the calls of": func(tl *storyRunner, id string) error {
		old := time.Now().Add(-25 * time.Hour).UnixMilli()
		tl.execSQL(`update tool_calls set created_at = ? where conversation_id = ? and account_id = ?`, old, id,
			tl.server.Account)
		tl.execSQL(`update messages set created_at = ? where conversation_id = ? and account_id = ?`, old, id,
			tl.server.Account)
		return nil
	},
	"begins to delete": func(tl *storyRunner, ids string) error {
		agent, source, _ := strings.Cut(ids, " ")
		_, _, err := tl.server.DB.UpdateSource(tl.t.Context(),
			parley.AccountID(tl.server.Account).AgentRef(parley.AgentID(agent)), parley.SourceID(source),
			func(s *parley.Source) error { s.Status = parley.SourceToBeDeleted; return nil })
		return err
	},
	"forgets the model of": func(tl *storyRunner, id string) error {
		return tl.server.DB.UpdateAgent(tl.t.Context(), parley.AccountID(tl.server.Account).AgentRef(parley.AgentID(id)),
			func(a *parley.Agent) error { a.Model = "of-yesterday"; return nil })
	},
	"spoils": func(tl *storyRunner, table string) error {
		tl.execSQL("alter table " + table + " rename to spoilt_" + table)
		tl.server.Authenticator.ClearCache()
		return nil
	},
	"mends": func(tl *storyRunner, table string) error {
		tl.execSQL("alter table spoilt_" + table + " rename to " + table)
		return nil
	},
	"holds keys of requests with": (*storyRunner).holdIdempotencyKeys,
	"loses every kept reply": func(tl *storyRunner, _ string) error {
		tl.execSQL(`update idempotency_keys set status = 0, reply = ''`)
		return nil
	},
	"breaks its rooms": func(tl *storyRunner, _ string) error {
		tl.server.Voice.Rooms.(*testkit.FakeRooms).SetFailing(true)
		return nil
	},
	"has rooms again": func(tl *storyRunner, _ string) error {
		tl.server.Voice.Rooms.(*testkit.FakeRooms).SetFailing(false)
		return nil
	},
	"connects the customer of": func(tl *storyRunner, id string) error { // a session
		for _, l := range tl.server.Voice.Active() {
			if string(l.ID) == id {
				l.MarkJoined()
			}
		}
		return tl.server.Voice.StoreJoins(tl.t.Context())
	},
	"hangs up": func(tl *storyRunner, id string) error { // a session
		_, err := admin.RunOn(tl.t.Context(), tl.server.AdminService, admin.EndVoiceSession, admin.VoiceSessionRef{ID: id})
		return err
	},
	"archives": func(tl *storyRunner, status string) error {
		tl.execSQL(`update ticket_statuses set archived_at = 1 where id = ? and account_id = ?`, status, tl.server.Account)
		return nil
	},
	"lets": func(tl *storyRunner, who string) error { // USER join TEAM
		user, team, _ := strings.Cut(who, " join ")
		tl.execSQL(`insert into team_members (team_id, user_id, account_id, agent_id, hours, joined_at)
			select id, ?, account_id, agent_id, '[]', 1 from teams where id = ? and account_id = ?`,
			user, team, tl.server.Account)
		return nil
	},
	"is under maintenance": func(tl *storyRunner, _ string) error { return tl.setMaintenance(true) },
	"is open again":        func(tl *storyRunner, _ string) error { return tl.setMaintenance(false) },
	"opens the gate":       func(tl *storyRunner, _ string) error { tl.modelGate.Release(); return tl.finishCalls() },
	"stops": func(tl *storyRunner, _ string) error { // without time for what is running
		now, cancel := context.WithCancel(tl.t.Context())
		cancel()
		tl.server.Drain(now)
		return tl.finishCalls()
	},
	"loses its database": func(tl *storyRunner, _ string) error { tl.database.Kill(tl.t); return nil },
	"finds its database": func(tl *storyRunner, _ string) error { tl.database.Start(tl.t); return nil },
}

func (tl *storyRunner) runEvent(what string) error {
	for verb, do := range storyEvents {
		if object, ok := strings.CutPrefix(what, verb); ok {
			return do(tl, tl.placeholders.Expand(strings.TrimSpace(object)))
		}
	}
	return errors.New("the house cannot do this")
}

// addActions returns an agent an action that its clients run, and one that the server runs.
func (tl *storyRunner) addActions(agent parley.AgentID) error {
	now := time.Now()
	for _, a := range []parley.Action{
		{Key: "where", Kind: parley.ActionClient, Name: "where_am_i",
			Inputs: []parley.ActionInput{{Name: "precise", Type: "boolean"}}},
		{Key: "door", Kind: parley.ActionCustomButton, Name: "door",
			Config: json.RawMessage(`{"label": "The door", "url": "https://example.com/door"}`)},
	} {
		a.ID, a.AccountID, a.AgentID = parley.ActionID(parley.NewUUID()), parley.AccountID(tl.server.Account), agent
		a.Description, a.Enabled, a.CreatedAt, a.UpdatedAt = "For stories.", true, now, now
		if err := tl.server.DB.PutAction(tl.t.Context(), &a); err != nil {
			return err
		}
	}
	return nil
}

func (tl *storyRunner) changeConversation(id, column string, value any) error {
	tl.execSQL(`update conversations set `+column+` = ? where id = ? and account_id = ?`, value, id, tl.server.Account)
	return nil
}

// expectedCode returns the code of the reply that a story wants; empty when it is no error.
func expectedCode(want string) string {
	var r struct{ Error struct{ Code string } }
	if json.Unmarshal([]byte(want), &r) != nil {
		return ""
	}
	return r.Error.Code
}

// compareReply compares a reply, as JSON or as the lines of a stream.
func (tl *storyRunner) compareReply(got, want string) error {
	if want == "" {
		return nil
	}
	if !strings.HasPrefix(want, "data: ") && !strings.HasPrefix(want, "event: ") {
		return tl.placeholders.Compare(got, want)
	}
	gotLines, wantLines := strings.Split(strings.TrimSpace(got), "\n\n"), strings.Split(want, "\n\n")
	for i, line := range wantLines {
		if i >= len(gotLines) {
			return fmt.Errorf("the stream ends before %s:\n%s", line, got)
		}
		if line == gotLines[i] {
			continue
		}
		gotHead, gotData, _ := strings.Cut(gotLines[i], "data: ")
		wantHead, wantData, _ := strings.Cut(line, "data: ")
		if gotHead != wantHead {
			return fmt.Errorf("event %d begins with %q, want %q\n%s", i, gotHead, wantHead, got)
		}
		if err := tl.placeholders.Compare(gotData, wantData); err != nil {
			return fmt.Errorf("event %d: %w\n%s", i, err, got)
		}
	}
	if len(gotLines) > len(wantLines) {
		return fmt.Errorf("the stream goes on after its end:\n%s", got)
	}
	return nil
}

// serveSite serves a folder of pages on loopback and returns their address. One page has moved, and another leads
// to where nobody may go.
func serveSite(t *testing.T, folder string) string {
	t.Helper()
	pages := http.NewServeMux()
	pages.Handle("/", http.FileServer(http.Dir(folder)))
	pages.Handle("/moved.html", http.RedirectHandler("/delivery.html", http.StatusMovedPermanently))
	pages.Handle("/away.html", http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound))
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return server.URL
}
