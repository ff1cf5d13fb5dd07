package voice

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"parley/internal/voice/rtc"
)

// answerTiming holds when the steps of an answer happened, all by one clock.
type answerTiming struct {
	isTyped       bool
	lastVoiceAt   time.Time // the customer's last voice
	turnEndAt     time.Time // their turn was over
	textAt        time.Time // what they said was transcribed
	firstTextAt   time.Time // the first text of the answer came
	firstPieceAt  time.Time // its first piece was complete
	firstSpeechAt time.Time // its first speech was synthesized
	firstOutputAt time.Time // its first packet was sent, or its first text was shown
}

func setFirst(field *time.Time, when time.Time) { *field = cmp.Or(*field, when) }

// markQuestion records when the question was asked; s is nil for one that was typed.
func (a *answerTiming) markQuestion(spoken *segment, now time.Time) {
	a.textAt = now
	if a.isTyped = spoken == nil; a.isTyped {
		a.lastVoiceAt, a.turnEndAt = now, now
		return
	}
	a.lastVoiceAt, a.turnEndAt = spoken.endedAt.Add(-spoken.trailingSilence), spoken.endedAt
}

// Delay is how the time from the end of the customer's speech to the first sound of the answer was spent, in
// milliseconds.
type Delay struct {
	Silence float64 `json:"silence"` // until the turn was considered over
	Hearing float64 `json:"hearing"` // until the speech was transcribed
	Answer  float64 `json:"answer"`  // until the first text of the answer came
	Piece   float64 `json:"piece"`   // until there was enough of it to speak
	Speech  float64 `json:"speech"`  // until its first speech was synthesized
	Output  float64 `json:"output"`  // until the first packet was sent
	Total   float64 `json:"total"`
}

func (a *answerTiming) delay() Delay {
	last := a.lastVoiceAt
	step := func(at time.Time) float64 {
		if at.Before(last) { // the step was skipped, or was done before
			return 0
		}
		ms := milliseconds(at.Sub(last))
		last = at
		return ms
	}
	out := Delay{Silence: step(a.turnEndAt), Hearing: step(a.textAt), Answer: step(a.firstTextAt),
		Piece: step(a.firstPieceAt), Speech: step(a.firstSpeechAt), Output: step(a.firstOutputAt)}
	out.Total = milliseconds(a.firstOutputAt.Sub(a.lastVoiceAt))
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// maxMeasurements is how many measurements of a kind are kept.
const maxMeasurements = 512

// Stats measures the dialogs of this server. The zero value is ready to use. Without Run it never reports an overload.
type Stats struct {
	OnAnswer func(typed bool, d Delay) // called when the customer begins to hear an answer; must not block; may be nil
	OnHold   func(after time.Duration) // called with how long it took to pause the agent; must not block; may be nil

	// ProcessorLoad returns the share of the processors that this server used since the last call, 0 to 1; below 0 if
	// it is unknown. It may be nil.
	ProcessorLoad func() float64

	mu           sync.Mutex
	dialogs      map[*dialog]*dialogStats
	ended        StatsSnapshot // the counts of the dialogs that have ended
	loadSamples  []loadSample  // the latest ones
	isOverloaded bool
	spokenDelays []Delay   // of answers to speech
	typedDelays  []Delay   // of answers to typed text
	duckMillis   []float64 // from the beginning of voice until the agent's volume was lowered, in milliseconds
	holdMillis   []float64 // the same until playback was paused
}

// dialogStats is what Stats knows of a dialog.
type dialogStats struct {
	hasJoined bool      // its customer has joined; before that it costs next to nothing
	lastStats rtc.Stats // at the last sample
}

func (st *Stats) addDialog(t *dialog) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.dialogs == nil {
		st.dialogs = map[*dialog]*dialogStats{}
	}
	st.dialogs[t] = &dialogStats{}
}

// markDialogJoined records that the customer of a dialog has joined.
func (st *Stats) markDialogJoined(t *dialog) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if a := st.dialogs[t]; a != nil {
		a.hasJoined = true
	}
}

// joinedDialogs returns the number of dialogs whose customer has joined. st.mu is locked.
func (st *Stats) joinedDialogs() (n int) {
	for _, a := range st.dialogs {
		if a.hasJoined {
			n++
		}
	}
	return n
}

