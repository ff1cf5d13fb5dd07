package voice

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/voice/rtc"
	"parley/internal/voice/vad"
)

// dialog is the conversation of one session. One goroutine, run, owns it: everything that happens reaches it through
// channels.
type dialog struct {
	*Responder
	session  *Session
	settings *parley.VoiceSettings
	room     rtc.Transport
	ctx      context.Context
	location *time.Location
	channel  parley.Channel
	detector *vad.Detector // nil without speech recognition

	turnUpdates      chan turnUpdate      // of chat turns
	synthesisResults chan synthesisResult // of pieces whose synthesis has ended
	segmentTexts     chan segmentText     // what the customer said
	statusChanges    chan parley.ConversationStatus
	done             chan struct{}  // closed when nobody reads these channels any more
	work             sync.WaitGroup // goroutines of the dialog

	state            rtc.State
	joinedAt         time.Time // zero until the customer has joined
	hasGreeted       bool
	isMuted          bool          // there is or was a microphone, and it is off
	discardsAudio    bool          // audio is discarded: the agent speaks and may not be interrupted
	silentFor        time.Duration // since anybody spoke
	uncertainSound   time.Duration // of sound after that which may turn out to be no speech
	lastTick         time.Time     // time of the last tick
	playedTime       time.Duration
	segments         []*segment // of the customer that are not answered yet, oldest first
	overlap          *overlap
	recording        *recording // nil if nothing is recorded
	utterance        *utterance // what the agent says or is about to say; nil while it listens
	previous         *utterance // the last one that ended
	silentSince      time.Time  // when the agent fell silent
	unheardUtterance *utterance // was not heard at all: the next question is joined to its question
	typedTexts       []string   // typed texts that wait until the agent has finished
	faultTimes       map[string]time.Time
	endReason        parley.SessionEndReason // set once the dialog is to end
	isTakenOver      bool                    // a person has taken over
	takenOverAt      time.Time               // when that became known
	// the customer is being told, or was, that a person takes over: nothing is answered any more
	isHandingOver  bool
	isDisconnected bool      // the customer's connection is lost
	lastQuestion   string    // the last question
	lastAudioAt    time.Time // when the last sound came
	lastMediaAt    time.Time // of the last sign of the customer
}

// farewellTimeout limits the last sentence of a dialog.
const farewellTimeout = 30 * time.Second

// run runs the dialog until it ends.
func (d *dialog) run() error {
	followCtx, stop := context.WithCancel(d.ctx)
	defer stop()
	d.work.Go(func() { d.followConversation(followCtx) })
	tick := time.Tick(cmp.Or(d.TickInterval, 50*time.Millisecond))
	events, audio := d.room.Events(), d.room.Audio()
	for d.endReason == "" {
		select {
		case e, open := <-events:
			if !open {
				return errRoomLost
			}
			d.handleRoomEvent(e)
		case f, open := <-audio:
			if !open {
				audio = nil
				continue
			}
			d.handleAudio(f)
		case n := <-d.turnUpdates:
			d.handleTurnUpdate(n)
		case m := <-d.synthesisResults:
			d.handleSynthesis(m)
		case u := <-d.segmentTexts:
			d.handleSegmentText(u)
		case status := <-d.statusChanges:
			d.handleStatus(status)
		case <-tick:
		case <-d.ctx.Done():
			return nil
		}
		d.handleTick(d.Now())
		d.updateOverlap()
		d.advance()
	}
	return nil
}

var errRoomLost = errors.New("voice: the room is gone")

func (d *dialog) handleRoomEvent(e rtc.Event) {
	switch e.Kind {
	case rtc.EventJoined:
		d.isDisconnected = false
		d.session.MarkJoined()
		d.Stats.markDialogJoined(d)
		if d.joinedAt.IsZero() {
			d.joinedAt = d.Now()
			d.startRecording()
			if !d.lastAudioAt.IsZero() { // their microphone was published first
				d.greet()
			}
		}
	case rtc.EventAway: // they may come back within the grace period
		d.isDisconnected = true
	case rtc.EventLeft:
		if !d.isDisconnected { // otherwise they vanished, and were last seen before that
			d.session.MarkSeen()
		}
		d.end(parley.EndClientLeft)
	case rtc.EventMicOn:
		d.session.MarkSeen()
		d.isMuted = false
		d.greet()
	case rtc.EventMicOff:
		d.isMuted = true
		d.feedSilence(turnEndSilence)
	case rtc.EventText:
		d.session.MarkSeen()
		d.handleTyped(strings.TrimSpace(e.Text))
	case rtc.EventStarted:
		d.handleClipStarted(e)
	case rtc.EventEnded:
		d.handleClipEnded(e)
	case rtc.EventLost:
		d.end(parley.EndError)
	}
}

func (d *dialog) end(reason parley.SessionEndReason) {
	if d.endReason == "" {
		d.endReason = reason
	}
}

// greetingDelay is how long the agent waits before it greets a customer without a microphone: their browser is still
// connecting.
const greetingDelay = 600 * time.Millisecond

// greet says the initial message, once.
func (d *dialog) greet() {
	if d.hasGreeted || d.joinedAt.IsZero() {
		return
	}
	d.hasGreeted = true
	d.reportMissingFeatures()
	if text := strings.TrimSpace(d.settings.InitialMessage); text != "" && d.utterance == nil {
		d.announce(text, true)
	}
}

