package metrics

import "github.com/prometheus/client_golang/prometheus"

// State holds the current values of the gauges.
type State struct {
	OpenStreams   int // responses of server-sent events that are open
	OpenTurns     int // answers that are being made
	DatabaseUp    bool
	Jobs          Jobs           // while the database is up
	PendingWrites *PendingWrites // nil if the database has no queue here
	Voice         VoiceState
}

// Jobs are the jobs of the database.
type Jobs struct {
	Waiting, Running, Dead int
	OldestDueSeconds       float64 // seconds since the one that is due longest was due; 0 if none is
}

// PendingWrites are the transactions that wait for the one writer of SQLite.
type PendingWrites struct{ Interactive, Bulk int }

// VoiceState are the voice sessions of this server.
type VoiceState struct {
	Sessions        int
	PacketGapP95    float64 // seconds between two packets of speech, of the talk that is worst
	Packets         int     // of speech, that have left since the start
	LatePackets     int     // of them, later than they should
	StarvedTicks    int     // ticks at which there was nothing to send
	ConcealedFrames int     // frames of customers that did not come
	Overloaded      bool
}

// stateMetric is one metric of the state. Its values are one for each value of its label, in their order.
type stateMetric struct {
	desc    *prometheus.Desc
	typ     prometheus.ValueType
	labels  []string
	measure func(s *State) []float64 // nil for none
}

func number[N int | float64](name, help string, typ prometheus.ValueType, measure func(s *State) N) stateMetric {
	return stateMetric{prometheus.NewDesc(name, help, nil, nil), typ, nil, func(s *State) []float64 {
		return []float64{float64(measure(s))}
	}}
}

func gauge[N int | float64](name, help string, measure func(s *State) N) stateMetric {
	return number(name, help, prometheus.GaugeValue, measure)
}

func counter(name, help string, measure func(s *State) int) stateMetric {
	return number(name, help, prometheus.CounterValue, measure)
}

func labeledGauge(name, help, label string, values []string, measure func(s *State) []float64) stateMetric {
	return stateMetric{prometheus.NewDesc(name, help, []string{label}, nil), prometheus.GaugeValue, values, measure}
}

func boolToInt(value bool) int {
	if value {
		return 1
	}
	return 0
}

var stateMetrics = []stateMetric{
	gauge("parley_http_streams_open", "Streams of server-sent events that are open.",
		func(s *State) int { return s.OpenStreams }),
	gauge("parley_turns_open", "Answers in the making.", func(s *State) int { return s.OpenTurns }),
	gauge("parley_database_up", "1 while the database answers.", func(s *State) int { return boolToInt(s.DatabaseUp) }),
	labeledGauge("parley_database_writes_waiting", "Transactions that wait for the writer of SQLite.", "lane",
		[]string{"turns", "bulk"}, func(s *State) []float64 {
			if s.PendingWrites == nil {
				return nil
			}
			return []float64{float64(s.PendingWrites.Interactive), float64(s.PendingWrites.Bulk)}
		}),
	labeledGauge("parley_jobs", "Chores of the database, of all its servers.", "state",
		[]string{"waiting", "running", "dead"}, func(s *State) []float64 {
			if !s.DatabaseUp {
				return nil
			}
			return []float64{float64(s.Jobs.Waiting), float64(s.Jobs.Running), float64(s.Jobs.Dead)}
		}),
	{prometheus.NewDesc("parley_jobs_oldest_due_seconds", "For how long the oldest chore that waits has been due.", nil,
		nil), prometheus.GaugeValue, nil, func(s *State) []float64 {
		if !s.DatabaseUp {
			return nil
		}
		return []float64{s.Jobs.OldestDueSeconds}
	}},
	gauge("parley_voice_sessions", "Voice sessions that this server holds.",
		func(s *State) int { return s.Voice.Sessions }),
	gauge("parley_voice_packet_gap_p95_seconds",
		"95th percentile of the time between two packets of speech, of the worst voice session.",
		func(s *State) float64 { return s.Voice.PacketGapP95 }),
	counter("parley_voice_packets_total", "Packets of speech that were sent.",
		func(s *State) int { return s.Voice.Packets }),
	counter("parley_voice_late_packets_total", "Packets of speech that were sent more than 5 ms late.",
		func(s *State) int { return s.Voice.LatePackets }),
	counter("parley_voice_starved_ticks_total",
		"Packets of speech that could not be sent because their sound was not made in time.",
		func(s *State) int { return s.Voice.StarvedTicks }),
	counter("parley_voice_concealed_frames_total", "Frames of customers' speech that did not come and were concealed.",
		func(s *State) int { return s.Voice.ConcealedFrames }),
	gauge("parley_voice_overloaded", "1 while new voice sessions are refused because the server has no power left.",
		func(s *State) int { return boolToInt(s.Voice.Overloaded) }),
}

type stateCollector func() State

func (stateCollector) Describe(to chan<- *prometheus.Desc) {
	for _, k := range stateMetrics {
		to <- k.desc
	}
}

func (c stateCollector) Collect(to chan<- prometheus.Metric) {
	s := c()
	for _, k := range stateMetrics {
		for i, v := range k.measure(&s) {
			to <- prometheus.MustNewConstMetric(k.desc, k.typ, v, k.labels[min(i, len(k.labels)):min(i+1, len(k.labels))]...)
		}
	}
}
