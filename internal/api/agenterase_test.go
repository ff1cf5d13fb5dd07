package api_test

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
	"parley/internal/api"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/sqldb"
)

// marker stands in everything that an agent is told and says in these tests.
const marker = "zebrafinch"

// tales are the tables that no request of this test writes to, with the texts an agent could hold there.
var tales = map[string]string{
	"actions":            `key, kind, name, description, triggers, inputs, config, secrets, enabled, position, created_at, updated_at) values (?, ?, ?, 'zebrafinch', 'http', 'zebrafinch', 'zebrafinch', '["zebrafinch"]', '[]', '{"url":"zebrafinch"}', 'zebrafinch', 0, 0, 1, 1`,
	"procedures":         `key, name, description, triggers, inputs, steps, enabled, position, created_at, updated_at) values (?, ?, ?, 'zebrafinch', 'zebrafinch', 'zebrafinch', '["zebrafinch"]', '[]', '[{"say":"zebrafinch"}]', 0, 0, 1, 1`,
	"leads":              `conversation_id, name, email, phone, fields, created_at) values (?, ?, ?, 'c', 'zebrafinch', 'zebrafinch@a.org', 'zebrafinch', '{}', 1`,
	"people":             `email, external_id, name, phone, attributes, created_at, updated_at) values (?, ?, ?, 'zebrafinch@a.org', 'zebrafinch', 'zebrafinch', '1', '{"a":"zebrafinch"}', 1, 1`,
	"blobs":              `hash, size, media_type, name, place, created_at) values (?, ?, ?, 'h', 1, 'text/plain', 'zebrafinch.txt', 'p', 1`,
	"webhooks":           `endpoint, events, signing, created_at, updated_at) values (?, ?, ?, 'https://zebrafinch.org', '[]', '', 1, 1`,
	"webhook_deliveries": `webhook_id, event, body, state, attempts, due_at, created_at, updated_at) values (?, ?, ?, 'w', 'leads.submit', '{"a":"zebrafinch"}', 'dead', 8, 1, 1, 1`,
	"tool_calls":         `conversation_id, message_id, turn_id, call_id, tool, action_type, client_side, input, output, status, created_at) values (?, ?, ?, 'c', 'm', 't', 'x', 'zebrafinch', 'http', 0, '{"a":"zebrafinch"}', '{"b":"zebrafinch"}', 'success', 1`,
	"procedure_runs":     `conversation_id, procedure_name, step, state, started_at, inputs) values (?, ?, ?, 'c', 'zebrafinch', 0, 'waiting', 1, '{"a":"zebrafinch"}'`,
}

// TestNothingIsLeftOfADeletedAgent plants a marker wherever an agent can hold text, deletes the agent while it answers, reads
// and is copied, and finds the marker nowhere once all of that has ended.
func TestNothingIsLeftOfADeletedAgent(t *testing.T) {
	for name, options := range map[string][]rig.Option{"sqlite": nil, "postgres": {rig.OnPostgres()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate, clock := llm.NewGate(), rig.NewClock()
			h := rig.Open(t, append(options, rig.ByClock(clock), rig.Speaking(&llm.Scripted{Answer: func(req llm.Request) []llm.Step {
				text := req.Messages[len(req.Messages)-1].Text
				if strings.Contains(text, "wait") {
					return []llm.Step{llm.Say("Half a " + marker), {Gate: gate}, llm.Say(text), llm.Stop()}
				}
				return []llm.Step{llm.Say(text), llm.Stop()}
			}}))...)
			agent := plantAgent(t, h)
			if left := marked(t, h); len(left) < 12 {
				t.Fatal("the marker stands only in", left)
			}
			answered := make(chan error, 1)
			go func() {
				_, _, err := request(t.Context(), h, "POST", "/agents/"+agent+"/chat", `{"message": "wait for the `+marker+`"}`)
				answered <- err
			}()
			<-gate.Reached()
			mustSend(t, h, "POST", "/agents/"+agent+"/sources", `{"type": "text", "name": "Late `+marker+`", "content": "`+strings.Repeat(marker+" sings late. ", 3000)+`"}`)
			mustSend(t, h, "DELETE", "/agents/"+agent, "")
			gate.Open()
			if err := <-answered; err != nil {
				t.Fatal(err)
			}
			rig.Eventually(t, "the agent's row, the last one, is gone", func() bool {
				clock.Turn(time.Second)
				return count(t, h, `select count(*) from agents where id = ?`, agent) == 0
			})
			inIndex := func(column string) bool { return strings.HasPrefix(column, "search_") }
			if left := slices.DeleteFunc(marked(t, h), inIndex); len(left) > 0 {
				t.Error("the marker is left in", left)
			}
			rig.Eventually(t, "the index of conversations, which follows what happens, holds the marker no more", func() bool {
				clock.Turn(time.Second)
				return len(marked(t, h)) == 0
			})
		})
	}
}

