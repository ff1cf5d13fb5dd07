package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Voice counts the voice sessions of this server and measures their delays.
type Voice struct {
	opened            prometheus.Counter
	mediaServerDeaths prometheus.Counter
	refused           map[string]prometheus.Counter
	ended             map[string]prometheus.Counter
	spokenAnswers     prometheus.Observer
	typedAnswers      prometheus.Observer
	steps             [StepCount]prometheus.Observer
	bargeInHold       prometheus.Observer
}

// StepCount is how many steps there are from the end of the customer's speech to the first sound of the answer.
const StepCount = 6

// stepNames are the steps in their order; the manual explains them.
var stepNames = [StepCount]string{"silence", "hearing", "answer", "piece", "speech", "output"}

func newVoice(on promauto.Factory) *Voice {
	v := &Voice{
		opened: on.NewCounter(prometheus.CounterOpts{Name: "parley_voice_sessions_opened_total",
			Help: "Voice sessions that were admitted."}),
		mediaServerDeaths: on.NewCounter(prometheus.CounterOpts{Name: "parley_voice_media_server_deaths_total",
			Help: "How often the media server of this server has died."}),
		refused: countersByLabel(on.NewCounterVec(prometheus.CounterOpts{Name: "parley_voice_sessions_refused_total",
			Help: "Voice sessions that were refused, by the reason."}, []string{"reason"}),
			"concurrent_exceeded", "per_user_exceeded", "hourly_exceeded", "daily_exceeded", "server_limit",
			"server_overloaded", "not_available", "credits", "failed", otherLabel),
		ended: countersByLabel(on.NewCounterVec(prometheus.CounterOpts{Name: "parley_voice_sessions_ended_total",
			Help: "Voice sessions that have ended, by the reason."}, []string{"reason"}),
			"client_left", "max_duration", "silence", "credits", "escalated", "operator", "error", "server_stopped", otherLabel),
		bargeInHold: on.NewHistogram(prometheus.HistogramOpts{Name: "parley_voice_barge_in_hold_seconds",
			Help:    "Time from the beginning of the customer's voice until the agent fell silent.",
			Buckets: []float64{.05, .1, .12, .15, .2, .25, .3, .35, .4, .5, .75, 1, 2}}),
	}
	answers := on.NewHistogramVec(prometheus.HistogramOpts{Name: "parley_voice_answer_seconds",
		Help:    "Time from the end of the customer's speech, or from their message, until the first sound of the answer.",
		Buckets: []float64{.1, .2, .3, .4, .45, .5, .6, .8, 1, 1.5, 2, 3, 5, 10}}, []string{"input"})
	v.spokenAnswers, v.typedAnswers = answers.WithLabelValues("spoken"), answers.WithLabelValues("typed")
	steps := on.NewHistogramVec(prometheus.HistogramOpts{Name: "parley_voice_answer_step_seconds",
		Help:    "Where the time of answers to speech went.",
		Buckets: []float64{.005, .01, .025, .05, .1, .15, .2, .3, .5, 1, 2, 5}}, []string{"step"})
	for i, name := range stepNames {
		v.steps[i] = steps.WithLabelValues(name)
	}
	return v
}

// SessionOpened counts a session that was admitted.
func (v *Voice) SessionOpened() { v.opened.Inc() }

// SessionRefused counts a session that was not.
func (v *Voice) SessionRefused(reason string) { incrementOrOther(v.refused, reason) }

// SessionEnded counts a session that has ended.
func (v *Voice) SessionEnded(reason string) { incrementOrOther(v.ended, reason) }

// MediaServerDied counts a death of the media server.
func (v *Voice) MediaServerDied() { v.mediaServerDeaths.Inc() }

// ObserveSpokenAnswer records an answer to speech: the milliseconds of its steps, and in all.
func (v *Voice) ObserveSpokenAnswer(steps [StepCount]float64, total float64) {
	for i, ms := range steps {
		v.steps[i].Observe(ms / 1000)
	}
	v.spokenAnswers.Observe(total / 1000)
}

// ObserveTypedAnswer records an answer to a typed message, in milliseconds.
func (v *Voice) ObserveTypedAnswer(total float64) { v.typedAnswers.Observe(total / 1000) }

// ObserveBargeInHold records how long it took until an agent that was interrupted fell silent.
func (v *Voice) ObserveBargeInHold(after time.Duration) { v.bargeInHold.Observe(after.Seconds()) }
