package chat_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
)

// allStoredText returns all text of the conversation in the database.
func (te *testEngine) allStoredText() string {
	te.t.Helper()
	var all strings.Builder
	for _, q := range []string{`select parts || coalesce(citations, '') from messages`,
		`select coalesce(input, '') || coalesce(output, '') from tool_calls`,
		`select coalesce(trace, '') from turns`, `select payload from events`} {
		rows, err := te.db.SQL().Query(te.t.Context(), q)
		check.Must(te.t, err)
		for rows.Next() {
			var text string
			check.Must(te.t, rows.Scan(&text))
			all.WriteString(text + "\n")
		}
		check.Must(te.t, rows.Close())
	}
	return all.String()
}

func TestRedactingAgentStoresNoPersonalData(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		var inputs []string
		tool := newTool("look_up", func(_ context.Context, c chat.Call) chat.Output {
			inputs = append(inputs, string(c.Input))
			return successOutput(`{"owner": "ann@example.com", "phone": "+49 30 1234567"}`)
		})
		te.setTools(tool, locationTool)
		_, err := te.db.SQL().Exec(t.Context(), `update agents set redact = 1 where id = ?`, te.agent.ID)
		check.Must(t, err)
		te.model.AddScript(scripted.Text("Looking for ann@example.com. "),
			scripted.NewToolCall("look_up", `{"email": "ann@example.com"}`), scripted.FinishWithToolCalls()).
			AddScript(scripted.Text("Found ann@example.com."), scripted.Stop())
		turn := te.start("I am ann@example.com, card 4111 1111 1111 1111", "")
		if f := te.finish(turn); !strings.Contains(f.Message.Text(), "ann@example.com") {
			t.Errorf("the client gets %q", f.Message.Text())
		}
		if sent := te.model.Requests()[0].Messages[0].Text; !strings.Contains(sent, "4111") ||
			!strings.Contains(inputs[0], "ann@") {
			t.Errorf("the model got %q, the tool %q", sent, inputs)
		}
		te.model.AddScript(scripted.NewToolCall("where_am_i", `{}`), scripted.FinishWithToolCalls())
		te.finish(te.start("And where is bob@example.com?", turn.ConversationID))
		if sent := te.model.Requests()[2].Messages[0].Text; strings.Contains(sent, "ann@") {
			t.Errorf("a later turn gets %q", sent)
		}
		check.Must(t, te.submitResult(turn, te.pendingCall(turn), `{"mail": "carl@example.com", "n": 1}`))
		te.model.AddScript(scripted.Text("half of dora@example.com"), scripted.Step{Err: context.DeadlineExceeded})
		_, err = te.start("I am dora@example.com", turn.ConversationID).Wait(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		stored := te.allStoredText()
		for _, secret := range []string{"ann@", "bob@", "carl@", "dora@", "4111", "1234567"} {
			if strings.Contains(stored, secret) {
				t.Errorf("%s is stored in\n%s", secret, stored)
			}
		}
		for _, mask := range []string{"[email]", "[card]", "[phone]"} {
			if !strings.Contains(stored, mask) {
				t.Errorf("no %s in\n%s", mask, stored)
			}
		}
	})
}

// Quotes of a source are not redacted, so that citations can be verified.
func TestRedactionKeepsQuotes(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		_, err := te.db.SQL().Exec(t.Context(), `update agents set redact = 1 where id = ?`, te.agent.ID)
		check.Must(t, err)
		check.Must(t, te.addSource("Write to help@example.com."))
		te.model.StepsFor = func(r model.Request) []scripted.Step {
			answer := "You are ann@example.com. " + r.Passages[0].Text
			return []scripted.Step{scripted.Text(answer),
				{Chunk: model.Chunk{Citation: &model.Citation{Start: r.Passages[0].Start, End: r.Passages[0].End,
					AnswerStart: 25, AnswerEnd: len(answer)}}}, scripted.Stop()}
		}
		turn := te.start("Where do I write to, as ann@example.com?", "")
		te.finish(turn)
		page, err := te.db.Messages(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID),
			parley.PageRequest{Limit: 9})
		check.Must(t, err)
		m := page.Items[1]
		c := m.Citations[0]
		if text := m.Text(); text != "You are [email]. Write to help@example.com." ||
			text[c.AnswerStart:c.AnswerEnd] != "Write to help@example.com." {
			b, _ := json.Marshal(m)
			t.Errorf("stored %s", b)
		}
	})
}

// addSource adds a source of one passage to the agent.
func (te *testEngine) addSource(text string) error {
	source, version, now := parley.NewUUID(), parley.NewUUID(), te.clock.Now().UnixMilli()
	for _, do := range []struct {
		query string
		args  []any
	}{
		{`insert into sources (id, account_id, agent_id, kind, name, size, status, live_version, live_in, created_at,
			updated_at) values (?, ?, ?, 'text', 'Guide', 1, 'trained', ?, 1, ?, ?)`,
			[]any{source, te.account.ID, te.agent.ID, version, now, now}},
		{`insert into source_versions (id, account_id, agent_id, source_id, hash, text, state, created_at)
			values (?, ?, ?, ?, 'h', ?, 'live', ?)`,
			[]any{version, te.account.ID, te.agent.ID, source, text, now}},
		{`insert into passages (id, account_id, agent_id, source_id, version_id, ordinal, heading, start_byte, end_byte,
			text, hash) values (?, ?, ?, ?, ?, 0, '', 0, ?, ?, 'h')`,
			[]any{parley.NewUUID(), te.account.ID, te.agent.ID, source, version, len(text), text}},
		{`update agents set passage_version = 1 where id = ?`, []any{te.agent.ID}},
	} {
		if _, err := te.db.SQL().Exec(te.t.Context(), do.query, do.args...); err != nil {
			return err
		}
	}
	return nil
}
