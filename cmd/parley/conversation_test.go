package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/testkit/dbs"
)

// A person takes conversations over, with a running server and without one.
func TestConversationCommands(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
			if database == "postgres" {
				t.Setenv("PARLEY_DATABASE_URL", dbs.SharedPostgres(t).NewStore(t))
			}
			created := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
			runJSON[admin.AddedMember](t, "member", "add", "--account", created.AccountID, "--email", "kim@example.com",
				"--name", "Kim")
			s := startServer(t, "serve")
			agent := postJSON[struct{ ID string }](t, s.URL+"/api/v2/agents", created.APIKey, `{"name": "Shop"}`).ID
			chat := func(body string) string {
				type reply struct {
					Data struct {
						Metadata struct{ ConversationID string }
					}
				}
				return postJSON[reply](t, s.URL+"/api/v2/agents/"+agent+"/chat", created.APIKey, body).Data.Metadata.ConversationID
			}
			one, two, three := chat(`{"message": "Hello", "userId": "jo"}`),
				chat(`{"message": "Hello", "userId": "jo"}`), chat(`{"message": "Hello"}`)
			testTakeover(t, one)
			if status, _, errs := runCommand(t, "conversations", "end", two); status != 0 {
				t.Error(errs)
			}
			list := runJSON[[]admin.Conversation](t, "conversations", "list", "--agent", agent)
			if len(list) != 3 || list[0].ID != three || list[1].Status != "ended" || list[2].Status != "ongoing" ||
				list[2].Messages != 3 || list[2].Source != "API" {
				t.Errorf("%+v", list)
			}
			if own := runJSON[[]admin.Conversation](t, "conversations", "list", "--agent", agent, "--user", "jo",
				"--limit", "1"); len(own) != 1 || own[0].ID != two {
				t.Errorf("%+v", own)
			}
			testDelete(t, s.URL, created.APIKey, agent, one)
			s.stopServer(t)
			if n := runJSON[admin.Count](t, "conversations", "delete", "--agent", agent, "--before", "2001-01-01",
				"--yes"); n.Conversations != 0 {
				t.Errorf("old ones: %+v", n)
			}
			if n := runJSON[admin.Count](t, "conversations", "delete", three, "--yes"); n.Conversations != 1 {
				t.Errorf("by id: %+v", n)
			}
			if left := runJSON[[]admin.Conversation](t, "conversations", "list", "--agent", agent); len(left) != 0 {
				t.Errorf("remaining: %+v", left)
			}
		})
	}
}

// testTakeover takes a conversation over, replies and hands it back.
func testTakeover(t *testing.T, id string) {
	t.Helper()
	if status, _, errs := runCommand(t, "conversations", "reply", id, "--member", "kim@example.com",
		"Hello"); status != 1 || !strings.Contains(errs, "not been taken over") {
		t.Errorf("a reply in between: %d %s", status, errs)
	}
	if _, out, errs := runCommand(t, "conversations", "takeover", id); !strings.Contains(out, "is taken_over") {
		t.Error(out, errs)
	}
	if status, _, errs := runCommand(t, "conversations", "reply", id, "--member", "lee@example.com",
		"Hello"); status != 1 || !strings.Contains(errs, "lee@example.com") {
		t.Errorf("a stranger's reply: %d %s", status, errs)
	}
	runJSON[admin.MessageRef](t, "conversations", "reply", id, "--member", "KIM@example.com", "Hello, this is Kim.")
	if _, out, errs := runCommand(t, "conversations", "handback", id); !strings.Contains(out, "is ongoing") {
		t.Error(out, errs)
	}
	if status, _, errs := runCommand(t, "conversations", "end", "nothing"); status != 1 ||
		!strings.Contains(errs, "Conversation not found") {
		t.Errorf("the end of nothing: %d %s", status, errs)
	}
}

// testDelete deletes jo's conversations.
func testDelete(t *testing.T, url, key, agent, one string) {
	t.Helper()
	path := url + "/api/v2/agents/" + agent + "/conversations/" + one
	for _, nonsense := range [][]string{{}, {"--agent", agent}, {one, "--agent", agent},
		{"--agent", agent, "--before", "soon"}, {"--user", "jo"}} {
		if status, _, errs := runCommand(t,
			append([]string{"conversations", "delete", "--yes"}, nonsense...)...); status != 2 {
			t.Errorf("delete %v: %d %s", nonsense, status, errs)
		}
	}
	if status, _, errs := runCommand(t, "conversations", "delete", "--agent", agent, "--user", "jo"); status == 0 {
		t.Error("the command did not ask for confirmation", errs)
	}
	if status, body := sendRequest(t, "GET", path, key, ""); status != 200 {
		t.Errorf("the conversation was deleted without confirmation: %d %s", status, body)
	}
	if _, out, errs := runCommand(t, "conversations", "delete", "--agent", agent, "--user", "jo",
		"--yes"); out != "Deleted 2 conversations.\n" {
		t.Error(out, errs)
	}
	if status, body := sendRequest(t, "GET", path, key, ""); status != 404 {
		t.Errorf("the conversation was not deleted: %d %s", status, body)
	}
	if status, _, errs := runCommand(t, "conversations", "delete", one, "--yes"); status != 1 ||
		!strings.Contains(errs, one) {
		t.Errorf("twice: %d %s", status, errs)
	}
}

// postJSON posts a body and reads the reply.
func postJSON[T any](t *testing.T, url, key, body string) (v T) {
	t.Helper()
	status, text := sendRequest(t, "POST", url, key, body)
	if err := json.Unmarshal([]byte(text), &v); err != nil || status/100 != 2 {
		t.Fatalf("%s: %d %s", url, status, text)
	}
	return v
}

func TestTraceOfAFailedTurn(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var out commandOutput
	p := &process{stdout: &out}
	p.printTurn(admin.TurnTrace{StartedAt: at,
		Trace: parley.Trace{TurnID: "t1", State: "failed", Error: "the server stopped"}})
	if want := "Turn t1, 2026-11-21T12:00:00Z, failed\nerror       the server stopped\n"; out.String() != want {
		t.Errorf("a crashed turn:\n%s", out.String())
	}
}

func TestTraceMarksCitedPassages(t *testing.T) {
	withoutSource := admin.PassageTrace{TracePassage: parley.TracePassage{ID: "p2", Name: "Handbook", Heading: "Leave",
		Rank: 0.5, IsCited: true, Quotes: []string{"Thirty days."}}}
	withSource := admin.PassageTrace{TracePassage: parley.TracePassage{ID: "p1", Name: "Handbook", Rank: 0.75},
		Text: "All of it.\n"}
	var out commandOutput
	p := &process{stdout: &out}
	p.printTurn(admin.TurnTrace{Trace: parley.Trace{TurnID: "t1", State: "done", Model: "auto"},
		Passages: []admin.PassageTrace{withSource, withoutSource}})
	for _, want := range []string{
		"passage 1   0.750  Handbook  (p1)\n            All of it.\n",
		"passage 2   0.500  cited  Handbook › Leave  (p2)\n", "“Thirty days.”\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
