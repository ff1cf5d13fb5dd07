package faults

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/provider"
)

// patience is how long the house waits for its provider in these tests: for the first byte, and within an answer.
const patience = 300 * time.Millisecond

// misdeed is what a provider does to each of its requests, and how the answer must end.
type misdeed struct {
	does  provider.Behaviour
	fails bool // after what, if anything, the client has seen
	says  bool // the client of a stream has seen text before that
	cut   bool // what it said is kept, as interrupted, and costs nothing

	claude bool // it speaks Anthropic's format
}

var misdeeds = map[string]misdeed{
	"stalls at once":           {does: provider.Stalls(), fails: true},
	"stalls in the middle":     {does: provider.StallsAfter("Hello ", "wor"), fails: true, says: true},
	"cuts at once":             {does: provider.CutsAfter(0), fails: true},
	"cuts an event":            {does: provider.CutsAfter(20), fails: true},
	"cuts in the middle":       {does: provider.CutsAfter(len(provider.Delta("Hello ")) + 30), fails: true, says: true},
	"ends without finish":      {does: provider.EndsAfter("Hello ", "wor"), fails: true, says: true},
	"ends without a word":      {does: provider.Sends(""), fails: true},
	"sends half an event":      {does: provider.HalfJSON(), fails: true, says: true},
	"sends no event stream":    {does: provider.Garbage(), fails: true},
	"sends bytes":              {does: provider.Sends("\x00\xff\xfe\x01\n\n\x80"), fails: true},
	"sends an endless line":    {does: provider.EndlessLine(), fails: true},
	"sends text that is none":  {does: provider.InvalidUTF8()},
	"sends JSON":               {does: provider.SaysAtOnce("Hello world.")},
	"never stops talking":      {does: provider.Endless(strings.Repeat("on and on ", 100)), cut: true},
	"calls a tool of its own":  {does: provider.Calls("c1", "delete_everything", `{"all"`, `:true}`), fails: true},
	"is busy":                  {does: provider.Refuses(http.StatusTooManyRequests, 3600, `{"error":{"message":"slow down"}}`), fails: true},
	"is broken":                {does: provider.Refuses(http.StatusInternalServerError, -1, `{"error":{"message":"oops"}}`), fails: true},
	"does not know the key":    {does: provider.Refuses(http.StatusUnauthorized, -1, `{"error":{"message":"sk-secret is wrong"}}`), fails: true},
	"has no such model":        {does: provider.Refuses(http.StatusNotFound, -1, `<html>`), fails: true},
	"reports an error inside":  {does: provider.Sends(`data: {"error":{"message":"sk-secret overloaded"}}` + "\n\n"), fails: true},
	"breaks off what it says":  {does: filtered, fails: true, says: true},
	"repeats its finish":       {does: finishedTwice},
	"sends a broken tool call": {does: provider.Calls("c1", "look_up", `{"all`), fails: true},
}

func filtered(x *provider.Exchange) {
	x.Text("Hello ")
	x.Finish("content_filter")
}

func finishedTwice(x *provider.Exchange) {
	provider.Says("Hello world.")(x)
	provider.Says("And more.")(x)
}

// Whatever a provider does, the turn ends in time: with a finish, or with a documented error, before the first byte as an
// ordinary one. The message is kept, a failed answer is neither stored nor charged, and the conversation goes on.
func TestBadProvider(t *testing.T) {
	for name, m := range misdeeds {
		for _, streams := range []bool{false, true} {
			kind := map[bool]string{false: "/json", true: "/stream"}[streams]
			t.Run(strings.ReplaceAll(name, " ", "_")+kind, func(t *testing.T) {
				t.Parallel()
				m.test(t, streams)
			})
		}
	}
}

func (m misdeed) test(t *testing.T, streams bool) {
	model := provider.Start(t, m.does)
	h := rig.Open(t, rig.Speaking(m.client(model)))
	h.Engine.Deadline = 10 * time.Second
	c := newCrowd(t, h.URL, h.Key)
	c.ledger.Answer = nil
	began := time.Now()
	a, err := c.ledger.Say(t.Context(), rig.Message{Agent: c.agent, Text: "Hello?", Stream: streams})
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the turn took %v", took)
	}
	conversation := m.judge(t, a, err, streams)
	if err := c.ledger.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	model.Play(m.good("All is well."))
	again, err := c.ledger.Say(t.Context(), rig.Message{Agent: c.agent, Conversation: conversation, Text: "And now?", Stream: streams})
	if err != nil || again.Text != "All is well." || again.Conversation != conversation {
		t.Errorf("the next message: %+v, %v", again, err)
	}
	if err := c.ledger.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	nothingOpenIn(t, h)
}

