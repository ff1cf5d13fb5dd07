package voice

import (
	"slices"
	"sync"
	"time"

	"parley/internal/voice/rtc"
)

// timing are the moments of an answer, all of one clock.
type timing struct {
	typed bool
	voice time.Time // the customer's last sound
	end   time.Time // their turn was over
	text  time.Time // what they said was known
	token time.Time // the first text of the answer
	piece time.Time // the first piece of it was there
	sound time.Time // the first speech
	out   time.Time // the first packet left, or the first text was shown
}

// at notes the first of several moments.
func (m *timing) at(field *time.Time, when time.Time) {
	if field.IsZero() {
		*field = when
	}
}

// heard notes what an answer answers.
func (m *timing) heard(s *segment, now time.Time) {
	m.text = now
	if m.typed = s == nil; m.typed {
		m.voice, m.end = now, now
		return
	}
	m.voice, m.end = s.at.Add(-s.hang), s.at
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

func (m *timing) delay() Delay {
	last := m.voice
	step := func(at time.Time) float64 {
		if at.Before(last) { // it was passed over, or was ready before
			return 0
		}
		ms := millis(at.Sub(last))
		last = at
		return ms
	}
	d := Delay{Silence: step(m.end), Hearing: step(m.text), Answer: step(m.token), Piece: step(m.piece), Speech: step(m.sound), Output: step(m.out)}
	d.Total = millis(m.out.Sub(m.voice))
	return d
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// kept is how many of the last measurements of a kind count.
const kept = 512

// Meter measures the talks of this server. The zero value is ready; a nil one measures nothing. Run it, or it never finds the server
// full.
type Meter struct {
	Answered func(typed bool, d Delay) // is told of each answer that begins to be heard; must not wait; may be nil
	Held     func(after time.Duration) // is told how long it took to hold the agent; must not wait; may be nil

	// Load tells the share of the processors that this server used since the last call, 0 to 1; below 0 where it is
	// unknown. It may be nil.
	Load func() float64

	mu     sync.Mutex
	talks  map[*talk]*attendance
	past   rtc.Stats // of the talks that have ended
	looks  []look    // the last ones
	full   bool
	spoken []Delay   // of answers to what was said
	typed  []Delay   // of answers to what was typed
	ducks  []float64 // from the beginning of voice until the agent spoke more softly, in milliseconds
	holds  []float64 // the same until it was held
}

// attendance is what a Meter knows of a talk.
type attendance struct {
	joined bool      // its customer has come; before that it costs next to nothing
	last   rtc.Stats // at the last look
}

func (m *Meter) enter(t *talk) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.talks == nil {
		m.talks = map[*talk]*attendance{}
	}
	m.talks[t] = &attendance{}
}

// join notes that the customer of a talk has come.
func (m *Meter) join(t *talk) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if a := m.talks[t]; a != nil {
		a.joined = true
	}
}

// attended counts the talks whose customer has come; m.mu is held.
func (m *Meter) attended() (n int) {
	for _, a := range m.talks {
		if a.joined {
			n++
		}
	}
	return n
}

func (m *Meter) leave(t *talk) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, here := m.talks[t]; here {
		addTo(&m.past, t.room.Stats())
		delete(m.talks, t)
	}
}

// turn notes that an answer began to be heard.
func (m *Meter) turn(t *talk, s *saying) {
	if m == nil || s.question == "" {
		return
	}
	d := s.timing.delay()
	t.Logger.Debug("voice turn", "session", t.live.ID, "typed", s.timing.typed, "silence", d.Silence, "hearing", d.Hearing, "answer", d.Answer, "piece", d.Piece,
		"speech", d.Speech, "output", d.Output, "total", d.Total)
	if m.Answered != nil {
		m.Answered(s.timing.typed, d)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.timing.typed {
		m.typed = keepLast(m.typed, d)
	} else {
		m.spoken = keepLast(m.spoken, d)
	}
}

// ducked notes how long it took until the agent spoke more softly.
func (m *Meter) ducked(after time.Duration) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ducks = keepLast(m.ducks, millis(after))
}

// held notes how long it took to hold the agent.
func (m *Meter) held(after time.Duration) {
	if m == nil {
		return
	}
	if m.Held != nil {
		m.Held(after)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holds = keepLast(m.holds, millis(after))
}

func keepLast[T any](list []T, v T) []T {
	if len(list) == kept {
		list = slices.Delete(list, 0, 1)
	}
	return append(list, v)
}

// Measured is what was measured of the last talks, in milliseconds. Packets and frames are counted since the start.
type Measured struct {
	Talks      int     `json:"talks"`    // that are held now
	Attended   int     `json:"attended"` // of them, those whose customer has come
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

// Read gives what was measured.
func (m *Meter) Read() Measured {
	if m == nil {
		return Measured{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := Measured{
		Talks: len(m.talks), Attended: m.attended(), Spoken: len(m.spoken), Typed: len(m.typed),
		SpokenP50: delayAt(m.spoken, 50), SpokenP95: delayAt(m.spoken, 95),
		TypedP50: delayAt(m.typed, 50).Total, TypedP95: delayAt(m.typed, 95).Total,
		DuckedP50: percentile(m.ducks, 50), DuckedP95: percentile(m.ducks, 95),
		HeldP50: percentile(m.holds, 50), HeldP95: percentile(m.holds, 95),
	}
	sum := m.past
	for t := range m.talks {
		s := t.room.Stats()
		out.GapP95 = max(out.GapP95, millis(s.GapP95))
		addTo(&sum, s)
	}
	out.Packets, out.Late, out.Starved, out.Lost, out.Overloaded = sum.Sent, sum.Tardy, sum.Starved, sum.Lost, m.full
	return out
}

// addTo adds what can be counted.
func addTo(sum *rtc.Stats, s rtc.Stats) {
	sum.Sent, sum.Tardy, sum.Starved, sum.Lost = sum.Sent+s.Sent, sum.Tardy+s.Tardy, sum.Starved+s.Starved, sum.Lost+s.Lost
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
