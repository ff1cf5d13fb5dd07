package v2_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/v2"
	"parley/internal/model"
	"parley/internal/sqldb"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/scripted"
)

// markerText is in everything that an agent is told and says in these tests.
const markerText = "zebrafinch"

// textColumns are the tables that no request of this test writes to, with the texts an agent could hold there.
var textColumns = map[string]string{
	"actions": `key, kind, name, description, triggers, inputs, config, secrets, enabled, position, ` +
		`created_at, updated_at) values (?, ?, ?, 'zebrafinch', 'http', 'zebrafinch', 'zebrafinch', ` +
		`'["zebrafinch"]', '[]', '{"url":"zebrafinch"}', 'zebrafinch', 0, 0, 1, 1`,
	"procedures": `key, name, description, triggers, inputs, steps, enabled, position, created_at, ` +
		`updated_at) values (?, ?, ?, 'zebrafinch', 'zebrafinch', 'zebrafinch', '["zebrafinch"]', '[]', ` +
		`'[{"say":"zebrafinch"}]', 0, 0, 1, 1`,
	"leads": `conversation_id, name, email, phone, fields, created_at) values (?, ?, ?, 'c', ` +
		`'zebrafinch', 'zebrafinch@a.org', 'zebrafinch', '{}', 1`,
	"people": `email, external_id, name, phone, attributes, created_at, updated_at) values (?, ?, ?, ` +
		`'zebrafinch@a.org', 'zebrafinch', 'zebrafinch', '1', '{"a":"zebrafinch"}', 1, 1`,
	"blobs": `hash, size, media_type, name, place, created_at) values (?, ?, ?, 'h', 1, ` +
		`'text/plain', 'zebrafinch.txt', 'p', 1`,
	"webhooks": `endpoint, events, signing, created_at, updated_at) values (?, ?, ?, ` +
		`'https://zebrafinch.org', '[]', '', 1, 1`,
	"webhook_deliveries": `webhook_id, event, body, state, attempts, due_at, created_at, updated_at) values (?, ` +
		`?, ?, 'w', 'leads.submit', '{"a":"zebrafinch"}', 'dead', 8, 1, 1, 1`,
	"tool_calls": `conversation_id, message_id, turn_id, call_id, tool, action_type, client_side, input, ` +
		`output, status, created_at) values (?, ?, ?, 'c', 'm', 't', 'x', 'zebrafinch', 'http', 0, ` +
		`'{"a":"zebrafinch"}', '{"b":"zebrafinch"}', 'success', 1`,
	"procedure_runs": `conversation_id, procedure_name, step, state, started_at, inputs) values (?, ?, ?, ` +
		`'c', 'zebrafinch', 0, 'waiting', 1, '{"a":"zebrafinch"}'`,
}

// TestDeletedAgentIsErased plants a marker wherever an agent can hold text, deletes the agent while it
// answers, reads and is copied, and finds the marker nowhere once all of that has ended.
func TestDeletedAgentIsErased(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			barrier, clock := scripted.NewBarrier(), clock.New()
			srv := testkit.Open(t, append(options, testkit.WithClock(clock),
				testkit.WithModel(&scripted.Model{StepsFor: func(req model.Request) []scripted.Step {
					text := req.Messages[len(req.Messages)-1].Text
					if strings.Contains(text, "wait") {
						return []scripted.Step{scripted.Text("Half a " + markerText), {Barrier: barrier}, scripted.Text(text),
							scripted.Stop()}
					}
					return []scripted.Step{scripted.Text(text), scripted.Stop()}
				}}))...)
			agent := createMarkedAgent(t, srv)
			if left := findMarker(t, srv); len(left) < 12 {
				t.Fatal("the marker stands only in", left)
			}
			answered := make(chan error, 1)
			go func() {
				_, _, err := sendRequest(t.Context(), srv, "POST", "/agents/"+agent+"/chat",
					`{"message": "wait for the `+markerText+`"}`)
				answered <- err
			}()
			check.Receive(t, "a model at its barrier", barrier.Reached())
			mustSend(t, srv, "POST", "/agents/"+agent+"/sources", `{"type": "text", "name": "Late `+markerText+
				`", "content": "`+strings.Repeat(markerText+" sings late. ", 3000)+`"}`)
			mustSend(t, srv, "DELETE", "/agents/"+agent, "")
			barrier.Release()
			if err := check.Receive(t, "the answer", answered); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "the agent's row, the last one, is gone", func() bool {
				clock.Advance(time.Second)
				return countRows(t, srv, `select count(*) from agents where id = ?`, agent) == 0
			})
			inIndex := func(column string) bool { return strings.HasPrefix(column, "search_") }
			if left := slices.DeleteFunc(findMarker(t, srv), inIndex); len(left) > 0 {
				t.Error("the marker is left in", left)
			}
			testkit.Eventually(t, "the index of conversations, which follows what happens, holds the marker no more",
				func() bool {
					clock.Advance(time.Second)
					return len(findMarker(t, srv)) == 0
				})
		})
	}
}