func (st *Stats) removeDialog(t *dialog) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if _, ok := st.dialogs[t]; ok {
		st.ended.add(t.room.Stats())
		delete(st.dialogs, t)
	}
}

// recordAnswer records that the customer begins to hear an answer.
func (st *Stats) recordAnswer(t *dialog, s *utterance) {
	if s.question == "" {
		return
	}
	d := s.timing.delay()
	t.Logger.Debug("voice turn", "session", t.session.ID, "typed", s.timing.isTyped, "silence", d.Silence, "hearing",
		d.Hearing, "answer", d.Answer, "piece", d.Piece, "speech", d.Speech, "output", d.Output, "total", d.Total)
	if st.OnAnswer != nil {
		st.OnAnswer(s.timing.isTyped, d)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if s.timing.isTyped {
		st.typedDelays = appendLast(st.typedDelays, d)
	} else {
		st.spokenDelays = appendLast(st.spokenDelays, d)
	}
}

// recordDuck records how long it took to lower the agent's volume.
func (st *Stats) recordDuck(after time.Duration) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.duckMillis = appendLast(st.duckMillis, milliseconds(after))
}

func (st *Stats) recordHold(after time.Duration) {
	if st.OnHold != nil {
		st.OnHold(after)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.holdMillis = appendLast(st.holdMillis, milliseconds(after))
}

func appendLast[T any](list []T, v T) []T {
	if len(list) == maxMeasurements {
		list = slices.Delete(list, 0, 1)
	}
	return append(list, v)
}

// StatsSnapshot is what was measured of the latest dialogs, in milliseconds. Packets and frames are counted since the
// start.
type StatsSnapshot struct {
	Dialogs   int     `json:"talks"`    // active now
	Joined    int     `json:"attended"` // of them, those whose customer has joined
	Spoken    int     `json:"spoken"`
	Typed     int     `json:"typed"`
	SpokenP50 Delay   `json:"spokenP50"`
	SpokenP95 Delay   `json:"spokenP95"`
	TypedP50  float64 `json:"typedP50"`
	TypedP95  float64 `json:"typedP95"`
	// from the beginning of the customer's voice until the agent's volume was lowered
	DuckedP50  float64 `json:"duckedP50"`
	DuckedP95  float64 `json:"duckedP95"`
	HeldP50    float64 `json:"heldP50"` // from the beginning of the customer's voice until playback was paused
	HeldP95    float64 `json:"heldP95"`
	GapP95     float64 `json:"gapP95"`  // between two packets of speech, in the worst dialog
	Packets    int     `json:"packets"` // of speech that were sent
	Late       int     `json:"late"`    // of them, more than 5 ms late
	Starved    int     `json:"starved"`
	Lost       int     `json:"lost"` // frames of customers that had to be concealed
	Overloaded bool    `json:"overloaded"`
}

// Snapshot returns what was measured; a nil Stats has measured nothing.
func (st *Stats) Snapshot() StatsSnapshot {
	if st == nil {
		return StatsSnapshot{}
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	out := st.ended
	out.Dialogs, out.Joined, out.Overloaded = len(st.dialogs), st.joinedDialogs(), st.isOverloaded
	out.Spoken, out.Typed = len(st.spokenDelays), len(st.typedDelays)
	out.SpokenP50, out.SpokenP95 = delayAt(st.spokenDelays, 50), delayAt(st.spokenDelays, 95)
	out.TypedP50, out.TypedP95 = delayAt(st.typedDelays, 50).Total, delayAt(st.typedDelays, 95).Total
	out.DuckedP50, out.DuckedP95 = percentile(st.duckMillis, 50), percentile(st.duckMillis, 95)
	out.HeldP50, out.HeldP95 = percentile(st.holdMillis, 50), percentile(st.holdMillis, 95)
	for t := range st.dialogs {
		s := t.room.Stats()
		out.GapP95 = max(out.GapP95, milliseconds(s.GapP95))
		out.add(s)
	}
	return out
}

func (s *StatsSnapshot) add(t rtc.Stats) {
	s.Packets += t.Sent
	s.Late += t.SentLate
	s.Starved += t.Underruns
	s.Lost += t.Concealed
}

func delayAt(list []Delay, percent int) Delay {
	var columns [7][]float64
	for _, d := range list {
		for i, v := range []float64{d.Silence, d.Hearing, d.Answer, d.Piece, d.Speech, d.Output, d.Total} {
			columns[i] = append(columns[i], v)
		}
	}
	at := func(i int) float64 { return percentile(columns[i], percent) }
	return Delay{at(0), at(1), at(2), at(3), at(4), at(5), at(6)}
}

// percentile returns the value below which so many percent of the values are; 0 if there are none.
func percentile(values []float64, percent int) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

// When a server accepts no further sessions. It is judged by the samples of a few seconds; an overloaded server stays
// so until it has clearly recovered, so that the state does not flap.
const (
	loadSampleInterval = time.Second
	maxLoadSamples     = 5

	// with a customer; fewer are always accepted: a machine on which those starve cannot serve voice
	alwaysAdmittedDialogs = 2
	minPacketsSent        = 100 // packets of speech, of all dialogs, after which their lateness is significant
	maxLateShare          = .05 // of the packets: the 95th percentile of the gaps exceeds 25 ms
	recoveredLateShare    = .02

	// that a processor can carry in any case: with fewer, something else keeps it busy, and may yield
	minBusyDialogs         = 4
	maxProcessorLoad       = .90
	recoveredProcessorLoad = .75
)

// loadSample is what happened since the previous sample.
type loadSample struct {
	sent, late int     // packets of speech
	load       float64 // share of the processors that this server used; below 0 if unknown
}

// Run samples the load until ctx is done.
func (st *Stats) Run(ctx context.Context) error {
	if st == nil {
		<-ctx.Done()
		return nil
	}
	for tick := time.Tick(loadSampleInterval); ; {
		select {
		case <-tick:
			st.SampleLoad()
		case <-ctx.Done():
			return nil
		}
	}
}

// SampleLoad measures the load since the last call and decides whether the server is overloaded. Run calls it every
// second.
func (st *Stats) SampleLoad() {
	now := loadSample{load: st.processorLoad()}
	st.mu.Lock()
	defer st.mu.Unlock()
	for t, a := range st.dialogs {
		s := t.room.Stats()
		now.sent, now.late = now.sent+s.Sent-a.lastStats.Sent, now.late+s.SentLate-a.lastStats.SentLate
		a.lastStats = s
	}
	if len(st.loadSamples) == maxLoadSamples {
		st.loadSamples = st.loadSamples[1:]
	}
	st.loadSamples = append(st.loadSamples, now)
	st.isOverloaded = st.joinedDialogs() >= alwaysAdmittedDialogs && (st.packetsAreLate() || st.processorsAreBusy())
}

// processorLoad returns the load of the processors if there are dialogs for which it matters, and -1 otherwise.
func (st *Stats) processorLoad() float64 {
	st.mu.Lock()
	joined := st.joinedDialogs()
	st.mu.Unlock()
	if st.ProcessorLoad == nil || joined < alwaysAdmittedDialogs {
		return -1
	}
	return st.ProcessorLoad()
}

// IsOverloaded reports whether this server cannot serve another dialog well: too many packets of speech are late, or
// many dialogs nearly use up the processors. Those that nobody has joined do not count. It is the IsOverloaded of
// Sessions.
func (st *Stats) IsOverloaded() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.isOverloaded
}

// packetsAreLate reports whether too many packets of speech are sent late.
func (st *Stats) packetsAreLate() bool {
	var sent, late int
	for _, l := range st.loadSamples {
		sent, late = sent+l.sent, late+l.late
	}
	limit := maxLateShare
	if st.isOverloaded {
		limit = recoveredLateShare
	}
	return sent >= minPacketsSent && float64(late) > limit*float64(sent)
}

// processorsAreBusy reports whether this server keeps the processors busy, and does so with dialogs. What other
// programs use does not count: if they leave too little, packets are late.
func (st *Stats) processorsAreBusy() bool {
	var sum, known float64
	for _, l := range st.loadSamples {
		if l.load >= 0 {
			sum, known = sum+l.load, known+1
		}
	}
	limit := maxProcessorLoad
	if st.isOverloaded {
		limit = recoveredProcessorLoad
	}
	return st.joinedDialogs() >= minBusyDialogs*runtime.GOMAXPROCS(0) && known*2 > maxLoadSamples && sum > limit*known
}
