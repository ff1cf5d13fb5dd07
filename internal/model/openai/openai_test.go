package openai_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/httpclient"
	"parley/internal/model/openai"
	"parley/internal/testkit/check"
	"parley/internal/testkit/provider"
)

func TestMain(m *testing.M) { os.Exit(check.RequireNoLeaks(m.Run())) }

// Whatever the provider does, the answer ends in time, with a finish or with the only error that a caller may see.
func TestMisbehavingProviders(t *testing.T) {
	const failed = "error"
	for _, c := range []struct {
		name      string
		behaviour provider.Behaviour
		text      string // beginning of the answer
		ends      string
	}{
		{"good", provider.AnswerText("Hello ", "world."), "Hello world.", "stop"},
		{"not streamed", provider.AnswerUnstreamed("Hello."), "Hello.", "stop"},
		{"thinks aloud", provider.AnswerText(" <th", "ink>Let me", " see</thi", "nk>\n", "\nHello."), "Hello.", "stop"},
		{"only thinks", provider.AnswerText("<think>Let me see"), "", failed},
		{"begins like a thought", provider.AnswerText(" <t"), " <t", "stop"},
		{"slow tokens", provider.AnswerSlowly(20*time.Millisecond, "a", "b", "c"), "abc", "stop"},
		{"stall before the first byte", provider.StallRequest(), "", failed},
		{"stall after text", provider.StallAfter("Hello "), "Hello ", failed},
		{"cut at once", provider.CutAfter(0), "", failed},
		{"cut in the first event", provider.CutAfter(40), "", failed},
		{"cut after text", provider.CutAfter(170), "Hello ", failed},
		{"ended without finish", provider.EndAfter("Hello "), "Hello ", failed},
		{"ended without a word", provider.SendRaw("data: [DONE]\n\n"), "", failed},
		{"empty body", provider.SendRaw(""), "", failed},
		{"half JSON", provider.HalfJSON(), "Hello ", failed},
		{"half whole reply", provider.SendRaw(`{"choices":[{"message":{"content":"Hel`), "", failed},
		{"invalid UTF-8", provider.InvalidUTF8(), "a\uFFFDb € c", "stop"},
		{"garbage", provider.Garbage(), "", failed},
		{"garbage after text", provider.SendRaw("data: " + provider.Delta("Hello ") + "\n\nwhat?\n\n"), "Hello ", failed},
		{"endless text", provider.EndlessText(strings.Repeat("na ", 1000)), "na na", "length"},
		{"endless nothing", provider.EndlessText(""), "", failed},
		{"endless line", provider.EndlessLine(), "", failed},
		{"429", provider.RefuseWith(429, 0, "slow down"), "", failed},
		{"429 for an hour", provider.RefuseWith(429, 3600, "slow down"), "", failed},
		{"500", provider.RefuseWith(500, -1, "oops"), "", failed},
		{"401", provider.RefuseWith(401, -1, "bad key sk-very-secret"), "", failed},
		{"404", provider.RefuseWith(404, -1, "no such model"), "", failed},
		{"redirect", provider.RefuseWith(302, -1, ""), "", failed},
		{"filtered",
			provider.SendRaw(`data: {"choices":[{"delta":{"content":"He"},"finish_reason":"content_filter"}]}` +
				"\n\n"), "He", failed},
		{"broken arguments", provider.CallTool("c1", "look_up", `{"order":`), "", "tool-calls"},
		{"arguments of another type", provider.CallTool("c1", "look_up", `[1]`), "", "tool-calls"},
		{"nameless tool", provider.CallTool("c1", "", `{}`), "", failed},
		{"tool call", provider.CallTool("c1", "look_up", `{"or`, `der":1}`), "", "tool-calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newOpenAI(t, provider.Start(t, c.behaviour))
			got := provider.ReadBadAnswer(t, m, &m.Client, c.name, c.text)
			if !strings.HasPrefix(got.Text, c.text) || c.text == "" && got.Text != "" || len(got.Text) > 1<<20 {
				t.Errorf("text %.80q (%d bytes), want %q", got.Text, len(got.Text), c.text)
			}
			if c.ends == failed {
				provider.CheckFailure(t, got.Err)
			} else if got.Err != nil || got.Finish.Reason != c.ends {
				t.Errorf("ends with %+v, %v; want %s", got.Finish, got.Err, c.ends)
			}
		})
	}
}

func TestRetriesBeforeTheFirstChunk(t *testing.T) {
	s := provider.Start(t, provider.RefuseWith(503, -1, ""), provider.RefuseWith(429, 0, ""),
		provider.AnswerText("Hello."))
	m := newOpenAI(t, s)
	m.Backoff = time.Millisecond
	if got := provider.ReadAnswer(t, m, provider.HowRequest); got.Text != "Hello." || got.Err != nil {
		t.Errorf("%q, %v", got.Text, got.Err)
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestNoRetryAfterTheFirstChunk(t *testing.T) {
	for _, behaviour := range []provider.Behaviour{
		provider.CutAfter(170), provider.RefuseWith(401, -1, ""), provider.RefuseWith(429, 60, ""),
	} {
		s := provider.Start(t, behaviour, provider.AnswerText("Hello."))
		got := provider.ReadAnswer(t, newOpenAI(t, s), provider.HowRequest)
		provider.CheckFailure(t, got.Err)
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	}
}

func TestUnreachable(t *testing.T) {
	m := &openai.Model{Client: httpclient.Client{BaseURL: "http://127.0.0.1:1/v1", Key: provider.Key,
		Backoff: time.Millisecond}}
	provider.CheckFailure(t, provider.ReadAnswer(t, m, provider.HowRequest).Err)
}

// A cancelled turn and a consumer that stops both end the request to the provider.
func TestCancelledRequestsAreClosed(t *testing.T) {
	s := provider.Start(t, provider.StallAfter("Hello "))
	m := newOpenAI(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for chunk, err := range m.Stream(ctx, provider.HowRequest) {
		if chunk.Text != "" {
			cancel()
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", chunk, err)
		}
	}
	for range m.Stream(t.Context(), provider.HowRequest) {
		break
	}
	if !s.WaitForDisconnects(2, t.Context().Done()) {
		t.Error("the provider still waits")
	}
}

func TestTextArrivesAtOnce(t *testing.T) {
	release := make(chan struct{})
	m := newOpenAI(t, provider.Start(t, provider.AnswerAfterRelease(release, "Hello ", "world.")))
	var text string
	for chunk, err := range m.Stream(t.Context(), provider.HowRequest) {
		if err != nil {
			t.Fatal(err)
		}
		if text == "" {
			close(release)
		}
		text += chunk.Text
	}
	if text != "Hello world." {
		t.Errorf("%q", text)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	s := provider.Start(t, provider.AnswerText("a", "b"))
	counting := &countingTransport{Transport: http.Transport{}}
	m := &openai.Model{Client: httpclient.Client{BaseURL: s.URL, HTTP: &http.Client{Transport: counting.startCounting()}}}
	for range 20 {
		if got := provider.ReadAnswer(t, m, provider.HowRequest); got.Err != nil {
			t.Fatal(got.Err)
		}
	}
	counting.CloseIdleConnections()
	if n := counting.dials.Load(); n > 2 {
		t.Errorf("%d connections for 20 answers in a row", n)
	}
}
