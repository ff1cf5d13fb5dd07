package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
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

const (
	// shortSilence is how long the server waits for a provider that will not send anything more.
	shortSilence = 300 * time.Millisecond
	// patience is how long a test waits at most for what comes at once. It only guards against hanging.
	patience = time.Minute
)

// providerFault is what a provider does with each request, and how the answer must end.
type providerFault struct {
	behaviour        provider.Behaviour
	wantsFailure     bool // what the client gets before, if anything
	wantsText        bool // the client of a stream gets text before that
	wantsInterrupted bool // its text is stored as interrupted, and costs nothing

	// how long the server waits for the first byte and between later ones; 0 for patience
	firstByteTimeout, idleTimeout time.Duration

	isAnthropic bool // it uses Anthropic's format
}

var providerFaults = map[string]providerFault{
	"stalls at once": {behaviour: provider.StallRequest(), wantsFailure: true, firstByteTimeout: shortSilence},
	"stalls in the middle": {behaviour: provider.StallAfter("Hello ", "wor"), wantsFailure: true, wantsText: true,
		idleTimeout: shortSilence},
	"cuts at once":  {behaviour: provider.CutAfter(0), wantsFailure: true},
	"cuts an event": {behaviour: provider.CutAfter(20), wantsFailure: true},
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
	s := testkit.Open(t, testkit.WithModel(&modelSequence{first: f.newFirstModel(t, upstream.URL),
		later: f.newModel(t, upstream.URL, 0, 0)}))
	s.Engine.TurnTimeout = 10 * patience // what the provider does ends the turn, or the client's patience
	c := newClientGroup(t, s.URL, s.Key)
	c.client.ExpectedAnswer = nil
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	a, err := c.client.SendMessage(ctx, testkit.Message{Agent: c.agent, Text: "Hello?", Stream: streams})
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

// modelSequence is one model for the first request and another one for all later ones.
type modelSequence struct {
	first, later model.Model
	wasAsked     atomic.Bool
}

// Stream implements model.Model.
func (m *modelSequence) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	if m.wasAsked.Swap(true) {
		return m.later.Stream(ctx, req)
	}
	return m.first.Stream(ctx, req)
}

// newFirstModel returns the model that meets the fault.
func (f providerFault) newFirstModel(t *testing.T, url string) model.Model {
	if f.idleTimeout == 0 {
		return f.newModel(t, url, f.firstByteTimeout, 0)
	}
	return &stallingModel{f.idleTimeout, func(idleTimeout time.Duration) model.Model {
		return f.newModel(t, url, f.firstByteTimeout, idleTimeout)
	}}
}

// stallingModel is a model whose provider sends text and then nothing more. On a busy machine the text itself may take
// longer than a test waits for what never comes: then it asks again, and waits longer.
type stallingModel struct {
	idleTimeout time.Duration // at first
	newModel    func(idleTimeout time.Duration) model.Model
}

// Stream implements model.Model.
func (m *stallingModel) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for wait := m.idleTimeout; !m.streamOnce(ctx, req, wait, yield); {
			wait *= 2
		}
	}
}

// streamOnce reports whether the answer has ended. It passes nothing on if no text comes before the silence.
func (m *stallingModel) streamOnce(ctx context.Context, req model.Request, wait time.Duration,
	yield func(model.Chunk, error) bool) (hasEnded bool) {
	for chunk, err := range m.newModel(wait).Stream(ctx, req) {
		hasEnded = hasEnded || chunk.Text != "" || wait > patience
		if hasEnded && !yield(chunk, err) {
			return true
		}
	}
	return hasEnded
}

// newModel returns a model that calls the provider in the fault's format. A timeout of 0 is patience.
func (f providerFault) newModel(t *testing.T, url string, firstByteTimeout, idleTimeout time.Duration) model.Model {
	set := func(c *httpclient.Client) {
		c.BaseURL, c.Key, c.Backoff = url, "sk-secret", time.Millisecond
		c.FirstByteTimeout, c.IdleTimeout = cmp.Or(firstByteTimeout, patience), cmp.Or(idleTimeout, patience)
		t.Cleanup(c.Close)
	}
	if f.isAnthropic {
		m := &anthropic.Model{}
		set(&m.Client)
		return m
	}
	m := &openai.Model{}
	set(&m.Client)
	return m
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
			c := newClientGroup(t, s.URL, s.Key)
			a, err := c.sendUntilInterrupted(t, s, streams)
			if err != nil || a.Reason != "error" || a.Credits != 0 || !strings.HasPrefix(a.Text, "onon") {
				t.Fatalf("%+v, %v", a, err)
			}
			upstream.Play(provider.AnswerText(expectedAnswer("And now?")))
			s.Engine.TurnTimeout = patience
			if again, err := c.client.SendMessage(t.Context(), testkit.Message{Agent: c.agent,
				Conversation: a.Conversation, Text: "And now?"}); err != nil || again.Reason != "stop" {
				t.Fatalf("%+v, %v", again, err)
			}
			requireNothingOpenOn(t, s)
		})
	}
}

// sendUntilInterrupted sends messages with longer and longer deadlines, until one leaves time for the first words of
// the answer.
func (c *clientGroup) sendUntilInterrupted(t *testing.T, s *testkit.Server, streams bool) (*testkit.Answer, error) {
	t.Helper()
	for deadline := 300 * time.Millisecond; ; deadline *= 2 {
		s.Engine.TurnTimeout = deadline
		a, err := c.client.SendMessage(t.Context(),
			testkit.Message{Agent: c.agent, Text: fmt.Sprint("Go on for ", deadline), Stream: streams})
		if deadline > patience || err == nil && strings.HasPrefix(a.Text, "onon") {
			return a, err
		}
	}
}
