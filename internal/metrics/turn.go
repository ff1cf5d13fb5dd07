package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Turns counts the answers that agents have made.
type Turns struct {
	total map[string]prometheus.Counter
	first prometheus.Observer
	took  prometheus.Observer
}

func newTurns(on promauto.Factory) *Turns {
	times := func(name, help string) prometheus.Observer {
		return on.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60}})
	}
	return &Turns{
		total: one(on.NewCounterVec(prometheus.CounterOpts{Name: "parley_turns_total", Help: "Answers that have ended, by what came of them."}, []string{"outcome"}),
			"done", "interrupted", "failed", other),
		first: times("parley_turn_first_text_seconds", "Time from the message until the first text of the answer."),
		took:  times("parley_turn_duration_seconds", "Time from the message until the end of the answer."),
	}
}

// Ended counts an answer. First is the time until its first text, 0 where it has none.
func (t *Turns) Ended(outcome string, first, took time.Duration) {
	add(t.total, outcome)
	if first > 0 {
		t.first.Observe(first.Seconds())
	}
	t.took.Observe(took.Seconds())
}
