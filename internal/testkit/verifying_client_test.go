package testkit_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
)

// newVerifiedServer returns a server and a client that has created an agent, a source and one conversation of two
// answers, one of them streamed.
func newVerifiedServer(t *testing.T, options ...testkit.Option) (s *testkit.Server, c *testkit.VerifyingClient,
	conversation string) {
	t.Helper()
	s = testkit.Open(t, append([]testkit.Option{testkit.WithModel(new(scripted.Model))}, options...)...)
	c = testkit.NewVerifyingClient(s.URL, s.Key, s.Client)
	agent, err := c.CreateAgent(t.Context(), "Ferry help")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.AddSource(t.Context(), agent, "Ferry", ferryText); err != nil {
		t.Fatal(err)
	}
	c.ExpectedAnswer = func(message string) string { return message }
	for i, text := range []string{"First \"bytes\".", "Second\nüêß."} {
		a, err := c.SendMessage(t.Context(),
			testkit.Message{Agent: agent, Conversation: conversation, Text: text, Stream: i == 1})
		if err != nil {
			t.Fatal(err)
		}
		if a.Text != text || a.Credits != 1 || a.Reason != "stop" {
			t.Errorf("%+v", a)
		}
		conversation = a.Conversation
	}
	return s, c, conversation
}

func TestVerifyAcceptsWhatWasAcknowledged(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			_, c, conversation := newVerifiedServer(t, options...)
			var refusal *testkit.Refusal
			_, err := c.SendMessage(t.Context(), testkit.Message{Agent: "nobody", Conversation: conversation, Text: "Third?"})
			if !errors.As(err, &refusal) || refusal.Status != http.StatusNotFound || c.Refusals()["404 AGENT_NOT_FOUND"] != 1 {
				t.Errorf("%v, %v", err, c.Refusals())
			}
			if err := c.Verify(t.Context()); err != nil || c.Acknowledged() != 2 {
				t.Errorf("%v, %d acknowledged", err, c.Acknowledged())
			}
		})
	}
}

// Each of these changes of the stored data must be found.
func TestVerifyFindsDamage(t *testing.T) {
	for name, damage := range map[string]struct{ query, finds string }{
		"a lost message":      {`delete from messages where author = 'user' and seq = 3`, "is lost"},
		"a lost answer":       {`delete from messages where seq = 4`, "is lost"},
		"a lost conversation": {`delete from conversations; delete from conversation_counts`, "is lost"},
		"a wrong count":       {`delete from conversations`, "0 items of 1"},
		"a lost agent":        {`delete from agents`, "agent"},
		"a lost source":       {`delete from sources`, "source"},
		"a doubled message": {`insert into messages (id, account_id, agent_id, conversation_id, seq, author, type,
			state, parts, created_at)
			select 'msg_twice', account_id, agent_id, conversation_id, 5, author, type, state, parts, created_at
			from messages where seq = 3;
			update conversations set message_count = 5`, "twice"},
		"a changed byte":  {`update messages set parts = replace(parts, 'bytes', 'bites') where seq = 2`, "stored as"},
		"another order":   {`update messages set seq = -seq`, "follows no message"},
		"a stranger":      {`update messages set parts = replace(parts, 'First', 'Hirst') where seq = 1`, "never sent"},
		"a broken number": {`update messages set superseded_at = 1 where seq = 4`, "is lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, c, _ := newVerifiedServer(t)
			if err := h.Runner.WaitIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
			for query := range strings.SplitSeq(damage.query, ";") {
				if _, err := h.DB.SQL().Exec(t.Context(), query); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), damage.finds) {
				t.Errorf("found %v", err)
			}
		})
	}
}

// Credits may take a while to settle, so a wrong number is reported only when the client stops waiting.
func TestVerifyFindsWrongCredits(t *testing.T) {
	h, c, _ := newVerifiedServer(t)
	if _, err := h.DB.SQL().Exec(t.Context(), `update credit_usage set used = used + 1000`); err != nil {
		t.Fatal(err)
	}
	if err := c.VerifyWithin(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "3 credits for 2 answers") {
		t.Errorf("found %v", err)
	}
}

// Replies that violate the interface are reported.
func TestVerifyFindsBrokenReplies(t *testing.T) {
	for name, reply := range map[string]string{
		"no envelope": "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\n{}",
		"no finish":   encodeStream(`{"type":"start","messageId":"m"}`, `[DONE]`),
		"text out of its part": encodeStream(`{"type":"start","messageId":"m"}`,
			`{"type":"text-delta","id":"t1","delta":"x"}`),
		"half an event": encodeStream(`{"type":"sta`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := testkit.NewVerifyingClient(serveReply(t, reply), "key",
				&http.Client{Transport: &http.Transport{DisableKeepAlives: true}})
			if _, err := c.SendMessage(t.Context(), testkit.Message{Agent: "a", Text: "Hello?", Stream: true}); err == nil {
				t.Error("the reply passed")
			}
			if err := c.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "broke the interface") {
				t.Errorf("found %v", err)
			}
		})
	}
}

func encodeStream(events ...string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: " +
		strings.Join(events, "\n\ndata: ") + "\n\n"
}

// serveReply starts a server that answers every request with the same bytes.
func serveReply(t *testing.T, reply string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = conn.Write([]byte(reply))
		_ = conn.Close()
	}))
	t.Cleanup(server.Close)
	return server.URL
}
