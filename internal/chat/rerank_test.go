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
	"parley/internal/retrieval"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

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
	return &chat.QueryReranker{Reranker: r, Timeout: 5 * time.Second, Now: c.Now, Logger: slog.New(slog.DiscardHandler)}
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
	hits, trace := newQueryReranker(r, clock.At(time.UnixMilli(0))).RerankHits(t.Context(), "?",
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
		hits, trace := qr.RerankHits(ctx, "?", newHits("a", "b"))
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
	d := newTestEngine(t, dbs.Open(t, url))
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
			if _, trace := qr.RerankHits(b.Context(), "When are parcels delivered to town 5?", find(30)); trace.State != "done" {
				b.Fatal(trace)
			}
		}
	})
}
