package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Reranks counts the questions whose passages a reranking server was to order.
type Reranks struct {
	total    map[string]prometheus.Counter
	duration prometheus.Observer
}

func newReranks(on promauto.Factory) *Reranks {
	return &Reranks{
		total: countersByLabel(on.NewCounterVec(prometheus.CounterOpts{Name: "parley_reranks_total",
			Help: "Questions whose passages the reranking server was to order, by what came of it."}, []string{"state"}),
			"done", "failed", "late", "paused", otherLabel),
		duration: on.NewHistogram(prometheus.HistogramOpts{Name: "parley_rerank_duration_seconds",
			Help:    "Time that a question waited for the reranking server.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2, 4}}),
	}
}

// Observe counts a question. One that did not wait, because the server had just failed, has no duration.
func (r *Reranks) Observe(state string, elapsed time.Duration) {
	incrementOrOther(r.total, state)
	if state != "paused" {
		r.duration.Observe(elapsed.Seconds())
	}
}
