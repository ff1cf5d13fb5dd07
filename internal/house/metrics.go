package house

import (
	"context"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/metrics"
	"parley/internal/voice"
	"parley/internal/wire"
)

// Metrics shows the metrics at /metrics, to whoever asks; nil where MetricsListen is not set.
func (h *House) Metrics() http.Handler {
	if h.metrics == nil {
		return nil
	}
	return h.metrics.Handler()
}

// measure joins the rooms to the metrics, where somebody looks at them.
func (h *House) measure() {
	if m := h.meter(); m != nil {
		m.Load = (&metrics.Load{Now: h.cfg.Now}).Share
	}
	if h.cfg.MetricsListen == "" {
		return
	}
	depth := &depth{house: h}
	h.metrics = metrics.New(h.cfg.Version, func() metrics.State { return h.state(depth) }, h.cfg.Logger)
	h.watch = &wire.Watch{Answered: h.metrics.Requests.Answered}
	h.Engine.Watch = h.metrics.Turns.Ended
	h.measureVoice(h.metrics.Voice)
}

func (h *House) measureVoice(v *metrics.Voice) {
	h.Voice.Watch = voice.Watch{Opened: v.Opened, Refused: v.Refused, Ended: func(reason parley.SessionEnd) { v.Ended(string(reason)) }}
	if lost := h.Media.Lost; lost != nil {
		h.Media.Lost = func(cause error) {
			v.Died()
			lost(cause)
		}
	}
	if m := h.meter(); m != nil {
		m.Held = v.Held
		m.Answered = func(typed bool, d voice.Delay) {
			if typed {
				v.Typed(d.Total)
				return
			}
			v.Spoken([metrics.Steps]float64{d.Silence, d.Hearing, d.Answer, d.Piece, d.Speech, d.Output}, d.Total)
		}
	}
}

// state is what there is at the moment.
func (h *House) state(depth *depth) metrics.State {
	s := metrics.State{Streams: int(h.watch.Streams.Load()), Turns: h.Engine.Live()}
	d, err := depth.look()
	s.Up = err == nil
	s.Jobs = metrics.Jobs{Waiting: d.Waiting, Running: d.Running, Dead: d.Dead, Oldest: d.Oldest.Seconds()}
	if turns, bulk, ok := h.DB.SQL().Waiting(); ok {
		s.Writes = &metrics.Writes{Turns: turns, Bulk: bulk}
	}
	m := h.meter().Read()
	s.Talks = metrics.Talks{Sessions: len(h.Voice.Sessions()), GapP95: m.GapP95 / 1000, Packets: m.Packets, Late: m.Late, Starved: m.Starved, Concealed: m.Lost, Overloaded: m.Overloaded}
	return s
}

const (
	depthTime = 2 * time.Second // how long the database may take to count jobs
	depthKept = 3 * time.Second // how long they are not counted again: whoever looks at metrics has shown no key
)

// depth counts the jobs of the database.
type depth struct {
	house *House

	mu   sync.Mutex
	at   time.Time
	last jobs.Depth
	err  error
}

func (d *depth) look() (jobs.Depth, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.house.cfg.Now(); d.at.IsZero() || now.Sub(d.at) >= depthKept {
		ctx, stop := context.WithTimeout(context.Background(), depthTime)
		defer stop()
		d.last, d.err = d.house.Queue.Depth(ctx, d.house.DB.SQL())
		d.at = now
	}
	return d.last, d.err
}