// createMarkedAgent creates an agent with the marker in all it has.
func createMarkedAgent(t *testing.T, srv *testkit.Server) string {
	t.Helper()
	var created struct{ ID string }
	mustUnmarshal(t, mustSend(t, srv, "POST", "/agents", `{"name": "`+markerText+`", "instructions": "`+markerText+`"}`),
		&created)
	at := "/agents/" + created.ID
	mustSend(t, srv, "PUT", at, `{"channelInstructions": {"email": "`+markerText+`"}, "allowedDomains": ["`+markerText+
		`.org"], "initialMessages": ["`+markerText+`"],
		"suggestedMessages": [{"type": "single", "text": "`+markerText+`", "order": 1}], "ipRateLimits": {"message": "`+
		markerText+`"},
		"notificationsSettings": {"dailyConversations": {"active": true, "emails": ["`+markerText+
		`@a.org"]}}, "voiceSettings": {"initialMessage": "`+markerText+`"}}`)
	mustSend(t, srv, "PUT", at+"/styles", `{"styles": {"chat": {"displayName": "`+markerText+`"}}}`)
	mustSend(t, srv, "POST", at+"/sources",
		`{"type": "text", "name": "`+markerText+`", "content": "# `+markerText+`\n\nThe `+markerText+` sings."}`)
	testkit.Eventually(t, "it is trained", func() bool {
		return strings.Contains(mustSend(t, srv, "GET", at, ""), `"status":"trained"`)
	})
	mustSend(t, srv, "POST", at+"/chat", `{"message": "What does the `+markerText+` do?", "userId": "`+markerText+`"}`)
	for table, rest := range textColumns {
		if _, err := srv.DB.SQL().Exec(t.Context(), `insert into `+table+` (id, account_id, agent_id, `+rest+`)`,
			parley.NewUUID(), srv.Account, created.ID); err != nil {
			t.Fatal(table, err)
		}
	}
	if _, err := srv.DB.SQL().Exec(t.Context(), `update turns set trace = ? where agent_id = ?`, `{"a":"`+markerText+`"}`,
		created.ID); err != nil {
		t.Fatal(err)
	}
	return created.ID
}

// sendRequest sends a request, a POST with an Idempotency-Key.
func sendRequest(ctx context.Context, srv *testkit.Server,
	method, path, body string) (status int, reply string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, srv.URL+v2.Base+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+srv.Key)
	if method == "POST" {
		req.Header.Set("Idempotency-Key", parley.NewUUID())
	}
	resp, err := srv.Client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func mustSend(t *testing.T, srv *testkit.Server, method, path, body string) string {
	t.Helper()
	status, reply, err := sendRequest(t.Context(), srv, method, path, body)
	if err != nil || status/100 != 2 {
		t.Fatalf("%s %s: %d %s %v", method, path, status, reply, err)
	}
	return reply
}

func mustUnmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func countRows(t *testing.T, srv *testkit.Server, query string, args ...any) int {
	t.Helper()
	n, err := sqldb.One(t.Context(), srv.DB.SQL(), sqldb.Column[int], query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// findMarker lists the columns of the whole database in which the marker is.
func findMarker(t *testing.T, srv *testkit.Server) (left []string) {
	t.Helper()
	query := `select m.name || '.' || c.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'
		and lower(c.type) = 'text'`
	if srv.DB.SQL().Dialect() == sqldb.Postgres {
		query = `select table_name || '.' || column_name from information_schema.columns where table_schema = 'public'
			and data_type = 'text'`
	}
	columns, err := sqldb.All(t.Context(), srv.DB.SQL(), sqldb.Column[string], query)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		table, column, _ := strings.Cut(c, ".")
		if countRows(t, srv, fmt.Sprintf(`select count(*) from %s where %s like ?`, table, column), "%"+markerText+"%") > 0 {
			left = append(left, c)
		}
	}
	slices.Sort(left)
	return left
}

// TestAgentCreditsRenewEachMonth holds creditLimit and creditsUsed to the calendar month, UTC
// (docs/interface/agents.md#credit-limit).
func TestAgentCreditsRenewEachMonth(t *testing.T) {
	clock := clock.New() // the tenth of November
	srv := testkit.Open(t, testkit.WithClock(clock))
	agent := "/agents/" + createAgent(t, srv)
	mustSend(t, srv, "PUT", agent, `{"creditLimit": 1}`)
	chat := func() (int, string) {
		status, reply := sendAs(t, srv, srv.Key, "POST", agent+"/chat", `{"message": "Hello"}`)
		var refused struct{ Error struct{ Code string } }
		mustUnmarshal(t, reply, &refused)
		return status, refused.Error.Code
	}
	used := func() (n int) {
		var a struct{ CreditsUsed int }
		if err := json.Unmarshal([]byte(mustSend(t, srv, "GET", agent, "")), &a); err != nil {
			t.Fatal(err)
		}
		return a.CreditsUsed
	}
	for _, month := range []string{"November", "December"} {
		if status, code := chat(); status != 200 || used() != 1 {
			t.Errorf("%s: %d %s, %d used", month, status, code, used())
		}
		if status, code := chat(); status != 402 || code != string(parley.CodeAgentCredits) {
			t.Errorf("%s, when it is spent: %d %s", month, status, code)
		}
		clock.Advance(21 * 24 * time.Hour) // the first of December
		if month == "November" && used() != 0 {
			t.Error("not back on the first:", used())
		}
	}
}

// TestBlankNamesAreRefused checks that agents and sources have names that can be seen, and that all others are kept.
func TestBlankNamesAreRefused(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := testkit.Open(t, options...)
			agent := "/agents/" + createAgent(t, srv)
			text := map[string]any{"type": "text", "name": "Hours", "content": "We open at nine."}
			var source struct{ ID, Name string }
			srv.Do(t, "POST", agent+"/sources", srv.Key, text).Decode(t, http.StatusCreated, &source)
			for _, blank := range []string{"   ", "\u202e", "\u200b\u3164\t"} {
				for path, body := range map[string]map[string]any{
					"POST /agents":                           {"name": blank},
					"PUT " + agent:                           {"name": blank},
					"POST " + agent + "/sources":             {"type": "text", "name": blank, "content": "Some text."},
					"PUT " + agent + "/sources/" + source.ID: {"name": blank},
				} {
					checkBlankNameIsRefused(t, srv, path, body)
				}
			}
			turned := " agent \u202egnp.exe "
			mustSend(t, srv, "PUT", agent, `{"name": "`+turned+`"}`)
			mustUnmarshal(t, mustSend(t, srv, "GET", agent, ""), &source)
			if source.Name != turned {
				t.Errorf("the name is not kept as it was sent: %q", source.Name)
			}
		})
	}
}

func checkBlankNameIsRefused(t *testing.T, srv *testkit.Server, path string, body map[string]any) {
	t.Helper()
	method, address, _ := strings.Cut(path, " ")
	var e struct {
		Error struct{ Details map[string]string }
	}
	srv.Do(t, method, address, srv.Key, body).Decode(t, http.StatusBadRequest, &e)
	if e.Error.Details["name"] != "must have a character that can be seen" {
		t.Errorf("%s with the name %q: %v", path, body["name"], e.Error.Details)
	}
}
