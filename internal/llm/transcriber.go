package llm

import (
	"context"
	"iter"
	"sync"
	"time"

	"parley/internal/pcm"
)

// HearingRate is the rate of all sound that is transcribed: samples per second.
const HearingRate = 16_000

// Transcriber turns a segment of speech into text.
type Transcriber interface {
	// Transcribe gives what was understood so far, as often as the engine tells, and then the final transcript; nothing follows
	// that, or an error. Stopping the iteration or cancelling ctx ends the call.
	//
	// Every failure is a *parley.Error whose Message may be shown to the user.
	Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error]
}

// Segment is what somebody said, from before the first word until after the last.
type Segment struct {
	Hints
	PCM []int16 // at HearingRate
}

func (s Segment) duration() time.Duration { return pcm.Duration(len(s.PCM), HearingRate) }

// Hints are what is known of speech before it is heard.
type Hints struct {
	Model    string // Speech takes the name that the agent has chosen, an engine its own; empty is a usual one
	Language string // BCP 47 tag; empty or "multi" where it is not known
	Speaker  string // whose segments may follow each other on one connection; empty for nobody's
}

// Transcript is what was understood.
type Transcript struct {
	Text  string // all of it, not only what is new; may be empty
	Final bool   // nothing more comes
	Pause bool   // the engine takes the speaker to have paused here
}

// Listener is a Transcriber that hears speech while it is spoken.
type Listener interface {
	Transcriber

	// Listen begins to hear a segment and does not wait. Interim is called, from another goroutine, with what was understood so
	// far; it should be quick. The hearing ends with ctx too.
	Listen(ctx context.Context, h Hints, interim func(Transcript)) Dictation
}

// Dictation is a segment that is being spoken.
type Dictation interface {
	// Add takes the next samples, at HearingRate, and does not wait.
	Add(samples []int16)
	// End says that all was added, and gives the whole text. A failure is a *parley.Error.
	End(ctx context.Context) (text string, err error)
	// Close ends the hearing and frees what it holds.
	Close()
}

// longestHearing bounds a segment; what comes later is not listened to.
const longestHearing = 10 * time.Minute

// tape is the sound of a segment, which may grow while it is sent.
type tape struct {
	mu    sync.Mutex
	pcm   []int16
	ended bool
	more  chan struct{} // holds a token when there is news
}

func newTape(samples []int16, ended bool) *tape {
	return &tape{pcm: samples, ended: ended, more: make(chan struct{}, 1)}
}

func (t *tape) add(samples []int16, ended bool) {
	t.mu.Lock()
	if t.ended = t.ended || ended; pcm.Duration(len(t.pcm), HearingRate) < longestHearing {
		t.pcm = append(t.pcm, samples...)
	}
	t.mu.Unlock()
	select {
	case t.more <- struct{}{}:
	default:
	}
}

// from gives the samples behind the first n, and whether they are the last.
func (t *tape) from(n int) (samples []int16, ended bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pcm[n:len(t.pcm):len(t.pcm)], t.ended
}
