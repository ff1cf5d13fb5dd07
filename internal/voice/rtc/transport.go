// Package rtc is the WebRTC side of a voice session: the agent as a participant of a LiveKit room. It hears the user's
// microphone, plays speech, shows the agent's state and the transcript, and takes text. What the agent says, and when, is
// decided above, in internal/voice; the room between agent and user is the LiveKit server's.
package rtc

import (
	"context"
	"time"
)

// The sound that crosses a Transport: PCM, signed 16 bit, one channel.
const (
	InputRate          = 16_000                // samples per second of what is heard
	OutputRate         = 48_000                // samples per second of what is played
	FrameTime          = 20 * time.Millisecond // what one packet holds
	inputFrameSamples  = InputRate / 50        // samples of a frame that is heard
	outputFrameSamples = OutputRate / 50       // samples of a frame that is played
)

// What the two ends of a session agree on beside LiveKit's own conventions. The browser library uses the same words.
const (
	TopicText       = "lk.chat"            // text stream, user to agent: a typed message
	TopicTranscript = "lk.transcription"   // text stream, agent to user: a segment of the transcript, whole each time
	TopicBye        = "parley.bye"         // data, user to agent, without content: I leave for good
	TopicFault      = "parley.error"       // data, agent to user: a line of text about a problem that does not end the session
	AttributeState  = "lk.agent.state"     // the agent's state
	AttributeReason = "session.end_reason" // set before the agent leaves: why the session ended
	attributeID     = "lk.segment_id"
	attributeFinal  = "lk.transcription_final"
	attributeTrack  = "lk.transcribed_track_id"
)

// Transport is the agent's end of one session. Its methods may be called from any goroutine and do not wait for the network,
// but for End. Events and Audio must be read until they are closed.
type Transport interface {
	// Events tells what happens in the room, in order. It is closed when the agent has left.
	Events() <-chan Event
	// Audio returns the user's voice in frames of 20 ms at 16 kHz, in order, with what was lost concealed; nothing comes while
	// the microphone is muted. A reader that is a second late loses the oldest frames. It is closed when the agent has left.
	Audio() <-chan Frame

	// Play queues a clip; it is heard after those queued before it. EventStarted tells when its first packet has left, and
	// EventEnded that its last has, or that it was cut.
	Play(Clip)
	// Duck lowers the sound of what is played (true), or restores it (false), from the next packet on.
	Duck(bool)
	// Pause holds the output from the next packet on; Resume plays on from the frame that was held.
	Pause()
	Resume()
	// Stop drops what is playing and what is queued, unducks and unpauses. No packet of it leaves after Stop has returned. It
	// gives the clip that was cut and how much of it had left; the ID is empty when nothing was playing.
	Stop() Position
	// Position returns the clip that is playing, as Stop does, and stops nothing.
	Position() Position

	// SetState shows what the agent is doing.
	SetState(State)
	// Transcript shows a segment of the transcript. The text is the whole of the segment so far and replaces what was shown
	// under the same ID.
	Transcript(Segment)
	// Fault tells the client about a problem that does not end the session, in words for people.
	Fault(message string)

	// End stops the output, shows the reason, waits until the server has taken it (at most 300 ms) and leaves the room. Later
	// calls do nothing. Deleting the room is the caller's.
	End(ctx context.Context, reason string)
	// LastMedia is when the user was last heard of: by a sound or a text, or, as long as no sound can come of them because their microphone
	// is muted or they have none, by being in the room. It is zero before the first. Who vanishes then is found missing after 20 s or so.
	LastMedia() time.Time
	// Stats returns what was measured so far.
	Stats() Stats
}

// Frame is 20 ms of the user's voice: 320 samples. The receiver owns the samples.
type Frame struct {
	PCM       []int16
	At        time.Time // when its packet came, on the clock that was handed in
	Concealed bool      // it was lost, and is a guess
}

// Clip is one utterance: a sentence, or a clause.
type Clip struct {
	ID string
	// PCM returns samples at 48 kHz in pieces of any length; its sender closes it at the end. Where pieces come too slowly the
	// output is silent meanwhile. After Stop, or at the end of the session, it is no longer read: a sender must also watch for
	// EventEnded, or keep a context of its own.
	PCM <-chan []int16
}

// Position is how much of a clip has left, in the clip's own time.
type Position struct {
	ID     string
	Played time.Duration
}

// State is what the agent is doing, in LiveKit's words (docs/interface/voice.md#agent-state).
type State string

// The states of an agent.
const (
	Initializing State = "initializing"
	Listening    State = "listening"
	Thinking     State = "thinking"
	Speaking     State = "speaking"
)

// Segment is a piece of the transcript (docs/interface/voice.md#transcript).
type Segment struct {
	ID       string
	FromUser bool // said by the user; else by the agent
	Text     string
	Final    bool // the text will not change again
}

// Event is something that happened in the room.
type Event struct {
	Kind     Kind
	At       time.Time // on the clock that was handed in
	Text     string    // EventText: what the user typed
	Position           // EventStarted, EventEnded: the clip, and how much of it has left
	Complete bool      // EventEnded: all of the clip has left
}

// Kind says what an Event is.
type Kind int

// The kinds of events.
const (
	EventJoined  Kind = iota + 1 // the user is in the room: for the first time, or again after having been away
	EventAway                    // the user's connection is gone; EventLeft follows after the grace, unless they come back
	EventLeft                    // the user has left for good
	EventMicOn                   // the microphone can be heard: published, or unmuted
	EventMicOff                  // the microphone is muted, be it from the beginning, or gone
	EventText                    // the user typed something
	EventStarted                 // the first packet of a clip has left
	EventEnded                   // the last packet of a clip has left, or it was cut
	EventLost                    // the agent itself has lost the room (deleted, or its server gone); the channels close after it
)

// Stats is what a transport measured.
type Stats struct {
	Received   int           // packets of the user that were decoded
	Concealed  int           // frames of the user that had to be concealed
	Late       int           // packets of the user that came after they had been concealed
	Dropped    int           // frames of the user that nobody took in time
	Sent       int           // packets of speech that have left
	SentLate   int           // of them, packets that left more than 5 ms after their beat: the machine was busy
	Underruns  int           // ticks at which a clip was playing and had nothing ready
	GapP95     time.Duration // 95th percentile of the time between two packets of speech; 20 ms when all is well
	GapMax     time.Duration
	JoinTime   time.Duration // from the call to being in the room with a track
	Reconnects int           // how often the agent's own connection was restored
}