// reportMissingFeatures reports to the client what this session cannot do, because the server does not recognise or
// synthesize speech, or the agent accepts no typed messages.
func (d *dialog) reportMissingFeatures() {
	canHear, canSpeak, acceptsText := d.Transcriber != nil, d.Synthesizer != nil, d.settings.AllowTextInput
	switch {
	case canHear && canSpeak:
	case canHear:
		d.reportFault("This server has no speech synthesis: answers come as text.")
	case canSpeak && acceptsText:
		d.reportFault("This server has no speech recognition: please type. Answers are still spoken.")
	case acceptsText:
		d.reportFault("This server has no speech recognition and no speech synthesis: please type. " +
			"Answers come as text.")
	default:
		d.reportFault("This server has no speech recognition, and this agent takes no typed messages: nothing that " +
			"you say reaches it.")
	}
}

// faultRepeatInterval is how long the same fault is not reported again.
const faultRepeatInterval = 30 * time.Second

func (d *dialog) reportFault(message string) {
	now := d.Now()
	if at, isKnown := d.faultTimes[message]; isKnown && now.Sub(at) < faultRepeatInterval {
		return
	}
	if d.faultTimes == nil {
		d.faultTimes = map[string]time.Time{}
	}
	d.faultTimes[message] = now
	d.room.Fault(message)
}

// showState shows the client what the agent is doing, if that has changed.
func (d *dialog) showState() {
	state := rtc.Listening
	switch {
	case d.joinedAt.IsZero():
		state = rtc.Initializing
	case d.utterance != nil && !d.utterance.startedAt.IsZero():
		state = rtc.Speaking
	case d.utterance != nil:
		state = rtc.Thinking
	}
	if state != d.state {
		d.state = state
		d.room.SetState(state)
	}
}

// advance goes on with the utterance, and begins what was waiting for its end.
func (d *dialog) advance() {
	if s := d.utterance; s != nil {
		d.queuePieces(s)
		if s.isDone() {
			d.finishUtterance(s)
		}
	}
	if d.utterance == nil && d.isTakenOver {
		d.handOver()
	}
	if d.utterance == nil && len(d.typedTexts) > 0 && d.endReason == "" {
		text := strings.Join(d.typedTexts, "\n")
		d.typedTexts = nil
		d.answerQuestion(text, nil)
	}
	d.showState()
}

func (d *dialog) handleTyped(text string) { //nolint:revive // type is a word of the language
	text = strings.ToValidUTF8(text, "")
	switch {
	case text == "":
		return
	case !d.settings.AllowTextInput:
		d.reportFault("This agent takes no typed messages.")
		return
	case len(text) > maxTypedBytes:
		d.reportFault("This message is too long.")
		return
	}
	if !d.hasGreeted {
		d.hasGreeted = true
		d.reportMissingFeatures()
	}
	d.silentFor = 0
	d.room.Transcript(rtc.Segment{ID: parley.NewUUID(), FromUser: true, Text: text, Final: true})
	switch {
	case d.isHandingOver:
		d.storeForPerson(text)
	case d.utterance == nil:
		d.answerQuestion(text, nil)
	case d.settings.AllowInterruptions || d.utterance.startedAt.IsZero():
		d.interrupt(d.utterance)
		d.answerQuestion(text, nil)
	default:
		d.typedTexts = append(d.typedTexts, text)
	}
}

// maxTypedBytes bounds a typed message, in bytes.
const maxTypedBytes = 8000

const (
	// without any packet: browsers send none while it is silent or the microphone is muted
	microphoneGap  = 300 * time.Millisecond
	turnEndSilence = 4 * time.Second // of silence ends every turn
)

// feedSilence passes silence to the detector when no audio comes, so that the segment ends.
func (d *dialog) feedSilence(length time.Duration) {
	if d.detector == nil {
		return
	}
	silence := make([]int16, rtc.InputRate/50)
	for ; length > 0 && d.detector.IsSpeaking(); length -= rtc.FrameTime {
		for _, e := range d.detector.Process(silence) {
			d.handleDetection(e, d.Now())
		}
	}
}

// handleTick does what depends on time: the greeting of a customer without a microphone, silence, and a farewell that
// takes too long.
func (d *dialog) handleTick(now time.Time) {
	passed := now.Sub(d.lastTick)
	d.lastTick = now
	d.writeRecording(now)
	if d.joinedAt.IsZero() {
		return
	}
	if !d.hasGreeted && now.Sub(d.joinedAt) >= greetingDelay {
		d.greet()
	}
	d.enforceHandoverTimeout(now)
	if at := d.room.LastMedia(); at.After(d.lastMediaAt) {
		d.lastMediaAt = at
		d.session.MarkSeen()
	}
	// otherwise it is this goroutine that is late
	if gap := now.Sub(d.lastAudioAt); gap > microphoneGap && !d.lastAudioAt.IsZero() && len(d.room.Audio()) == 0 {
		d.feedSilence(gap)
		d.lastAudioAt = now
	}
	d.addSilence(passed)
}

// addSilence adds up how long nobody has spoken, and ends the dialog when that is too long. While the agent speaks or
// thinks there is no silence, and while the microphone is muted the timer is paused. It is also paused while somebody
// seems to speak, until that is certain.
func (d *dialog) addSilence(passed time.Duration) {
	switch {
	case d.utterance != nil:
		d.silentFor, d.uncertainSound = 0, 0
	case len(d.segments) > 0:
		d.uncertainSound += passed
	case !d.isMuted:
		d.silentFor += passed
	}
	if limit := d.settings.Silence(); limit > 0 && d.silentFor >= limit {
		d.end(parley.EndSilence)
	}
}

// addRejectedSilence adds to the silence the sound that turned out to be no speech; speech that is being answered is
// not in d.segments any more.
func (d *dialog) addRejectedSilence() {
	if len(d.segments) == 0 {
		d.silentFor, d.uncertainSound = d.silentFor+d.uncertainSound, 0
	}
}
