package metrics

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Requests counts the HTTP requests that were answered.
type Requests struct {
	total    *prometheus.CounterVec
	duration *prometheus.HistogramVec

	mu          sync.RWMutex
	seriesByKey map[requestKey]series
}

// requestKey holds the labels of requests; their values are all from fixed lists.
type requestKey struct{ method, route, class string }

type series struct {
	total    prometheus.Counter
	duration prometheus.Observer
}

func newRequests(on promauto.Factory) *Requests {
	return &Requests{
		seriesByKey: map[requestKey]series{},
		total: on.NewCounterVec(prometheus.CounterOpts{Name: "parley_http_requests_total",
			Help: "Requests to REST and MCP that were answered."},
			[]string{"method", "route", "status"}),
		duration: on.NewHistogramVec(prometheus.HistogramOpts{Name: "parley_http_request_duration_seconds",
			Help:    "Time from the request to the end of the answer; of a stream, to its end.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}},
			[]string{"method", "route"}),
	}
}

// Observe counts a request. The route is a pattern; "/" stands for unknown paths.
func (r *Requests) Observe(method, route string, status int, elapsed time.Duration) {
	s := r.seriesFor(requestKey{methodOf(method), routeOf(route), classOf(status)})
	s.total.Inc()
	s.duration.Observe(elapsed.Seconds())
}

func (r *Requests) seriesFor(a requestKey) series {
	r.mu.RLock()
	s, known := r.seriesByKey[a]
	r.mu.RUnlock()
	if known {
		return s
	}
	s = series{r.total.WithLabelValues(a.method, a.route, a.class), r.duration.WithLabelValues(a.method, a.route)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seriesByKey[a] = s
	return s
}

// methodOf returns the label of a method; methods that clients make up share one.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return otherLabel
}

func routeOf(route string) string {
	if route == "" || route == "/" {
		return otherLabel
	}
	return route
}

var classes = [...]string{"1xx", "2xx", "3xx", "4xx", "5xx"}

func classOf(status int) string {
	if status < 100 || status > 599 {
		return otherLabel
	}
	return classes[status/100-1]
}

// Turns counts the answers that agents have made.
type Turns struct {
	total     map[string]prometheus.Counter
	firstText prometheus.Observer
	duration  prometheus.Observer
}

func newTurns(on promauto.Factory) *Turns {
	times := func(name, help string) prometheus.Observer {
		return on.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help,
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60}})
	}
	return &Turns{
		total: countersByLabel(on.NewCounterVec(prometheus.CounterOpts{Name: "parley_turns_total",
			Help: "Answers that have ended, by what came of them."}, []string{"outcome"}),
			"done", "interrupted", "failed", otherLabel),
		firstText: times("parley_turn_first_text_seconds", "Time from the message until the first text of the answer."),
		duration:  times("parley_turn_duration_seconds", "Time from the message until the end of the answer."),
	}
}

// Observe counts an answer. First is the time until its first text, 0 if it has none.
func (t *Turns) Observe(outcome string, first, elapsed time.Duration) {
	incrementOrOther(t.total, outcome)
	if first > 0 {
		t.firstText.Observe(first.Seconds())
	}
	t.duration.Observe(elapsed.Seconds())
}
