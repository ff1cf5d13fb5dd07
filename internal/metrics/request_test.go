package metrics_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"parley/internal/metrics"
	"parley/internal/testkit/check"
)

func newMetrics() *metrics.Metrics {
	return metrics.New("1.2.3", slog.New(slog.NewTextHandler(io.Discard, nil)))
}

func renderMetrics(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	return renderState(t, m, metrics.State{DatabaseUp: true, PendingWrites: &metrics.PendingWrites{}})
}

func renderState(t *testing.T, m *metrics.Metrics, state metrics.State) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler(func() metrics.State { return state }).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func countLines(text, part string) (n int) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// Whatever clients send, the number of series is bounded.
func TestUnknownLabelsMakeNoSeries(t *testing.T) {
	m := newMetrics()
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 1000 {
				m.Requests.Observe(fmt.Sprint("METHOD", n, i), "/", n*i, time.Millisecond)
				m.Requests.Observe("GET", "", 404, time.Millisecond)
				m.Turns.Observe(fmt.Sprint(i), 0, time.Second)
				m.Voice.SessionRefused(fmt.Sprint(i))
				m.Voice.SessionEnded(fmt.Sprint(i))
			}
		})
	}
	all.Wait()
	text := renderMetrics(t, m)
	if n := countLines(text, "parley_http_requests_total{"); n > 7 {
		t.Errorf("%d series of requests", n)
	}
	for _, want := range []string{`parley_turns_total{outcome="other"} 8000`,
		`parley_voice_sessions_refused_total{reason="other"} 8000`, `parley_voice_sessions_ended_total{reason="other"} 8000`,
		`parley_http_requests_total{method="GET",route="other",status="4xx"} 8000`,
		"parley_turn_first_text_seconds_count 0"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}

// A request with known labels allocates nothing.
func TestWorkOfObservations(t *testing.T) {
	check.SkipUnderRace(t)
	m := newMetrics()
	answered := func() { m.Requests.Observe("POST", "/api/v2/agents/{agentId}/chat", 200, time.Millisecond) }
	answered()
	if n := testing.AllocsPerRun(100, answered); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The names and types follow the rules of Prometheus.
func TestMetricNamesFollowPrometheusRules(t *testing.T) {
	m := newMetrics()
	m.Requests.Observe("GET", "/x", 200, 0)
	problems, err := promlint.New(strings.NewReader(renderMetrics(t, m))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "parley_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// Unknown values are left out rather than shown as 0.
func TestUnknownValuesAreLeftOut(t *testing.T) {
	text := renderState(t, metrics.New("", slog.Default()), metrics.State{Jobs: metrics.Jobs{Dead: 7}})
	for _, name := range []string{"parley_jobs", "parley_database_writes_waiting"} {
		if strings.Contains(text, "\n"+name) {
			t.Errorf("%s is shown", name)
		}
	}
	if !strings.Contains(text, "\nparley_database_up 0\n") {
		t.Error("the database is up")
	}
}
