package server

import (
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/jobs"
	"parley/internal/metrics"
	"parley/internal/sqldb"
	"parley/internal/tracing"
	"parley/internal/voice"
)

// newMetrics returns the metrics; nil if nobody reads them.
func (c Config) newMetrics() *metrics.Metrics {
	if c.MetricsListen == "" {
		return nil
	}
	return metrics.New(c.Version, c.Logger)
}

// newExporter returns what sends traces to the collector; nil without one.
func (c Config) newExporter() *tracing.Exporter {
	if c.OTLPEndpoint == "" || c.isOffline {
		return nil
	}
	e := tracing.NewExporter(c.OTLPEndpoint, c.OTLPHeaders, c.Version, c.Logger)
	e.Instance = parley.NewUUID()
	return e
}

// newObserver returns what observes the requests; nil if nobody reads metrics or traces.
func (s *Services) newObserver() *httpapi.Observer {
	if s.metrics == nil && s.exporter == nil {
		return nil
	}
	observer := &httpapi.Observer{}
	if s.metrics != nil {
		observer.OnResponse = s.metrics.Requests.Observe
	}
	if s.exporter != nil {
		observer.Tracer = &tracing.Tracer{Exporter: s.exporter, Now: s.cfg.Now}
	}
	return observer
}

func (b *builder) newVoiceStats() *voice.Stats {
	load := &metrics.CPULoad{Now: b.cfg.Now}
	if b.metrics == nil {
		return &voice.Stats{ProcessorLoad: load.Share}
	}
	v := b.metrics.Voice
	return &voice.Stats{
		ProcessorLoad: load.Share,
		OnHold:        v.ObserveBargeInHold,
		OnAnswer: func(typed bool, d voice.Delay) {
			if typed {
				v.ObserveTypedAnswer(d.Total)
				return
			}
			v.ObserveSpokenAnswer([metrics.StepCount]float64{d.Silence, d.Hearing, d.Answer, d.Piece, d.Speech,
				d.Output}, d.Total)
		},
	}
}

// newVoiceObserver returns what counts the voice sessions for the metrics.
func (b *builder) newVoiceObserver() voice.Observer {
	if b.metrics == nil {
		return voice.Observer{}
	}
	v := b.metrics.Voice
	return voice.Observer{
		OnOpen:   v.SessionOpened,
		OnRefuse: v.SessionRefused,
		OnEnd:    func(reason parley.SessionEndReason) { v.SessionEnded(string(reason)) },
	}
}

// newStateReader returns the function that reads the gauges.
func (s *Services) newStateReader(observer *httpapi.Observer) func() metrics.State {
	depth := &queueDepth{queue: s.Queue, db: s.DB.SQL(), now: s.cfg.Now}
	return func() metrics.State {
		state := metrics.State{OpenStreams: int(observer.OpenStreams.Load()), OpenTurns: s.Engine.LiveTurns()}
		d, err := depth.current()
		state.DatabaseUp = err == nil
		state.Jobs = metrics.Jobs{Waiting: d.Waiting, Running: d.Running, Dead: d.Dead,
			OldestDueSeconds: d.OldestDue.Seconds()}
		if interactive, bulk, ok := s.DB.SQL().QueueLengths(); ok {
			state.PendingWrites = &metrics.PendingWrites{Interactive: interactive, Bulk: bulk}
		}
		m := s.voiceStats().Snapshot()
		state.Voice = metrics.VoiceState{
			Sessions: len(s.Voice.Active()), PacketGapP95: m.GapP95 / 1000, Packets: m.Packets, LatePackets: m.Late,
			StarvedTicks: m.Starved, ConcealedFrames: m.Lost, Overloaded: m.Overloaded,
		}
		return state
	}
}

const (
	depthTimeout = 2 * time.Second // how long the database may take to count jobs
	depthMaxAge  = 3 * time.Second // how long a count is used: those who read metrics have shown no key, and may ask often
)

// queueDepth counts the jobs of the database.
type queueDepth struct {
	queue *jobs.Queue
	db    *sqldb.DB
	now   func() time.Time

	mu        sync.Mutex
	countedAt time.Time
	last      jobs.Depth
	err       error
}

func (d *queueDepth) current() (jobs.Depth, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.now(); d.countedAt.IsZero() || now.Sub(d.countedAt) >= depthMaxAge {
		ctx, stop := context.WithTimeout(context.Background(), depthTimeout)
		defer stop()
		d.last, d.err = d.queue.Depth(ctx, d.db)
		d.countedAt = now
	}
	return d.last, d.err
}
