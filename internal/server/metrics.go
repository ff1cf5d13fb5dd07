package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/jobs"
	"parley/internal/metrics"
	"parley/internal/voice"
)

// MetricsHandler shows the metrics at /metrics, to whoever asks; nil where MetricsListen is not set.
func (h *Server) MetricsHandler() http.Handler {
	if h.metrics == nil {
		return nil
	}
	return h.metrics.Handler()
}

// setUpMetrics joins the rooms to the metrics, where somebody looks at them.
func (h *Server) setUpMetrics() {
	if m := h.voiceStats(); m != nil {
		m.ProcessorLoad = (&metrics.CPULoad{Now: h.cfg.Now}).Share
	}
	if h.cfg.MetricsListen == "" {
		return
	}
	depth := &queueDepth{server: h}
	h.metrics = metrics.New(h.cfg.Version, func() metrics.State { return h.metricsState(depth) }, h.cfg.Logger)
	h.observer = &httpapi.Observer{OnResponse: h.metrics.Requests.Observe}
	h.Engine.TurnObserver = h.metrics.Turns.Observe
	h.setUpVoiceMetrics(h.metrics.Voice)
}

func (h *Server) setUpVoiceMetrics(v *metrics.Voice) {
	h.Voice.Observer = voice.Observer{OnOpen: v.SessionOpened, OnRefuse: v.SessionRefused, OnEnd: func(reason parley.SessionEndReason) { v.SessionEnded(string(reason)) }}
	if lost := h.Media.OnChildExit; lost != nil {
		h.Media.OnChildExit = func(cause error) {
			v.MediaServerDied()
			lost(cause)
		}
	}
	if m := h.voiceStats(); m != nil {
		m.OnHold = v.ObserveBargeInHold
		m.OnAnswer = func(typed bool, d voice.Delay) {
			if typed {
				v.ObserveTypedAnswer(d.Total)
				return
			}
			v.ObserveSpokenAnswer([metrics.StepCount]float64{d.Silence, d.Hearing, d.Answer, d.Piece, d.Speech, d.Output}, d.Total)
		}
	}
}

// metricsState is what there is at the moment.
func (h *Server) metricsState(depth *queueDepth) metrics.State {
	s := metrics.State{OpenStreams: int(h.observer.OpenStreams.Load()), OpenTurns: h.Engine.LiveTurns()}
	d, err := depth.current()
	s.DatabaseUp = err == nil
	s.Jobs = metrics.Jobs{Waiting: d.Waiting, Running: d.Running, Dead: d.Dead, OldestDueSeconds: d.OldestDue.Seconds()}
	if turns, bulk, ok := h.DB.SQL().QueueLengths(); ok {
		s.PendingWrites = &metrics.PendingWrites{Interactive: turns, Bulk: bulk}
	}
	m := h.voiceStats().Snapshot()
	s.Voice = metrics.VoiceState{Sessions: len(h.Voice.Active()), PacketGapP95: m.GapP95 / 1000, Packets: m.Packets, LatePackets: m.Late, StarvedTicks: m.Starved, ConcealedFrames: m.Lost, Overloaded: m.Overloaded}
	return s
}

const (
	depthTimeout = 2 * time.Second // how long the database may take to count jobs
	depthMaxAge  = 3 * time.Second // how long they are not counted again: whoever looks at metrics has shown no key
)

// queueDepth counts the jobs of the database.
type queueDepth struct {
	server *Server

	mu        sync.Mutex
	countedAt time.Time
	last      jobs.Depth
	err       error
}

func (d *queueDepth) current() (jobs.Depth, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.server.cfg.Now(); d.countedAt.IsZero() || now.Sub(d.countedAt) >= depthMaxAge {
		ctx, stop := context.WithTimeout(context.Background(), depthTimeout)
		defer stop()
		d.last, d.err = d.server.Queue.Depth(ctx, d.server.DB.SQL())
		d.countedAt = now
	}
	return d.last, d.err
}
