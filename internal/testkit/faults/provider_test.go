package faults

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/anthropic"
	"parley/internal/model/openai"
	"parley/internal/testkit"
	"parley/internal/testkit/provider"
)

// providerTimeout is how long the server waits for its provider in these tests, for the first byte and between later
// ones.
const providerTimeout = 300 * time.Millisecond

// providerFault is what a provider does with each request, and how the answer must end.
type providerFault struct {
	behaviour        provider.Behaviour
	wantsFailure     bool // what the client gets before, if anything
	wantsText        bool // the client of a stream gets text before that
	wantsInterrupted bool // its text is stored as interrupted, and costs nothing

	isAnthropic bool // it uses Anthropic's format
}

var providerFaults = map[string]providerFault{
	"stalls at once":       {behaviour: provider.StallRequest(), wantsFailure: true},
	"stalls in the middle": {behaviour: provider.StallAfter("Hello ", "wor"), wantsFailure: true, wantsText: true},
	"cuts at once":         {behaviour: provider.CutAfter(0), wantsFailure: true},
	"cuts an event":        {behaviour: provider.CutAfter(20), wantsFailure: true},
	"cuts in the middle": {behaviour: provider.CutAfter(len(provider.Delta("Hello ")) + 30), wantsFailure: true,
		wantsText: true},
	"ends without finish":     {behaviour: provider.EndAfter("Hello ", "wor"), wantsFailure: true, wantsText: true},
	"ends without a word":     {behaviour: provider.SendRaw(""), wantsFailure: true},
	"sends half an event":     {behaviour: provider.HalfJSON(), wantsFailure: true, wantsText: true},
	"sends no event stream":   {behaviour: provider.Garbage(), wantsFailure: true},
	"sends bytes":             {behaviour: provider.SendRaw("\x00\xff\xfe\x01\n\n\x80"), wantsFailure: true},
	"sends an endless line":   {behaviour: provider.EndlessLine(), wantsFailure: true},
	"sends text that is none": {behaviour: provider.InvalidUTF8()},
	"sends JSON":              {behaviour: provider.AnswerUnstreamed("Hello world.")},
	"never stops talking": {behaviour: provider.EndlessText(strings.Repeat("on and on ", 100)),
		wantsInterrupted: true},
	"calls a tool of its own": {behaviour: provider.CallTool("c1", "delete_everything", `{"all"`, `:true}`),
		wantsFailure: true},
	"is busy": {behaviour: provider.RefuseWith(http.StatusTooManyRequests, 3600,
		`{"error":{"message":"slow down"}}`), wantsFailure: true},
	"is broken": {behaviour: provider.RefuseWith(http.StatusInternalServerError, -1,
		`{"error":{"message":"oops"}}`), wantsFailure: true},
	"does not know the key": {behaviour: provider.RefuseWith(http.StatusUnauthorized, -1,
		`{"error":{"message":"sk-secret is wrong"}}`), wantsFailure: true},
	"has no such model": {behaviour: provider.RefuseWith(http.StatusNotFound, -1, `<html>`), wantsFailure: true},
	"reports an error inside": {behaviour: provider.SendRaw(`data: {"error":{"message":"sk-secret overloaded"}}` +
		"\n\n"), wantsFailure: true},
	"breaks off what it says":  {behaviour: sendFiltered, wantsFailure: true, wantsText: true},
	"repeats its finish":       {behaviour: sendTwoFinishes},
	"sends a broken tool call": {behaviour: provider.CallTool("c1", "look_up", `{"all`), wantsFailure: true},
}

func sendFiltered(x *provider.Exchange) {
	x.Text("Hello ")
	x.Finish("content_filter")
}

func sendTwoFinishes(x *provider.Exchange) {
	provider.AnswerText("Hello world.")(x)
	provider.AnswerText("And more.")(x)
}

// Whatever a provider does, the turn ends in time with a finish or with a documented error, which before the first byte
// is an ordinary one. The message is stored, a failed answer is neither stored nor charged, and the conversation
// continues.
func TestMisbehavingProvider(t *testing.T) {
	for name, m := range providerFaults {
		for _, streams := range []bool{false, true} {
			kind := map[bool]string{false: "/json", true: "/stream"}[streams]
			t.Run(strings.ReplaceAll(name, " ", "_")+kind, func(t *testing.T) {
				t.Parallel()
				m.runTest(t, streams)
			})
		}
	}
}

