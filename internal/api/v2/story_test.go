package v2_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/api/v2"
	"parley/internal/insight"
	"parley/internal/model"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/expect"
	"parley/internal/testkit/scripted"
)

func TestMain(m *testing.M) { dbs.Main(m) }

func TestStories(t *testing.T) { testkit.RunStories(t, openStory, false) }

// A client that closes its half of the connection when it has sent its request gets the same answers, on every route.
func TestStoriesOfClientsThatCloseTheirHalf(t *testing.T) { testkit.RunStories(t, openStory, true) }

// The stories in testdata are told as package expect says, with paths below /api/v2 and {{key}} sent unless an
// Authorization header is given. Besides, there are
//
//	@plan free                               the plan of the account "free", whose key is {{free}}
//	@rate 5                                  requests per 10 s
//	@scopes reader agents:read               a key {{reader}} of our account; the other ones are in storySettings
//
//	=== title [meanwhile]                    a request that waits at the model's barrier while the story goes on
//	EVERY /agents/nobody?limit=1             a request to every route below the path that lists the code of the
//	                                         reply: with
//	                                         {{agentId}} and so on for its ids, and the body of the isolation test
//	an event with its arguments              what happens without a request; see storyEvents
type (
	story    = expect.Story
	exchange = expect.Exchange
)

func openStory(t *testing.T, s story) *testkit.StoryRunner {
	t.Helper()
	return newStoryRunner(t, s).StoryRunner
}

type storyRunner struct {
	*testkit.StoryRunner
	listedCodes map[string][]string // the codes of each route
	database    *dbs.Server         // of a story on PostgreSQL
	siteURL     string              // address of the story's website
}

// storySettings are what a story may ask of its server before it is opened. @plan NAME, @scopes NAME SCOPES,
// @credits NAME N and @expired NAME, which make accounts and keys, follow once it runs.
var storySettings = map[string]func(r *storyRunner, value string) testkit.Option{
	"rate": func(r *storyRunner, value string) testkit.Option { // requests in ten seconds
		return testkit.WithConfig(func(c *server.Config) { c.RateLimit = r.ParseNumber(value) })
	},
	"openturns": func(r *storyRunner, value string) testkit.Option { // answers that an account may have in the making
		return testkit.WithConfig(func(c *server.Config) { c.OpenTurns = r.ParseNumber(value) })
	},
	"plans": func(_ *storyRunner, value string) testkit.Option { // a file of plans
		return testkit.WithConfig(func(c *server.Config) { c.Plans = value })
	},
	"model": func(r *storyRunner, _ string) testkit.Option { // a model that echoes what no step is for
		return testkit.WithModel(&scripted.Model{StepsFor: r.modelSteps})
	},
	// pages on loopback, which link sources may read; {{site}} is their address
	"website": func(r *storyRunner, folder string) testkit.Option {
		r.siteURL = serveSite(r.T, folder)
		return testkit.WithConfig(func(c *server.Config) { c.FetchAllow = []string{"127.0.0.1/32"} })
	},
	"postgres": func(r *storyRunner, _ string) testkit.Option { // a database that can be lost
		r.database = dbs.StartPostgres(r.T)
		return testkit.WithDatabase("", r.database.NewStore(r.T))
	},
}

func newStoryRunner(t *testing.T, s story) *storyRunner {
	t.Helper()
	r := &storyRunner{StoryRunner: testkit.NewStoryRunner(t, v2.Base), listedCodes: listedCodes(t)}
	var options []testkit.Option
	for _, set := range s.Settings {
		name, value, _ := strings.Cut(set, " ")
		if make := storySettings[name]; make != nil {
			options = append(options, make(r, value))
		}
	}
	r.Open(options...)
	r.Placeholders["site"] = r.siteURL
	r.CompareStream = r.compareStream
	r.RunEvent = func(event string) error {
		run, args := testkit.FindEvent(storyEvents, event)
		return run(r, r.Placeholders.Expand(args))
	}
	r.OfEveryRoute = func(x exchange) (all []exchange) {
		for _, target := range routeTargets(x, r.listedCodes) {
			one := x
			one.Method, one.Path, one.Body = target.method, target.path, cmp.Or(x.Body, target.body)
			all = append(all, one)
		}
		return all
	}
	for _, set := range s.Settings {
		r.createFixtures(strings.Fields(set))
	}
	return r
}

