package voice

import (
	"slices"
	"sync"
	"time"

	"parley/internal/voice/rtc"
)

// answerTiming are the moments of an answer, all of one clock.
type answerTiming struct {
	isTyped       bool
	lastVoiceAt   time.Time // the customer's last sound
	turnEndAt     time.Time // their turn was over
	textAt        time.Time // what they said was known
	firstTextAt   time.Time // the first text of the answer
	firstPieceAt  time.Time // the first piece of it was there
	firstSpeechAt time.Time // the first speech
	firstOutputAt time.Time // the first packet left, or the first text was shown
}

// setFirst notes the first of several moments.
func (m *answerTiming) setFirst(field *time.Time, when time.Time) {
	if field.IsZero() {
		*field = when
	}
}

// markQuestion notes what an answer answers.
func (m *answerTiming) markQuestion(s *segment, now time.Time) {
	m.textAt = now
	if m.isTyped = s == nil; m.isTyped {
		m.lastVoiceAt, m.turnEndAt = now, now
		return
	}
	m.lastVoiceAt, m.turnEndAt = s.endedAt.Add(-s.trailingSilence), s.endedAt
}

// Delay is where the time went from the end of the customer's speech to the first sound of the answer, in milliseconds.
type Delay struct {
	Silence float64 `json:"silence"` // until the turn was taken to be over
	Hearing float64 `json:"hearing"` // until the text was known
	Answer  float64 `json:"answer"`  // until the first text of the answer
	Piece   float64 `json:"piece"`   // until enough of it to speak
	Speech  float64 `json:"speech"`  // until the first speech
	Output  float64 `json:"output"`  // until the first packet had left
	Total   float64 `json:"total"`
}

func (m *answerTiming) delay() Delay {
	last := m.lastVoiceAt
	step := func(at time.Time) float64 {
		if at.Before(last) { // it was passed over, or was ready before
			return 0
		}
		ms := milliseconds(at.Sub(last))
		last = at
		return ms
	}
	d := Delay{Silence: step(m.turnEndAt), Hearing: step(m.textAt), Answer: step(m.firstTextAt), Piece: step(m.firstPieceAt), Speech: step(m.firstSpeechAt), Output: step(m.firstOutputAt)}
	d.Total = milliseconds(m.firstOutputAt.Sub(m.lastVoiceAt))
	return d
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// maxMeasurements is how many of the last measurements of a kind count.
const maxMeasurements = 512

// Stats measures the talks of this server. The zero value is ready; a nil one measures nothing. Run it, or it never finds the server
// full.
type Stats struct {
	OnAnswer func(typed bool, d Delay) // is told of each answer that begins to be heard; must not wait; may be nil
	OnHold   func(after time.Duration) // is told how long it took to hold the agent; must not wait; may be nil

	// Load tells the share of the processors that this server used since the last call, 0 to 1; below 0 where it is
	// unknown. It may be nil.
	ProcessorLoad func() float64

	mu           sync.Mutex
	dialogs      map[*dialog]*dialogStats
	endedStats   rtc.Stats    // of the talks that have ended
	loadSamples  []loadSample // the last ones
	isOverloaded bool
	spokenDelays []Delay   // of answers to what was said
	typedDelays  []Delay   // of answers to what was typed
	duckMillis   []float64 // from the beginning of voice until the agent spoke more softly, in milliseconds
	holdMillis   []float64 // the same until it was held
}

// dialogStats is what a Stats knows of a talk.
type dialogStats struct {
	hasJoined bool      // its customer has come; before that it costs next to nothing
	lastStats rtc.Stats // at the last look
}

func (m *Stats) addDialog(t *dialog) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dialogs == nil {
		m.dialogs = map[*dialog]*dialogStats{}
	}
	m.dialogs[t] = &dialogStats{}
}

// markDialogJoined notes that the customer of a talk has come.
func (m *Stats) markDialogJoined(t *dialog) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if a := m.dialogs[t]; a != nil {
		a.hasJoined = true
	}
}

// joinedDialogs counts the talks whose customer has come; m.mu is held.
func (m *Stats) joinedDialogs() (n int) {
	for _, a := range m.dialogs {
		if a.hasJoined {
			n++
		}
	}
	return n
}

func (m *Stats) removeDialog(t *dialog) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, here := m.dialogs[t]; here {
		addTo(&m.endedStats, t.room.Stats())
		delete(m.dialogs, t)
	}
}

