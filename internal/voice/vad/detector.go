// Package vad detects voice among everything else that a microphone picks up, and when a speaker has finished. It works
// on PCM alone, without learned weights, clocks or goroutines: the same samples yield the same events.
package vad

import "time"

// Rate is the sample rate of a Detector: samples per second, signed 16 bit, one channel.
const Rate = 16_000

const (
	frameTime    = 20 * time.Millisecond
	frameSamples = Rate / 50
	preRoll      = 300 * time.Millisecond // kept from before the voice began
	maxTurnTime  = time.Minute            // a longer turn is split
)

// Config configures a Detector (docs/interface/voice.md#transcriber). The zero value means the defaults.
type Config struct {
	// MinSilence is minSilenceDuration: how long a speaker must be silent before the turn may end. Default 300 ms. If
	// the text looks complete the turn ends after at most 280 ms; if not, later (see SetCompleteness).
	MinSilence time.Duration
	// Threshold is activationThreshold, 0 to 1: how clear a voice must be. Default 0.5; 0 stands for the default too.
	Threshold float64
}

// Kind says what an Event is.
type Kind int

// The kinds of events. A turn is Onset, then any number of Pause and Resume, then End; or Onset and Noise.
const (
	Onset  Kind = iota + 1 // somebody has begun to speak, 80 to 120 ms ago: PCM holds what led up to it
	Pause                  // the speaker has been silent for a moment: time to transcribe; PCM holds the turn so far
	Resume                 // the speaker continues after a Pause
	End                    // the turn is over; PCM holds all of it
	Noise                  // the turn was too short to be a word, or an instrument: discard it
)

// Event is something that a Detector has detected. Times are positions in the stream since New.
type Event struct {
	Kind      Kind
	At        time.Duration // now
	Voiced    time.Duration // how much of the turn was voice, without its pauses
	Silence   time.Duration // how long ago the last voice was
	PCM       []int16       // Onset, Pause, End; the receiver owns it
	Truncated bool          // End: the turn was cut because it was too long; the speaker goes on
}

// Detector processes the audio of one speaker. It is not safe for concurrent use.
type Detector struct {
	partialFrame []int16 // less than a frame, waiting for the rest
	position     time.Duration
	classifier   classifier
	turn         speakerTurn
}

// New returns a Detector.
func New(c Config) *Detector {
	if c.Threshold == 0 {
		c.Threshold = 0.5
	}
	if c.MinSilence == 0 {
		c.MinSilence = 300 * time.Millisecond
	}
	return &Detector{classifier: newClassifier(c.Threshold), turn: speakerTurn{minSilence: c.MinSilence}}
}

// Process processes the next samples, in chunks of any length, and returns what was detected in them, in order.
func (d *Detector) Process(pcm []int16) []Event {
	var events []Event
	d.partialFrame = append(d.partialFrame, pcm...)
	for len(d.partialFrame) >= frameSamples {
		frame := d.partialFrame[:frameSamples]
		d.position += frameTime
		for _, event := range d.turn.addFrame(frame, d.classifier.classify(frame), d.position) {
			if event.Kind == Onset {
				d.classifier.timbre.resetCounts()
			}
			events = append(events, event)
		}
		d.partialFrame = d.partialFrame[frameSamples:]
	}
	d.partialFrame = append([]int16(nil), d.partialFrame...)
	return events
}

// SetCompleteness sets how complete the text of the turn looks so far, which determines how long a silence ends the
// turn. It holds until the speaker continues or the turn ends.
func (d *Detector) SetCompleteness(l Completeness) { d.turn.completeness = l }

// VoicedTime returns how much of the present turn was voice; zero between turns.
func (d *Detector) VoicedTime() time.Duration { return d.turn.voiced }

// IsSpeaking reports whether a turn is going on.
func (d *Detector) IsSpeaking() bool { return d.turn.isSpeaking }

// Reset discards the current turn without an event. The estimate of the noise stays.
func (d *Detector) Reset() {
	d.turn.reset()
	d.classifier.reset()
	d.partialFrame = nil
}
