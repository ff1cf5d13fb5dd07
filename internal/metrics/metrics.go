// Package metrics shows the server's metrics to Prometheus. It imports no other package of ours: Requests, Turns, Voice
// and Reranks are called when something happens, and the State is read at each scrape.
//
// No label holds an id or a text of a client, so that the number of series has a bound.
package metrics

import (
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the metrics of one server, in a registry of its own.
type Metrics struct {
	Requests *Requests
	Turns    *Turns
	Voice    *Voice
	Reranks  *Reranks

	registry *prometheus.Registry
	log      *slog.Logger
}

// New returns metrics that have counted nothing.
func New(version string, log *slog.Logger) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), log: log}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	on := promauto.With(m.registry)
	on.NewGaugeVec(prometheus.GaugeOpts{Name: "parley_build_info", Help: "Always 1; the labels tell what runs."},
		[]string{"version", "goversion"}).
		WithLabelValues(version, runtime.Version()).Set(1)
	m.Requests, m.Turns, m.Voice, m.Reranks = newRequests(on), newTurns(on), newVoice(on), newReranks(on)
	return m
}

// Handler serves the metrics at /metrics. It calls state at each scrape, of which several may run at a time.
func (m *Metrics) Handler(state func() State) http.Handler {
	gauges := prometheus.NewRegistry()
	gauges.MustRegister(stateCollector(state))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(prometheus.Gatherers{m.registry, gauges}, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelWarn), ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: 4, Timeout: 10 * time.Second,
	}))
	return mux
}

// countersByLabel creates the counter of every possible label, so that all of them are shown from the start.
func countersByLabel(v *prometheus.CounterVec, labels ...string) map[string]prometheus.Counter {
	counters := make(map[string]prometheus.Counter, len(labels))
	for _, label := range labels {
		counters[label] = v.WithLabelValues(label)
	}
	return counters
}

// incrementOrOther increments the counter of the label, or that of "other" for an unknown label.
func incrementOrOther(counters map[string]prometheus.Counter, label string) {
	c, known := counters[label]
	if !known {
		c = counters[otherLabel]
	}
	c.Inc()
}

const otherLabel = "other"