// modelSteps calls a tool when it is asked to, and does what the runner's steps do otherwise.
func (r *storyRunner) modelSteps(req model.Request) []scripted.Step {
	last := req.Messages[len(req.Messages)-1]
	if last.Role == "tool" {
		return []scripted.Step{scripted.Text("The tool said " + last.Text), scripted.Stop()}
	}
	switch last.Text {
	case "Where am I?":
		return []scripted.Step{scripted.Text("One moment."), scripted.NewToolCall("where_am_i", `{"precise": true}`),
			scripted.FinishWithToolCalls()}
	case "Show me the door":
		return []scripted.Step{scripted.NewToolCall("door", `{}`), scripted.FinishWithToolCalls()}
	}
	return r.ModelSteps(last.Text)
}

// createFixtures creates the accounts and keys that a setting asks for.
func (r *storyRunner) createFixtures(set []string) {
	r.CreateFixture(set)
	switch set[0] {
	case "expired":
		r.Placeholders[set[1]] = r.CreateKey(admin.NewKey{Name: set[1]})
		r.ExecSQL(`update api_keys set expires_at = ? where name = ? and account_id = ?`,
			time.Now().Add(-time.Second).UnixMilli(), set[1], r.Server.Account)
		r.Server.Authenticator.ClearCache()
	case "member", "stranger": // of our account's team, or of the other account's
		r.Placeholders[set[1]] = r.addMember(map[string]string{"member": r.Server.Account,
			"stranger": r.Server.OtherAccount}[set[0]], set[1], set[2])
	case "searches": // as many as one likes
		r.Server.Search.Allow = nil
	case "patience": // of a message whose conversation is answering another
		patience, err := time.ParseDuration(set[1])
		if err != nil {
			r.T.Fatal(err)
		}
		r.Server.Engine.QueueTimeout = patience
	}
}

func (r *storyRunner) addMember(account, name, email string) string {
	created, err := admin.RunOn(r.T.Context(), r.Server.AdminService, admin.AddMember,
		admin.NewMember{AccountID: account, Email: email, Name: name, Role: string(parley.RoleAgent)})
	if err != nil {
		r.T.Fatal(err)
	}
	return created.UserID
}