// plantAgent makes an agent with the marker in all it has.
func plantAgent(t *testing.T, h *rig.House) string {
	t.Helper()
	var made struct{ ID string }
	mustRead(t, mustSend(t, h, "POST", "/agents", `{"name": "`+marker+`", "instructions": "`+marker+`"}`), &made)
	at := "/agents/" + made.ID
	mustSend(t, h, "PUT", at, `{"channelInstructions": {"email": "`+marker+`"}, "allowedDomains": ["`+marker+`.org"], "initialMessages": ["`+marker+`"],
		"suggestedMessages": [{"type": "single", "text": "`+marker+`", "order": 1}], "ipRateLimits": {"message": "`+marker+`"},
		"notificationsSettings": {"dailyConversations": {"active": true, "emails": ["`+marker+`@a.org"]}}, "voiceSettings": {"initialMessage": "`+marker+`"}}`)
	mustSend(t, h, "PUT", at+"/styles", `{"styles": {"chat": {"displayName": "`+marker+`"}}}`)
	mustSend(t, h, "POST", at+"/sources", `{"type": "text", "name": "`+marker+`", "content": "# `+marker+`\n\nThe `+marker+` sings."}`)
	rig.Eventually(t, "it is trained", func() bool { return strings.Contains(mustSend(t, h, "GET", at, ""), `"status":"trained"`) })
	mustSend(t, h, "POST", at+"/chat", `{"message": "What does the `+marker+` do?", "userId": "`+marker+`"}`)
	for table, rest := range tales {
		if _, err := h.DB.SQL().Exec(t.Context(), `insert into `+table+` (id, account_id, agent_id, `+rest+`)`, parley.NewUUID(), h.Account, made.ID); err != nil {
			t.Fatal(table, err)
		}
	}
	if _, err := h.DB.SQL().Exec(t.Context(), `update turns set trace = ? where agent_id = ?`, `{"a":"`+marker+`"}`, made.ID); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// request sends a request, a POST with an Idempotency-Key.
func request(ctx context.Context, h *rig.House, method, path, body string) (status int, reply string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, h.URL+api.Base+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+h.Key)
	if method == "POST" {
		req.Header.Set("Idempotency-Key", parley.NewUUID())
	}
	resp, err := h.Client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func mustSend(t *testing.T, h *rig.House, method, path, body string) string {
	t.Helper()
	status, reply, err := request(t.Context(), h, method, path, body)
	if err != nil || status/100 != 2 {
		t.Fatalf("%s %s: %d %s %v", method, path, status, reply, err)
	}
	return reply
}

func mustRead(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, h *rig.House, query string, args ...any) int {
	t.Helper()
	n, err := sqldb.One(t.Context(), h.DB.SQL(), sqldb.Column[int], query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// marked lists the columns of the whole database in which the marker stands.
func marked(t *testing.T, h *rig.House) (left []string) {
	t.Helper()
	query := `select m.name || '.' || c.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table' and lower(c.type) = 'text'`
	if h.DB.SQL().Dialect() == sqldb.Postgres {
		query = `select table_name || '.' || column_name from information_schema.columns where table_schema = 'public' and data_type = 'text'`
	}
	columns, err := sqldb.All(t.Context(), h.DB.SQL(), sqldb.Column[string], query)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		table, column, _ := strings.Cut(c, ".")
		if count(t, h, fmt.Sprintf(`select count(*) from %s where %s like ?`, table, column), "%"+marker+"%") > 0 {
			left = append(left, c)
		}
	}
	slices.Sort(left)
	return left
}
