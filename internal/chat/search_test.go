package chat_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/cohere"
	"parley/internal/model/openai"
	"parley/internal/retrieval"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/provider"
	"parley/internal/testkit/scripted"
)

// rewriteLimit is how long a test waits at most for a model that answers at once. It only guards against hanging.
const rewriteLimit = time.Minute

// useProvider replaces the engine's model by a provider.
func (te *testEngine) useProvider(s *provider.Server) {
	te.useConnectedModel(&openai.Model{Client: httpclient.Client{BaseURL: s.URL}})
}

// useConnectedModel replaces the engine's model by one that counts as a provider's.
func (te *testEngine) useConnectedModel(m model.Model) {
	table := model.NewRegistry(model.RegistryConfig{
		Wires:   []model.Wire{{Model: m}},
		Model:   "m",
		Builtin: te.model,
	})
	te.t.Cleanup(table.Close)
	te.Models = table
}

func (te *testEngine) trace(conversation parley.ConversationID) parley.Trace {
	te.t.Helper()
	traces, err := te.db.TurnTraces(te.t.Context(), conversation)
	check.Must(te.t, err)
	return lastTrace(te.t, traces)
}

func lastTrace(t *testing.T, traces []store.TurnTrace) parley.Trace {
	t.Helper()
	if len(traces) == 0 {
		t.Fatal("no trace")
	}
	return traces[len(traces)-1].Trace
}

// No time of a trace is negative, although the clock is set back while the model answers.
func TestTraceOfAClockThatIsSetBack(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.model.StepsFor = func(model.Request) []scripted.Step {
			te.clock.Advance(-time.Second)
			return []scripted.Step{scripted.Text("It is blue."), scripted.Stop()}
		}
		turn := te.start("Which colour has the sky?", "")
		te.finish(turn)
		if m := te.trace(turn.ConversationID).Millis; min(m.RetrievalDone, m.FirstToken, m.AnswerDone) < 0 {
			t.Errorf("%+v", m)
		}
	})
}

// A follow-up question is rewritten for the search; the first message is not, nor one that is long or complete by
// itself. The rewritten question is not shown.
func TestRewriting(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.RewriteTimeout = rewriteLimit
		s := provider.Start(t, provider.AnswerText("It is 5 €."),
			provider.AnswerText("\"What does the yearly plan cost?\"\n"), provider.AnswerText("50 €."),
			provider.AnswerText("Yes."), provider.AnswerText("By post."))
		te.useProvider(s)
		first := te.start("What does the plan cost?", "")
		te.finish(first)
		if tr := te.trace(first.ConversationID); len(s.Requests()) != 1 || tr.Rewrite != nil {
			t.Fatalf("the first message: %d requests, %+v", len(s.Requests()), tr.Rewrite)
		}
		te.clock.Advance(time.Minute)
		te.finish(te.start("And yearly?", first.ConversationID))
		tr := te.trace(first.ConversationID)
		if tr.Rewrite == nil || tr.Rewrite.State != "model" ||
			!strings.Contains(tr.Question, "What does the yearly plan cost?") || tr.InputTokens != 22 {
			t.Errorf("trace %+v %+v", tr, tr.Rewrite)
		}
		body := string(s.Requests()[1].Body)
		if strings.Contains(body, "How to answer") || !strings.Contains(body, "assistant: It is 5 €.") {
			t.Errorf("the model got %s", body)
		}
		te.wantHistory(first.ConversationID, "user complete: What does the plan cost?", "assistant complete: It is 5 €.",
			"user complete: And yearly?", "assistant complete: 50 €.")
		te.clock.Advance(time.Minute)
		te.finish(te.start("Now something else: "+strings.Repeat("how does it work, ", 10), first.ConversationID))
		if n := len(s.Requests()); n != 4 {
			t.Errorf("%d requests: a long message was rewritten", n)
		}
		te.clock.Advance(time.Minute)
		te.finish(te.start("How are printed invoices delivered abroad?", first.ConversationID))
		if n := len(s.Requests()); n != 5 {
			t.Errorf("%d requests: a complete message was rewritten", n)
		}
	})
}

