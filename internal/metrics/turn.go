package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

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

// Observe counts an answer. First is the time until its first text, 0 where it has none.
func (t *Turns) Observe(outcome string, first, elapsed time.Duration) {
	incrementOrOther(t.total, outcome)
	if first > 0 {
		t.firstText.Observe(first.Seconds())
	}
	t.duration.Observe(elapsed.Seconds())
}