// client is how the house asks the provider.
func (m misdeed) client(p *provider.Server) llm.Model {
	if m.claude {
		return &llm.Anthropic{BaseURL: p.URL, Key: "sk-secret", FirstByte: patience, Idle: patience, Backoff: time.Millisecond}
	}
	return &llm.OpenAI{BaseURL: p.URL, Key: "sk-secret", FirstByte: patience, Idle: patience, Backoff: time.Millisecond}
}

// good is the provider's format put to good use.
func (m misdeed) good(text string) provider.Behaviour {
	if m.claude {
		return provider.Message("end_turn", text)
	}
	return provider.Says(text)
}

// judge checks how the turn ended and gives its conversation.
func (m misdeed) judge(t *testing.T, a *rig.Answer, err error, streams bool) (conversation string) {
	t.Helper()
	var refusal *rig.Refusal
	switch {
	case m.cut:
		if err != nil || a.Reason != "error" || a.Failure != "" || a.Credits != 0 || len(a.Text) > 512<<10 || !strings.HasPrefix(a.Text, "on and on ") {
			t.Fatalf("%d bytes, reason %s, %v credits, failure %q, %v", len(a.Text), a.Reason, a.Credits, a.Failure, err)
		}
		return a.Conversation
	case !m.fails:
		if err != nil || a.Reason != "stop" || a.Text == "" || a.Credits != 1 || !utf8.ValidString(a.Text) {
			t.Fatalf("%+v, %v", a, err)
		}
		return a.Conversation
	case streams && m.says: // the error came too late to be an ordinary one
		if err != nil || a.Reason != "error" || a.Failure == "" || a.Credits != 0 || !strings.HasPrefix("Hello world.", a.Text) {
			t.Fatalf("%+v, %v", a, err)
		}
		quiet(t, a.Failure)
		return a.Conversation
	case !errors.As(err, &refusal):
		t.Fatalf("%+v, %v", a, err)
	}
	if refusal.Status != http.StatusInternalServerError || refusal.Code != "CHAT_STREAMING_ERROR" || refusal.Details["conversationId"] == "" {
		t.Errorf("%+v", refusal)
	}
	quiet(t, refusal.Message)
	return refusal.Details["conversationId"]
}

// quiet checks that the client does not hear what is the operator's affair.
func quiet(t *testing.T, message string) {
	t.Helper()
	for _, word := range []string{"secret", "provider", "127.0.0.1", "oops"} {
		if strings.Contains(message, word) {
			t.Errorf("the client is told %q", message)
		}
	}
}

// A provider that talks for ever, and slowly, is stopped by the turn's deadline: what it said is kept, as interrupted, and
// costs nothing.
func TestEndlessSlowProvider(t *testing.T) {
	for name, streams := range map[string]bool{"json": false, "stream": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := provider.Start(t, provider.Slow(10*time.Millisecond, strings.Fields(strings.Repeat("on ", 10_000))...))
			h := rig.Open(t, answeredBy(model))
			h.Engine.Deadline = patience
			c := newCrowd(t, h.URL, h.Key)
			a, err := c.ledger.Say(t.Context(), rig.Message{Agent: c.agent, Text: "Go on.", Stream: streams})
			if err != nil || a.Reason != "error" || a.Credits != 0 || !strings.HasPrefix(a.Text, "onon") {
				t.Fatalf("%+v, %v", a, err)
			}
			model.Play(provider.Says(answerTo("And now?")))
			if again, err := c.ledger.Say(t.Context(), rig.Message{Agent: c.agent, Conversation: a.Conversation, Text: "And now?"}); err != nil || again.Reason != "stop" {
				t.Fatalf("%+v, %v", again, err)
			}
			nothingOpenIn(t, h)
		})
	}
}