// After a slow rewriting the next follow-ups do not wait for the model.
func TestSlowRewritingIsSuspended(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.RewriteTimeout = time.Millisecond
		m := scripted.New(scripted.Text("It is 5 €.")).AddScript(scripted.Step{Barrier: scripted.NewBarrier()}).
			AddScript(scripted.Text("50 €.")).AddScript(scripted.Text("50 €.")).AddScript(scripted.Text("the yearly price"))
		te.useConnectedModel(m)
		first := te.start("What does the plan cost?", "")
		te.finish(first)
		for _, want := range []int{3, 4, 6} { // too late, not used, used again
			te.clock.Advance(40 * time.Second)
			te.finish(te.start("And yearly?", first.ConversationID))
			if n := len(m.Requests()); n != want {
				t.Errorf("%d requests, want %d", n, want)
			}
			te.RewriteTimeout = rewriteLimit
		}
		if tr := te.trace(first.ConversationID); tr.Rewrite == nil || tr.Rewrite.State != "model" {
			t.Errorf("the last rewriting: %+v", tr.Rewrite)
		}
	})
}

// If the model is late, fails or returns too much text, the search is the same as without it.
func TestRewritingFails(t *testing.T) {
	for name, behaviour := range map[string]provider.Behaviour{
		"refused":   provider.RefuseWith(401, -1, "no"),
		"cut":       provider.CutAfter(170),
		"garbage":   provider.Garbage(),
		"talkative": provider.EndlessText("and on "),
		"a call":    provider.CallTool("c", "look_up", "{}"),
		"silent":    provider.AnswerText(" \n"),
	} {
		t.Run(name, func(t *testing.T) {
			forEachDatabase(t, func(te *testEngine) {
				te.RewriteTimeout = rewriteLimit
				te.useProvider(provider.Start(t, provider.AnswerText("It is 5 €."), behaviour, provider.AnswerText("50 €.")))
				te.requireFailedRewrite("failed")
			})
		})
	}
	t.Run("late", func(t *testing.T) {
		forEachDatabase(t, func(te *testEngine) {
			te.RewriteTimeout = time.Millisecond
			te.useConnectedModel(scripted.New(scripted.Text("It is 5 €.")).
				AddScript(scripted.Step{Barrier: scripted.NewBarrier()}).AddScript(scripted.Text("50 €.")))
			te.requireFailedRewrite("too late")
		})
	})
}

// requireFailedRewrite asks a follow-up, whose rewriting ends in the state.
func (te *testEngine) requireFailedRewrite(state string) {
	te.t.Helper()
	first := te.start("What does the plan cost?", "")
	te.finish(first)
	te.clock.Advance(time.Minute)
	te.finish(te.start("And yearly?", first.ConversationID))
	if tr := te.trace(first.ConversationID); tr.Rewrite == nil || tr.Rewrite.State != state ||
		tr.Question != "What does the plan cost?\nAnd yearly?" {
		te.t.Errorf("trace %q %+v", tr.Question, tr.Rewrite)
	}
}

// rerankFunc is a reranker that is a function, with the number of its calls.
type rerankFunc struct {
	score func(ctx context.Context, question string, texts []string) ([]float64, error)
	calls int
}

func (r *rerankFunc) Rerank(ctx context.Context, question string, texts []string) ([]float64, error) {
	r.calls++
	return r.score(ctx, question, texts)
}

func newQueryReranker(r model.Reranker, c *clock.Clock) *chat.QueryReranker {
	return &chat.QueryReranker{Reranker: r, Timeout: rewriteLimit, Now: c.Now, Logger: slog.New(slog.DiscardHandler)}
}

func newHits(texts ...string) (hits []retrieval.Hit) {
	for _, text := range texts {
		hits = append(hits, retrieval.Hit{Passage: parley.Passage{Text: text}})
	}
	return hits
}

func joinTexts(hits []retrieval.Hit) string {
	var texts []string
	for _, h := range hits {
		texts = append(texts, h.Passage.Text)
	}
	return strings.Join(texts, " ")
}

func TestPassagesOfOneScoreStayInTheOrderOfTheSearch(t *testing.T) {
	r := &rerankFunc{score: func(_ context.Context, _ string, texts []string) (scores []float64, _ error) {
		for _, text := range texts {
			scores = append(scores, float64(len(text)))
		}
		return scores, nil
	}}
	hits, trace := newQueryReranker(r, clock.At(time.UnixMilli(0))).RerankHits(t.Context(), "agent",
		retrieval.Query{Text: "?"},
		newHits("b", "aa", "a", "bb", "c", "aaa"))
	if got := joinTexts(hits); got != "aaa aa bb b a c" || fmt.Sprint(trace.Scores) != "[3 2 2 1 1 1]" {
		t.Errorf("%s %v", got, trace.Scores)
	}
}