// storyEvents are what happens in a server without a request.
var storyEvents = map[string]func(r *storyRunner, id string) error{
	"ends": func(r *storyRunner, id string) error {
		return r.changeConversation(id, "status", parley.ConversationEnded)
	},
	"takes over": func(r *storyRunner, id string) error {
		return r.changeConversation(id, "status", parley.ConversationTakenOver)
	},
	"brings by WhatsApp": func(r *storyRunner, id string) error {
		r.ExecSQL(`update conversation_counts set api = api - 1 where agent_id = (select agent_id from conversations
			where id = ?)`, id)
		return r.changeConversation(id, "channel", parley.ChannelWhatsApp)
	},
	"replies in": func(r *storyRunner, id string) error {
		_, agent, err := r.Server.DB.OwnerOfConversation(r.T.Context(), parley.ConversationID(id))
		if err == nil {
			_, err = r.Server.Conversations.AddHumanReply(r.T.Context(), parley.AccountID(r.Server.Account).
				AgentRef(agent).ConversationRef(parley.ConversationID(id)), "", "Hello, this is Kim.")
		}
		return err
	},
	"has the operator": func(r *storyRunner, args string) error { // STEP CONVERSATION
		step, id, _ := strings.Cut(args, " ")
		_, err := admin.RunOn(r.T.Context(), r.Server.AdminService, admin.MoveConversation,
			admin.StateChange{ID: id, Step: step})
		return err
	},
	"answers as": func(r *storyRunner, args string) error { // EMAIL CONVERSATION
		email, id, _ := strings.Cut(args, " ")
		_, err := admin.RunOn(r.T.Context(), r.Server.AdminService, admin.ReplyAsHuman,
			admin.HumanReply{ID: id, Member: email, Text: "It is me again."})
		return err
	},
	"deletes the conversation": func(r *storyRunner, id string) error {
		_, agent, err := r.Server.DB.OwnerOfConversation(r.T.Context(), parley.ConversationID(id))
		if err == nil {
			_, err = r.Server.Conversations.Delete(r.T.Context(), parley.AccountID(r.Server.Account).AgentRef(agent),
				[]parley.ConversationID{parley.ConversationID(id)}, nil)
		}
		return err
	},
	"has indexed everything":      func(r *storyRunner, _ string) error { return r.UpdateIndex() },
	"judges the conversations of": (*storyRunner).judgeConversations,
	"masks in": func(r *storyRunner, id string) error {
		return r.Server.DB.UpdateAgent(r.T.Context(), parley.AccountID(r.Server.Account).AgentRef(parley.AgentID(id)),
			func(a *parley.Agent) error { a.Redact = true; return nil })
	},
	"falls under HIPAA": func(r *storyRunner, _ string) error {
		r.ExecSQL(`update accounts set hipaa = 1 where id = ?`, r.Server.Account)
		r.Server.Authenticator.ClearCache()
		return nil
	},
	"has a moment for a search": func(r *storyRunner, _ string) error {
		r.Server.Search.Timeout = 1
		return nil
	},
	"pauses": func(r *storyRunner, id string) error { return r.changeConversation(id, "paused", 1) },
	"loses the message": func(r *storyRunner, id string) error {
		r.ExecSQL(`delete from messages where id = ? and account_id = ?`, id, r.Server.Account)
		return nil
	},
	"gives tools to": func(r *storyRunner, id string) error { return r.addActions(parley.AgentID(id)) },
	"ages the calls of": func(r *storyRunner, id string) error {
		old := time.Now().Add(-25 * time.Hour).UnixMilli()
		r.ExecSQL(`update tool_calls set created_at = ? where conversation_id = ? and account_id = ?`, old, id,
			r.Server.Account)
		r.ExecSQL(`update messages set created_at = ? where conversation_id = ? and account_id = ?`, old, id,
			r.Server.Account)
		return nil
	},
	"begins to delete": func(r *storyRunner, ids string) error {
		agent, source, _ := strings.Cut(ids, " ")
		_, _, err := r.Server.DB.UpdateSource(r.T.Context(),
			parley.AccountID(r.Server.Account).AgentRef(parley.AgentID(agent)), parley.SourceID(source),
			func(s *parley.Source) error { s.Status = parley.SourceToBeDeleted; return nil })
		return err
	},
	"forgets the model of": func(r *storyRunner, id string) error {
		return r.Server.DB.UpdateAgent(r.T.Context(), parley.AccountID(r.Server.Account).AgentRef(parley.AgentID(id)),
			func(a *parley.Agent) error { a.Model = "of-yesterday"; return nil })
	},
	"spoils": func(r *storyRunner, table string) error {
		r.ExecSQL("alter table " + table + " rename to spoilt_" + table)
		r.Server.Authenticator.ClearCache()
		return nil
	},
	"mends": func(r *storyRunner, table string) error {
		r.ExecSQL("alter table spoilt_" + table + " rename to " + table)
		return nil
	},
	"holds keys of requests with": (*storyRunner).holdIdempotencyKeys,
	"loses every kept reply": func(r *storyRunner, _ string) error {
		r.ExecSQL(`update idempotency_keys set status = 0, reply = ''`)
		return nil
	},
	"breaks its rooms": func(r *storyRunner, _ string) error {
		r.Server.Voice.Rooms.(*testkit.FakeRooms).SetFailing(true)
		return nil
	},
	"has rooms again": func(r *storyRunner, _ string) error {
		r.Server.Voice.Rooms.(*testkit.FakeRooms).SetFailing(false)
		return nil
	},
	"connects the customer of": func(r *storyRunner, id string) error { // a session
		for _, l := range r.Server.Voice.Active() {
			if string(l.ID) == id {
				l.MarkJoined()
			}
		}
		return r.Server.Voice.StoreJoins(r.T.Context())
	},
	"hangs up": func(r *storyRunner, id string) error { // a session
		_, err := admin.RunOn(r.T.Context(), r.Server.AdminService, admin.EndVoiceSession, admin.VoiceSessionRef{ID: id})
		return err
	},
	"archives": func(r *storyRunner, status string) error {
		r.ExecSQL(`update ticket_statuses set archived_at = 1 where id = ? and account_id = ?`, status, r.Server.Account)
		return nil
	},
	"lets": func(r *storyRunner, args string) error { // USER join TEAM
		user, team, _ := strings.Cut(args, " join ")
		r.ExecSQL(`insert into team_members (team_id, user_id, account_id, agent_id, hours, joined_at)
			select id, ?, account_id, agent_id, '[]', 1 from teams where id = ? and account_id = ?`,
			user, team, r.Server.Account)
		return nil
	},
	"is under maintenance": func(r *storyRunner, _ string) error { return r.SetMaintenance(true) },
	"is open again":        func(r *storyRunner, _ string) error { return r.SetMaintenance(false) },
	"opens the gate":       func(r *storyRunner, _ string) error { r.ModelGate.Release(); return r.FinishCalls() },
	"stops": func(r *storyRunner, _ string) error { // without time for what is running
		now, cancel := context.WithCancel(r.T.Context())
		cancel()
		r.Server.Drain(now)
		return r.FinishCalls()
	},
	"loses its database": func(r *storyRunner, _ string) error { r.database.Kill(r.T); return nil },
	"finds its database": func(r *storyRunner, _ string) error { r.database.Start(r.T); return nil },
}