// recordAnswer notes that an answer began to be heard.
func (m *Stats) recordAnswer(t *dialog, s *utterance) {
	if m == nil || s.question == "" {
		return
	}
	d := s.timing.delay()
	t.Logger.Debug("voice turn", "session", t.session.ID, "typed", s.timing.isTyped, "silence", d.Silence, "hearing", d.Hearing, "answer", d.Answer, "piece", d.Piece,
		"speech", d.Speech, "output", d.Output, "total", d.Total)
	if m.OnAnswer != nil {
		m.OnAnswer(s.timing.isTyped, d)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.timing.isTyped {
		m.typedDelays = appendLast(m.typedDelays, d)
	} else {
		m.spokenDelays = appendLast(m.spokenDelays, d)
	}
}

// recordDuck notes how long it took until the agent spoke more softly.
func (m *Stats) recordDuck(after time.Duration) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.duckMillis = appendLast(m.duckMillis, milliseconds(after))
}

// recordHold notes how long it took to hold the agent.
func (m *Stats) recordHold(after time.Duration) {
	if m == nil {
		return
	}
	if m.OnHold != nil {
		m.OnHold(after)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holdMillis = appendLast(m.holdMillis, milliseconds(after))
}

func appendLast[T any](list []T, v T) []T {
	if len(list) == maxMeasurements {
		list = slices.Delete(list, 0, 1)
	}
	return append(list, v)
}

// StatsSnapshot is what was measured of the last talks, in milliseconds. Packets and frames are counted since the start.
type StatsSnapshot struct {
	Dialogs    int     `json:"talks"`    // that are held now
	Joined     int     `json:"attended"` // of them, those whose customer has come
	Spoken     int     `json:"spoken"`
	Typed      int     `json:"typed"`
	SpokenP50  Delay   `json:"spokenP50"`
	SpokenP95  Delay   `json:"spokenP95"`
	TypedP50   float64 `json:"typedP50"`
	TypedP95   float64 `json:"typedP95"`
	DuckedP50  float64 `json:"duckedP50"` // from the beginning of the customer's voice until the agent spoke more softly
	DuckedP95  float64 `json:"duckedP95"`
	HeldP50    float64 `json:"heldP50"` // from the beginning of the customer's voice until the agent was held
	HeldP95    float64 `json:"heldP95"`
	GapP95     float64 `json:"gapP95"`  // between two packets of speech, the worst of the talks
	Packets    int     `json:"packets"` // of speech, that were sent
	Late       int     `json:"late"`    // of them, more than 5 ms late
	Starved    int     `json:"starved"`
	Lost       int     `json:"lost"` // frames of the customers that had to be concealed
	Overloaded bool    `json:"overloaded"`
}

// Snapshot returns what was measured.
func (m *Stats) Snapshot() StatsSnapshot {
	if m == nil {
		return StatsSnapshot{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := StatsSnapshot{
		Dialogs: len(m.dialogs), Joined: m.joinedDialogs(), Spoken: len(m.spokenDelays), Typed: len(m.typedDelays),
		SpokenP50: delayAt(m.spokenDelays, 50), SpokenP95: delayAt(m.spokenDelays, 95),
		TypedP50: delayAt(m.typedDelays, 50).Total, TypedP95: delayAt(m.typedDelays, 95).Total,
		DuckedP50: percentile(m.duckMillis, 50), DuckedP95: percentile(m.duckMillis, 95),
		HeldP50: percentile(m.holdMillis, 50), HeldP95: percentile(m.holdMillis, 95),
	}
	sum := m.endedStats
	for t := range m.dialogs {
		s := t.room.Stats()
		out.GapP95 = max(out.GapP95, milliseconds(s.GapP95))
		addTo(&sum, s)
	}
	out.Packets, out.Late, out.Starved, out.Lost, out.Overloaded = sum.Sent, sum.SentLate, sum.Underruns, sum.Concealed, m.isOverloaded
	return out
}

// addTo adds what can be counted.
func addTo(sum *rtc.Stats, s rtc.Stats) {
	sum.Sent, sum.SentLate, sum.Underruns, sum.Concealed = sum.Sent+s.Sent, sum.SentLate+s.SentLate, sum.Underruns+s.Underruns, sum.Concealed+s.Concealed
}

func delayAt(list []Delay, percent int) Delay {
	of := func(field func(Delay) float64) float64 {
		values := make([]float64, len(list))
		for i, d := range list {
			values[i] = field(d)
		}
		return percentile(values, percent)
	}
	return Delay{
		Silence: of(func(d Delay) float64 { return d.Silence }), Hearing: of(func(d Delay) float64 { return d.Hearing }),
		Answer: of(func(d Delay) float64 { return d.Answer }), Piece: of(func(d Delay) float64 { return d.Piece }),
		Speech: of(func(d Delay) float64 { return d.Speech }), Output: of(func(d Delay) float64 { return d.Output }),
		Total: of(func(d Delay) float64 { return d.Total }),
	}
}

// percentile is the value below which so many percent of the values lie; 0 of none.
func percentile(values []float64, percent int) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}
