// Package rtc is the WebRTC side of a voice session: the agent as a participant of a LiveKit room. It receives the
// user's microphone, plays speech, shows the agent's state and the transcript, and receives text. What the agent says,
// and when, is decided in internal/voice; the room between agent and user belongs to the LiveKit server.
package rtc

import (
	"context"
	"time"
)

// The audio that a Transport carries: PCM, signed 16 bit, one channel.
const (
	InputRate          = 16_000                // samples per second of the user's audio
	OutputRate         = 48_000                // samples per second of the agent's audio
	FrameTime          = 20 * time.Millisecond // the duration of a packet
	inputFrameSamples  = InputRate / 50        // samples of a frame of the user
	outputFrameSamples = OutputRate / 50       // samples of a frame of the agent
)

// The names that both ends of a session use, beside LiveKit's own conventions. The browser library has the same.
const (
	TopicText       = "lk.chat"          // text stream, user to agent: a typed message
	TopicTranscript = "lk.transcription" // text stream, agent to user: a segment of the transcript, whole each time
	TopicBye        = "parley.bye"       // data, user to agent, without content: I leave for good
	// data, agent to user: a line of text about a problem that does not end the session
	TopicFault      = "parley.error"
	AttributeState  = "lk.agent.state"     // the agent's state
	AttributeReason = "session.end_reason" // set before the agent leaves: why the session ended
	attributeID     = "lk.segment_id"
	attributeFinal  = "lk.transcription_final"
)

// Transport is the agent's end of one session. Its methods may be called from any goroutine and, except for End, do not
// wait for the network. Events and Audio must be read until they are closed.
type Transport interface {
	// Events returns what happens in the room, in order. The channel is closed when the agent has left.
	Events() <-chan Event
	// Audio returns the user's voice in frames of 20 ms at 16 kHz, in order, with what was lost concealed; nothing
	// comes while the microphone is muted. A reader that is a second late loses the oldest frames. The channel is
	// closed when the agent has left.
	Audio() <-chan Frame

	// Play queues a clip behind those queued before. EventStarted follows when its first packet has been sent, and
	// EventEnded when its last has been sent or it was cut.
	Play(Clip)
	// Duck lowers the volume (true), or restores it (false), from the next packet on.
	Duck(bool)
	// Pause pauses playback from the next packet on; Resume continues at the frame where it was paused.
	Pause()
	Resume()
	// Stop drops what is playing and what is queued, and ends ducking and pausing. No packet of it is sent after Stop
	// has returned. It returns the clip that was cut and how much of it had been sent; the ID is empty if nothing was
	// playing.
	Stop() Position
	// Position returns the clip that is playing, as Stop does, without stopping it.
	Position() Position

	// SetState shows what the agent is doing.
	SetState(State)
	// Transcript shows a segment of the transcript. The text is the whole of the segment so far and replaces what was
	// shown under the same ID.
	Transcript(Segment)
	// Fault reports a problem to the client that does not end the session, in words for people.
	Fault(message string)

	// End stops playback, shows the reason, waits until the server has received it (at most 300 ms) and leaves the
	// room. Later calls do nothing. The caller deletes the room.
	End(ctx context.Context, reason string)
	// LastMedia returns the time of the user's last sign: a sound or a text, or, while no sound can come from them
	// because their microphone is muted or they have none, their presence in the room. It is zero before the first. In
	// the latter case it takes some 20 s to notice that they have vanished.
	LastMedia() time.Time
	// Stats returns what was measured so far.
	Stats() Stats
}

// Frame is 20 ms of the user's voice: 320 samples. The receiver owns the samples.
type Frame struct {
	PCM       []int16
	At        time.Time // when its packet came, by Config.Now
	Concealed bool      // it was lost and is concealed
}

// Clip is one utterance: a sentence, or a clause.
type Clip struct {
	ID string
	// PCM carries samples at 48 kHz in chunks of any length; its sender closes it at the end. If chunks come too
	// slowly, silence is played meanwhile. After Stop, or at the end of the session, it is not read any more: a sender
	// must also watch for EventEnded, or use a context of its own.
	PCM <-chan []int16
}

// Position is how much of a clip has been sent, in the clip's own time.
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
	FromUser bool // said by the user; otherwise by the agent
	Text     string
	Final    bool // the text will not change again
}

// Event is something that happened in the room.
type Event struct {
	Kind     Kind
	At       time.Time // by Config.Now
	Text     string    // EventText: what the user typed
	Position           // EventStarted, EventEnded: the clip, and how much of it has been sent
	Complete bool      // EventEnded: all of the clip has been sent
}

// Kind says what an Event is.
type Kind int

// The kinds of events.
const (
	EventJoined Kind = iota + 1 // the user is in the room: for the first time, or again after having been away
	// the user's connection is lost; EventLeft follows after the grace period, unless they come back
	EventAway
	EventLeft    // the user has left for good
	EventMicOn   // the microphone can be heard: published, or unmuted
	EventMicOff  // the microphone is muted, possibly from the beginning, or gone
	EventText    // the user typed something
	EventStarted // the first packet of a clip has been sent
	EventEnded   // the last packet of a clip has been sent, or it was cut
	// the agent itself has lost the room (deleted, or its server gone); the channels close after it
	EventLost
)

// Stats is what a transport measured.
type Stats struct {
	Received   int           // packets of the user that were decoded
	Concealed  int           // frames of the user that had to be concealed
	Late       int           // packets of the user that came after they had been concealed
	Dropped    int           // frames of the user that were not read in time
	Sent       int           // packets of speech that were sent
	SentLate   int           // of them, those more than 5 ms late: the machine was busy
	Underruns  int           // ticks at which a clip was playing and had no samples
	GapP95     time.Duration // 95th percentile of the time between two packets of speech; 20 ms when all is well
	GapMax     time.Duration
	JoinTime   time.Duration // from the call to being in the room with a track
	Reconnects int           // how often the agent's own connection was restored
}
