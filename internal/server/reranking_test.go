package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/provider"
)

// withRerankServer configures a reranking server, and how long a question waits for it.
func withRerankServer(s *provider.RerankServer, wait time.Duration) testkit.Option {
	return testkit.WithConfig(func(c *server.Config) {
		c.RerankURL, c.RerankKey, c.RerankWait = s.URL, provider.Key, wait
	})
}

// deliveryTexts are n texts about deliveries to numbered towns.
func deliveryTexts(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("# Deliveries to town%d\n\nParcels are delivered in town%d at %d in the morning.",
			i, i, i%12))
	}
	return list
}

// preferTown17 is a reranker that holds one passage for the best, wherever the search has put it.
func preferTown17(_, text string) float64 {
	if strings.Contains(text, "in town17 ") {
		return 3.25
	}
	return -1
}

// The passages of a question come in the order of the reranking server, which saw more of them than the model gets.
// Those of one score stay in the order of the search.
func TestTurnFollowsTheReranker(t *testing.T) {
	const question = "When are parcels delivered?"
	forEachStore(t, func(t *testing.T, store testkit.Option) {
		plain := testkit.Open(t, store)
		before := askWithTrace(t, plain, plain.NewAgent(t, plain.Key, deliveryTexts(30)...), question)
		if before.Rerank != nil || len(before.Passages) != 12 {
			t.Fatalf("without a server: %+v, %d passages", before.Rerank, len(before.Passages))
		}
		s := provider.StartReranks(t, preferTown17)
		srv := testkit.Open(t, store, withRerankServer(s, testkit.WaitTimeout))
		got := askWithTrace(t, srv, srv.NewAgent(t, srv.Key, deliveryTexts(30)...), question)
		requests := s.Requests()
		if len(requests) != 1 || len(requests[0].Documents) != 30 || requests[0].Query != question ||
			requests[0].Model != "" {
			t.Fatalf("asked %+v", requests)
		}
		found := slices.IndexFunc(requests[0].Documents, func(text string) bool { return preferTown17("", text) > 0 })
		if found < 0 || !strings.HasPrefix(requests[0].Documents[found], "Deliveries to town17\n") {
			t.Fatalf("the passage and its heading are not in %q", requests[0].Documents)
		}
		r := got.Rerank
		if r == nil || r.State != "done" || r.Candidates != 30 || len(r.Scores) != 12 || r.Scores[0] != 3.25 ||
			r.Scores[1] != -1 || len(got.Passages) != 12 || !strings.Contains(got.Passages[0].Text, "in town17 ") {
			t.Fatalf("%+v\n%+v", r, got.Passages)
		}
		for i, p := range got.Passages[1:] {
			if found > i && !strings.Contains(requests[0].Documents[i], strings.TrimSpace(p.Text[:20])) {
				t.Errorf("passage %d is not in the order of the search", i+2)
			}
		}
	})
}

// parcelTexts are texts of which one answers when parcels are delivered.
var parcelTexts = []string{"# Deliveries\n\nParcels are delivered between eight and ten in the morning.",
	"# Returns\n\nParcels are taken back within thirty days.", "# Office\n\nThe green plant in the corner wants water."}

// Whatever the reranking server does, the turn answers as it would without it, and the trace says what happened.
func TestTurnSurvivesTheReranker(t *testing.T) {
	s := provider.StartReranks(t, preferTown17)
	srv := testkit.Open(t, withRerankServer(s, testkit.WaitTimeout), testkit.WithConfig(func(c *server.Config) {
		c.MetricsListen = "127.0.0.1:0"
	}))
	agent := srv.NewAgent(t, srv.Key, parcelTexts...)
	respond := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
	}
	ask := func(state string) admin.TurnTrace {
		t.Helper()
		got := askWithTrace(t, srv, agent, "When are parcels delivered?")
		if got.Rerank == nil || got.Rerank.State != state || !strings.Contains(got.Answer, "between eight and ten") ||
			got.State != "done" || state != "done" && got.Rerank.Scores != nil {
			t.Errorf("want %s: %+v, answered %q", state, got.Rerank, got.Answer)
		}
		return got
	}
	s.Play(respond(`{"results":[{"index":0,"relevance_score":NaN}]}`), respond(`[{"index":9,"score":1}]`), nil)
	ask("failed")
	ask("failed")
	ask("done") // ends the row
	s.Play(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	ask("failed")
	requestCount := len(s.Requests())
	ask("paused") // as long as it asked for
	if n := len(s.Requests()); n != requestCount {
		t.Errorf("%d requests in the pause", n-requestCount)
	}
	scrapeMetrics(t, srv).requireValues(t, map[string]float64{
		"parley_reranks_total state=done": 1, "parley_reranks_total state=failed": 3,
		"parley_reranks_total state=paused": 1,
		"parley_rerank_duration_seconds":    4,
	})
}

// A reranking server that does not answer in time, whether it has the question already or not, holds up no turn.
func TestTurnDoesNotWaitForALateReranker(t *testing.T) {
	s := provider.StartReranks(t, preferTown17)
	s.Play(s.Stall)
	srv := testkit.Open(t, withRerankServer(s, 60*time.Millisecond), testkit.WithConfig(func(c *server.Config) {
		c.MetricsListen = "127.0.0.1:0"
	}))
	got := askWithTrace(t, srv, srv.NewAgent(t, srv.Key, parcelTexts...), "When are parcels delivered?")
	if got.Rerank == nil || got.Rerank.State != "late" || got.Rerank.Scores != nil || got.State != "done" ||
		!strings.Contains(got.Answer, "between eight and ten") {
		t.Errorf("%+v, answered %q", got.Rerank, got.Answer)
	}
	scrapeMetrics(t, srv).requireValues(t, map[string]float64{
		"parley_reranks_total state=late": 1, "parley_rerank_duration_seconds": 1,
	})
}

// One passage needs no order.
func TestOnePassageIsNotReranked(t *testing.T) {
	s := provider.StartReranks(t, preferTown17)
	srv := testkit.Open(t, withRerankServer(s, 0))
	agent := srv.NewAgent(t, srv.Key, "Parcels are delivered between eight and ten in the morning.")
	if got := askWithTrace(t, srv, agent, "When are parcels delivered?"); got.Rerank != nil || len(s.Requests()) != 0 {
		t.Errorf("%+v, %d requests", got.Rerank, len(s.Requests()))
	}
}
