package v1_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/api/v1"
	"parley/internal/model"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

// countRows counts the rows of a table and condition.
func countRows(t *testing.T, srv *testkit.Server, words string, args ...any) int {
	t.Helper()
	n, err := sqldb.One(t.Context(), srv.DB.SQL(), sqldb.Column[int], `select count(*) from `+words, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestChatWithoutAnIDIsNotSaved checks the tables: they hold the cost of the answer and none of its text.
func TestChatWithoutAnIDIsNotSaved(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	bot := createChatbot(t, srv)
	before := countRows(t, srv, "events")
	body := fmt.Sprintf(`{"chatbotId": %q, "messages": [{"role": "user", "content": "a secret word"}], "stream": %%v}`,
		bot)
	for _, stream := range []bool{false, true} {
		if status, text := sendAs(t, srv, srv.Key, "POST", v1.Base+"/chat", fmt.Sprintf(body, stream)); status != 200 {
			t.Fatal(status, text)
		}
	}
	for _, table := range []string{"conversations", "messages", "tool_calls"} {
		if n := countRows(t, srv, table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
	if n := countRows(t, srv, "events") - before; n != 0 {
		t.Errorf("%d events", n)
	}
	if n := countRows(t, srv,
		"turns where agent_id = ? and state = 'done' and trace is null and user_message_id = '' and charged = 1000",
		bot); n != 2 {
		t.Errorf("%d turns that were paid for", n)
	}
	if n := countRows(t, srv, "credit_usage where agent_id = ? and used = 2000 and reserved = 0", bot); n != 1 {
		t.Error("the credits are wrong")
	}
}

// TestUnsavedAnswersEndWithTheirReader checks that the answer in an unsaved conversation stops when its client leaves,
// and is charged if any of it was sent.
func TestUnsavedAnswersEndWithTheirReader(t *testing.T) {
	barrier := scripted.NewBarrier()
	scriptedModel := &scripted.Model{StepsFor: func(model.Request) []scripted.Step {
		return []scripted.Step{scripted.Text("Half an "), {Barrier: barrier}, scripted.Text("answer"), scripted.Stop()}
	}}
	srv := testkit.Open(t, testkit.WithModel(scriptedModel), testkit.WithKeepAlive())
	bot := createChatbot(t, srv)
	resp := startChat(t, srv,
		fmt.Sprintf(`{"chatbotId": %q, "messages": [{"role": "user", "content": "Hello"}], "stream": true}`, bot))
	readUntil(t, resp.Body, "data: Half a")
	check.Receive(t, "a model at its barrier", barrier.Reached())
	_ = resp.Body.Close()
	if !scriptedModel.WaitStopped(t.Context(), 1) {
		t.Fatal("the model was not stopped")
	}
	testkit.Eventually(t, "the turn is closed", func() bool {
		return countRows(t, srv,
			"turns where agent_id = ? and state = 'interrupted' and charged = 1000 and trace is null", bot) == 1
	})
	if n := countRows(t, srv, "messages"); n != 0 {
		t.Errorf("%d messages", n)
	}
}

// TestSavedAnswersContinueWithoutAReader checks that a saved answer is completed even if its client leaves.
func TestSavedAnswersContinueWithoutAReader(t *testing.T) {
	barrier := scripted.NewBarrier()
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{StepsFor: func(model.Request) []scripted.Step {
		return []scripted.Step{scripted.Text("Half an "), {Barrier: barrier}, scripted.Text("answer"), scripted.Stop()}
	}}))
	bot := createChatbot(t, srv)
	resp := startChat(t, srv,
		fmt.Sprintf(`{"chatbotId": %q, "messages": [{"role": "user", "content": "Hello"}], "stream": true, `+
			`"conversationId": "a"}`, bot))
	readUntil(t, resp.Body, "data: Half a")
	check.Receive(t, "a model at its barrier", barrier.Reached())
	_ = resp.Body.Close()
	barrier.Release()
	testkit.Eventually(t, "the answer is stored", func() bool {
		list := listConversations(t, srv, bot, "")
		return len(list) == 1 && len(list[0].Messages) == 2 && list[0].Messages[1].Content == "Half an answer"
	})
}

// TestMessagesWithOneIDDoNotInterleave checks that of clients that write at once under the same id, the conversation is
// that of the last one, with its own answer.
func TestMessagesWithOneIDDoNotInterleave(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) []*testkit.Server{
		"sqlite": func(t *testing.T) []*testkit.Server {
			return []*testkit.Server{testkit.Open(t, testkit.WithModel(&scripted.Model{}))}
		},
		"two servers": func(t *testing.T) []*testkit.Server {
			url := dbs.SharedPostgres(t).NewStore(t)
			return []*testkit.Server{testkit.Open(t, testkit.WithModel(&scripted.Model{}), testkit.WithDatabase("",
				url)), testkit.Open(t, testkit.WithModel(&scripted.Model{}), testkit.WithDatabase("", url))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers := open(t)
			srv := servers[0]
			bot := createChatbot(t, srv)
			const clients = 8
			var all sync.WaitGroup
			for n := range clients {
				all.Go(func() {
					body := fmt.Sprintf(`{"chatbotId": %q, "conversationId": "shared", "stream": %v, "messages": `+
						`[{"role": "user", "content": "first of %d"}, {"role": "assistant", "content": "reply `+
						`to %d"}, {"role": "user", "content": "last of %d"}]}`,
						bot, n%2 == 0, n, n, n)
					status, text := 409, ""
					for status == 409 { // the other server was faster
						status, text = sendAs(t, servers[n%len(servers)], srv.Key, "POST", v1.Base+"/chat", body)
					}
					if status != 200 {
						t.Error(status, text)
					}
				})
			}
			all.Wait()
			list := listConversations(t, srv, bot, "")
			if len(list) != 1 {
				t.Fatalf("%d conversations", len(list))
			}
			hasOwn := func(n int) bool {
				return slices.Equal(list[0].Messages, []v1.ChatMessage{{Role: "user",
					Content: fmt.Sprint("first of ", n)}, {Role: "assistant", Content: fmt.Sprint("reply to ", n)},
					{Role: "user", Content: fmt.Sprint("last of ", n)}, {Role: "assistant", Content: fmt.Sprint("last of ", n)}})
			}
			if !slices.ContainsFunc([]int{0, 1, 2, 3, 4, 5, 6, 7}, hasOwn) {
				t.Errorf("%+v", list[0].Messages)
			}
			if n := countRows(t, srv, "credit_usage where agent_id = ? and used = ? and reserved = 0", bot,
				clients*1000); n != 1 {
				t.Error("the credits are wrong")
			}
		})
	}
}

// TestUnchangedMessagesStayTheSame checks that if a client only adds to its conversation, the other messages are not
// written again.
func TestUnchangedMessagesStayTheSame(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	bot := createChatbot(t, srv)
	var messages []v1.ChatMessage
	for n := range 4 {
		messages = append(messages, v1.ChatMessage{Role: "user", Content: fmt.Sprint("message ", n)})
		body, err := json.Marshal(map[string]any{"chatbotId": bot, "conversationId": "grows", "messages": messages})
		if err != nil {
			t.Fatal(err)
		}
		if status, text := sendAs(t, srv, srv.Key, "POST", v1.Base+"/chat", string(body)); status != 200 {
			t.Fatal(status, text)
		}
		messages = append(messages, v1.ChatMessage{Role: "assistant", Content: fmt.Sprint("message ", n)})
	}
	if n, replaced := countRows(t, srv, "messages"),
		countRows(t, srv, "messages where superseded_at is not null"); n != 8 || replaced != 0 {
		t.Errorf("%d messages, %d of them replaced", n, replaced)
	}
	if list := listConversations(t, srv, bot, ""); !slices.Equal(list[0].Messages, messages) {
		t.Errorf("%+v", list[0].Messages)
	}
}

// TestLostUnsavedTurnReleasesItsCredits checks that after a crash while a server answers, the turn is closed and its
// reservation released, and no text was stored.
func TestLostUnsavedTurnReleasesItsCredits(t *testing.T) {
	srv := testkit.Open(t)
	bot := createChatbot(t, srv)
	long := time.Now().Add(-time.Hour)
	lost := parley.Turn{ID: parley.TurnID(parley.NewTimedUUID()), AccountID: parley.AccountID(srv.Account),
		AgentID: parley.AgentID(bot), MessageID: parley.NewMessageID(),
		ConversationID: parley.ConversationID(parley.NewTimedUUID()), Owner: "dead", Reserved: parley.Credit,
		StartedAt: long, LeaseUntil: long}
	err := srv.DB.Transact(t.Context(), sqldb.Interactive, func(tx *store.DB) error {
		if _, _, err := tx.ReserveCredits(t.Context(), lost.AgentRef(), store.MonthOf(long), lost.Reserved); err != nil {
			return err
		}
		_, err := tx.CreateTurn(t.Context(), &lost)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := countRows(t, srv, "events")
	testkit.Eventually(t, "the turn is closed", func() bool {
		if _, err := srv.Engine.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		return countRows(t, srv, "turns where id = ? and state = 'failed' and trace is null", lost.ID) == 1
	})
	if n := countRows(t, srv, "credit_usage where agent_id = ? and used = 0 and reserved = 0", bot); n != 1 {
		t.Error("the credits are not back")
	}
	if n := countRows(t, srv, "events") - before; n != 0 {
		t.Errorf("%d events", n)
	}
}

// TestRequestSettingsReachTheModel checks that temperature and model of the request override the chatbot's, and that
// the earlier messages reach the model.
func TestRequestSettingsReachTheModel(t *testing.T) {
	scriptedModel := &scripted.Model{}
	srv := testkit.Open(t, testkit.WithModel(scriptedModel))
	bot := createChatbot(t, srv)
	for _, more := range []string{"", `, "temperature": 0.75, "model": "gpt-3.5-turbo"`} {
		body := fmt.Sprintf(`{"chatbotId": %q, "messages": [{"role": "assistant", "content": "Hello!"}, {"role": `+
			`"user", "content": "One"}, {"role": "assistant", "content": "1"}, {"role": "user", "content": `+
			`"Two"}]%s}`,
			bot, more)
		if status, text := sendAs(t, srv, srv.Key, "POST", v1.Base+"/chat", body); status != 200 {
			t.Fatal(status, text)
		}
	}
	requests := scriptedModel.Requests()
	if requests[0].Temperature != 0 || requests[1].Temperature != 0.75 {
		t.Errorf("temperatures %v and %v", requests[0].Temperature, requests[1].Temperature)
	}
	var texts []string
	for _, m := range requests[0].Messages {
		texts = append(texts, m.Role+": "+m.Text)
	}
	if got := strings.Join(texts, ", "); got != "assistant: Hello!, user: One, assistant: 1, user: Two" {
		t.Error(got)
	}
}