// After three failures in a row the provider is left alone for ten seconds; a turn that ends while it waits is none.
func TestFailingRerankerIsLeftAlone(t *testing.T) {
	c := clock.At(time.UnixMilli(0))
	failure := errors.New("no")
	r := &rerankFunc{score: func(context.Context, string, []string) ([]float64, error) { return nil, failure }}
	qr := newQueryReranker(r, c)
	expect := func(ctx context.Context, state string, calls int) {
		t.Helper()
		hits, trace := qr.RerankHits(ctx, "agent", retrieval.Query{Text: "?"}, newHits("a", "b"))
		got := ""
		if trace != nil {
			got = trace.State
		}
		if got != state || r.calls != calls || joinTexts(hits) != "a b" {
			t.Fatalf("%q after %d calls, want %q after %d; %s", got, r.calls, state, calls, joinTexts(hits))
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	expect(t.Context(), "failed", 1)
	expect(t.Context(), "failed", 2)
	expect(ended, "", 3)
	expect(t.Context(), "failed", 4)
	expect(t.Context(), "paused", 4)
	c.Advance(9 * time.Second)
	expect(t.Context(), "paused", 4)
	c.Advance(time.Second)
	expect(t.Context(), "failed", 5)
	failure = &parley.Error{RetryAfter: time.Hour}
	expect(t.Context(), "failed", 6)
	c.Advance(59 * time.Second)
	expect(t.Context(), "paused", 6)
	c.Advance(time.Second)
	expect(t.Context(), "failed", 7)
}

// The reranker costs a turn no round trip to the database, and is asked once; a message that asks for a person is not
// reranked.
func TestRoundTripsOfARerankedTurn(t *testing.T) {
	url, trips := dbs.CountRoundTrips(t, dbs.SharedPostgres(t).NewStore(t))
	d := newTestEngine(t, store.New(dbs.Open(t, url)))
	for i := range 3 {
		check.Must(t, d.addSource(fmt.Sprintf("A question number %d is answered here.", i)))
	}
	r := &rerankFunc{score: func(_ context.Context, _ string, texts []string) ([]float64, error) {
		return make([]float64, len(texts)), nil
	}}
	qr := newQueryReranker(r, d.clock)
	fewest := func(qr *chat.QueryReranker) int {
		d.Reranker = qr
		fewestTrips := 1000
		for range 5 {
			d.model.AddScript(scripted.Text("An answer."), scripted.Stop())
			before := trips.Count()
			turn := d.start("A question?", "")
			d.finish(turn)
			<-turn.Done()
			fewestTrips = min(fewestTrips, trips.Count()-before)
		}
		return fewestTrips
	}
	without := fewest(nil)
	if with := fewest(qr); with != without || r.calls != 5 {
		t.Errorf("%d round trips with a reranker and %d without; it was asked %d times in 5 turns", with, without, r.calls)
	}
}

// BenchmarkRerank measures what a reranking server that takes no time adds to a search among a thousand passages: more
// candidates, the request and the order.
func BenchmarkRerank(b *testing.B) {
	index := retrieval.NewIndex()
	for i := range 1000 {
		text := fmt.Sprintf("Parcels of kind %d are delivered to town %d in the morning. ", i, i%97)
		index.Put(parley.Passage{ID: parley.PassageID(fmt.Sprint(i)), SourceID: parley.SourceID(fmt.Sprint(i % 50)),
			VersionID: "v", Ordinal: i, Text: strings.Repeat(text, 15)})
	}
	find := func(limit int) []retrieval.Hit {
		return index.Nearest(retrieval.Query{Text: "When are parcels delivered to town 5?", Limit: limit})
	}
	b.Run("search", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			find(12)
		}
	})
	var body strings.Builder
	for i := range 30 {
		fmt.Fprintf(&body, `,{"index":%d,"relevance_score":%d.5}`, i, i*7%30)
	}
	answer := `{"results":[` + body.String()[1:] + `]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	r := &cohere.Reranker{Client: httpclient.Client{BaseURL: server.URL}, Model: "m"}
	defer r.Close()
	qr := &chat.QueryReranker{Reranker: r, Now: time.Now, Logger: slog.New(slog.DiscardHandler)}
	b.Run("reranked", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			q := retrieval.Query{Text: "When are parcels delivered to town 5?"}
			if _, trace := qr.RerankHits(b.Context(), "agent", q, find(30)); trace.State != "done" {
				b.Fatal(trace)
			}
		}
	})
}