func (f providerFault) runTest(t *testing.T, streams bool) {
	upstream := provider.Start(t, f.behaviour)
	s := testkit.Open(t, testkit.WithModel(f.newModel(upstream)))
	s.Engine.TurnTimeout = 10 * time.Second
	c := newClientGroup(t, s.URL, s.Key)
	c.client.ExpectedAnswer = nil
	began := time.Now()
	a, err := c.client.SendMessage(t.Context(), testkit.Message{Agent: c.agent, Text: "Hello?", Stream: streams})
	if elapsed := time.Since(began); elapsed > 5*time.Second {
		t.Errorf("the turn took %v", elapsed)
	}
	conversation := f.checkTurn(t, a, err, streams)
	if err := c.client.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	upstream.Play(f.validBehaviour("All is well."))
	again, err := c.client.SendMessage(t.Context(),
		testkit.Message{Agent: c.agent, Conversation: conversation, Text: "And now?", Stream: streams})
	if err != nil || again.Text != "All is well." || again.Conversation != conversation {
		t.Errorf("the next message: %+v, %v", again, err)
	}
	if err := c.client.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	requireNothingOpenOn(t, s)
}

// newModel returns a model that calls the provider, as the server's.
func (f providerFault) newModel(p *provider.Server) model.Model {
	if f.isAnthropic {
		return &anthropic.Model{Client: httpclient.Client{
			BaseURL:          p.URL,
			Key:              "sk-secret",
			FirstByteTimeout: providerTimeout,
			IdleTimeout:      providerTimeout,
			Backoff:          time.Millisecond,
		}}
	}
	return &openai.Model{Client: httpclient.Client{
		BaseURL:          p.URL,
		Key:              "sk-secret",
		FirstByteTimeout: providerTimeout,
		IdleTimeout:      providerTimeout,
		Backoff:          time.Millisecond,
	}}
}

// validBehaviour is a correct answer in the provider's format.
func (f providerFault) validBehaviour(text string) provider.Behaviour {
	if f.isAnthropic {
		return provider.AnthropicText("end_turn", text)
	}
	return provider.AnswerText(text)
}

// checkTurn checks how the turn ended and returns its conversation.
func (f providerFault) checkTurn(t *testing.T, a *testkit.Answer, err error, streams bool) (conversation string) {
	t.Helper()
	var refusal *testkit.Refusal
	switch {
	case f.wantsInterrupted:
		if err != nil || a.Reason != "error" || a.Failure != "" || a.Credits != 0 || len(a.Text) > 512<<10 ||
			!strings.HasPrefix(a.Text, "on and on ") {
			t.Fatalf("%d bytes, reason %s, %v credits, failure %q, %v", len(a.Text), a.Reason, a.Credits, a.Failure, err)
		}
		return a.Conversation
	case !f.wantsFailure:
		if err != nil || a.Reason != "stop" || a.Text == "" || a.Credits != 1 || !utf8.ValidString(a.Text) {
			t.Fatalf("%+v, %v", a, err)
		}
		return a.Conversation
	case streams && f.wantsText: // the error was too late for an ordinary one
		if err != nil || a.Reason != "error" || a.Failure == "" || a.Credits != 0 ||
			!strings.HasPrefix("Hello world.", a.Text) {
			t.Fatalf("%+v, %v", a, err)
		}
		requireNoInternals(t, a.Failure)
		return a.Conversation
	case !errors.As(err, &refusal):
		t.Fatalf("%+v, %v", a, err)
	}
	if refusal.Status != http.StatusInternalServerError || refusal.Code != "CHAT_STREAMING_ERROR" ||
		refusal.Details["conversationId"] == "" {
		t.Errorf("%+v", refusal)
	}
	requireNoInternals(t, refusal.Message)
	return refusal.Details["conversationId"]
}

// requireNoInternals checks that a message holds no internals.
func requireNoInternals(t *testing.T, message string) {
	t.Helper()
	for _, word := range []string{"secret", "provider", "127.0.0.1", "oops"} {
		if strings.Contains(message, word) {
			t.Errorf("the client gets %q", message)
		}
	}
}

// A provider that answers slowly and without end is stopped by the turn's deadline: its text is stored as interrupted,
// and costs nothing.
func TestEndlessSlowProvider(t *testing.T) {
	for name, streams := range map[string]bool{"json": false, "stream": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upstream := provider.Start(t,
				provider.AnswerSlowly(10*time.Millisecond, strings.Fields(strings.Repeat("on ", 10_000))...))
			s := testkit.Open(t, withProvider(upstream))
			s.Engine.TurnTimeout = providerTimeout
			c := newClientGroup(t, s.URL, s.Key)
			a, err := c.client.SendMessage(t.Context(), testkit.Message{Agent: c.agent, Text: "Go on.", Stream: streams})
			if err != nil || a.Reason != "error" || a.Credits != 0 || !strings.HasPrefix(a.Text, "onon") {
				t.Fatalf("%+v, %v", a, err)
			}
			upstream.Play(provider.AnswerText(expectedAnswer("And now?")))
			if again, err := c.client.SendMessage(t.Context(), testkit.Message{Agent: c.agent,
				Conversation: a.Conversation, Text: "And now?"}); err != nil || again.Reason != "stop" {
				t.Fatalf("%+v, %v", again, err)
			}
			requireNothingOpenOn(t, s)
		})
	}
}
