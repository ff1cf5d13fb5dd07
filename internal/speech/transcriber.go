package speech

import (
	"context"
	"iter"
	"sync"
	"time"

	"parley/internal/audio"
)

// SampleRate is the rate of all sound that is transcribed: samples per second.
const SampleRate = 16_000

// Transcriber turns a segment of speech into text.
type Transcriber interface {
	// Transcribe returns what was understood so far, as often as the engine tells, and then the final transcript;
	// nothing follows that, or an error. Stopping the iteration or cancelling ctx ends the call.
	//
	// Every failure is a *parley.Error whose Message may be shown to the user.
	Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error]
}

// Segment is what somebody said, from before the first word until after the last.
type Segment struct {
	TranscriptionHints
	PCM []int16 // at SampleRate
}

func (s Segment) Duration() time.Duration { return audio.Duration(len(s.PCM), SampleRate) }

// TranscriptionHints are what is known of speech beforehand.
type TranscriptionHints struct {
	Model    string // the agent's name of it for Engines, an engine's own for the engine; empty is its default
	Language string // BCP 47 tag; empty or "multi" where it is not known
	Speaker  string // whose segments may follow each other on one connection; empty for nobody's
}

// Transcript is what was understood.
type Transcript struct {
	Text    string // all of it, not only what is new; may be empty
	IsFinal bool   // nothing more comes
	IsPause bool   // the engine takes the speaker to have paused here
}

// LiveTranscriber is a Transcriber that transcribes speech while it is spoken.
type LiveTranscriber interface {
	Transcriber

	// StartTranscription begins to transcribe a segment and does not wait. Interim is called, from another goroutine,
	// with what was understood so far; it should be quick. The transcription ends with ctx too.
	StartTranscription(ctx context.Context, h TranscriptionHints, interim func(Transcript)) LiveTranscription
}

// LiveTranscription is a segment that is being spoken.
type LiveTranscription interface {
	// Add takes the next samples, at SampleRate, and does not wait.
	Add(samples []int16)
	// End is called when all was added, and returns the whole text. A failure is a *parley.Error.
	End(ctx context.Context) (text string, err error)
	// Close ends the transcription and frees what it holds.
	Close()
}

// MaxSegmentDuration bounds a segment; what comes later is ignored.
const MaxSegmentDuration = 10 * time.Minute

// AudioBuffer is the sound of a segment, which may grow while it is sent.
type AudioBuffer struct {
	mu      sync.Mutex
	samples []int16
	isEnded bool
	updates chan struct{} // holds a token when the buffer has changed
}

// NewAudioBuffer returns a buffer of the samples.
func NewAudioBuffer(samples []int16, ended bool) *AudioBuffer {
	return &AudioBuffer{samples: samples, isEnded: ended, updates: make(chan struct{}, 1)}
}

// Append adds samples; isEnded says that they are the last.
func (b *AudioBuffer) Append(samples []int16, ended bool) {
	b.mu.Lock()
	if b.isEnded = b.isEnded || ended; audio.Duration(len(b.samples), SampleRate) < MaxSegmentDuration {
		b.samples = append(b.samples, samples...)
	}
	b.mu.Unlock()
	select {
	case b.updates <- struct{}{}:
	default:
	}
}

// SamplesFrom returns the samples behind the first n, and whether they are the last.
func (b *AudioBuffer) SamplesFrom(n int) (samples []int16, ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.samples[n:len(b.samples):len(b.samples)], b.isEnded
}

// Updates returns a channel that holds a token when the buffer has changed.
func (b *AudioBuffer) Updates() <-chan struct{} { return b.updates }