// addActions returns an agent an action that its clients run, and one that the server runs.
func (r *storyRunner) addActions(agent parley.AgentID) error {
	now := time.Now()
	for _, a := range []parley.Action{
		{Key: "where", Kind: parley.ActionClient, Name: "where_am_i",
			Inputs: []parley.ActionInput{{Name: "precise", Type: "boolean"}}},
		{Key: "door", Kind: parley.ActionCustomButton, Name: "door",
			Config: json.RawMessage(`{"label": "The door", "url": "https://example.com/door"}`)},
	} {
		a.ID, a.AccountID, a.AgentID = parley.ActionID(parley.NewUUID()), parley.AccountID(r.Server.Account), agent
		a.Description, a.Enabled, a.CreatedAt, a.UpdatedAt = "For stories.", true, now, now
		if err := r.Server.DB.PutAction(r.T.Context(), &a); err != nil {
			return err
		}
	}
	return nil
}

func (r *storyRunner) changeConversation(id, column string, value any) error {
	r.ExecSQL(`update conversations set `+column+` = ? where id = ? and account_id = ?`, value, id, r.Server.Account)
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

// compareStream compares two streams event by event.
func (r *storyRunner) compareStream(got, want string) error {
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
		if err := r.Placeholders.Compare(gotData, wantData); err != nil {
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

// judgeConversations finds out about all conversations of an agent, as quiet does.
func (r *storyRunner) judgeConversations(agent string) (err error) {
	for at := (insight.Progress{}); !at.Done; {
		if at, err = r.Server.Insight.Rebuild(r.T.Context(),
			parley.AccountID(r.Server.Account).AgentRef(parley.AgentID(agent)), at); err != nil {
			return err
		}
	}
	return nil
}
