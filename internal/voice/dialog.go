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
func (t *dialog) run() error {
	followCtx, stop := context.WithCancel(t.ctx)
	defer stop()
	t.work.Go(func() { t.followConversation(followCtx) })
	tick := time.Tick(cmp.Or(t.TickInterval, 50*time.Millisecond))
	events, audio := t.room.Events(), t.room.Audio()
	for t.endReason == "" {
		select {
		case e, open := <-events:
			if !open {
				return errRoomLost
			}
			t.handleRoomEvent(e)
		case f, open := <-audio:
			if !open {
				audio = nil
				continue
			}
			t.handleAudio(f)
		case n := <-t.turnUpdates:
			t.handleTurnUpdate(n)
		case m := <-t.synthesisResults:
			t.handleSynthesis(m)
		case u := <-t.segmentTexts:
			t.handleSegmentText(u)
		case status := <-t.statusChanges:
			t.handleStatus(status)
		case <-tick:
		case <-t.ctx.Done():
			return nil
		}
		t.handleTick(t.Now())
		t.updateOverlap()
		t.advance()
	}
	return nil
}

var errRoomLost = errors.New("voice: the room is gone")

func (t *dialog) handleRoomEvent(e rtc.Event) {
	switch e.Kind {
	case rtc.EventJoined:
		t.isDisconnected = false
		t.session.MarkJoined()
		t.Stats.markDialogJoined(t)
		if t.joinedAt.IsZero() {
			t.joinedAt = t.Now()
			t.startRecording()
			if !t.lastAudioAt.IsZero() { // their microphone was published first
				t.greet()
			}
		}
	case rtc.EventAway: // they may come back within the grace period
		t.isDisconnected = true
	case rtc.EventLeft:
		if !t.isDisconnected { // otherwise they vanished, and were last seen before that
			t.session.MarkSeen()
		}
		t.end(parley.EndClientLeft)
	case rtc.EventMicOn:
		t.session.MarkSeen()
		t.isMuted = false
		t.greet()
	case rtc.EventMicOff:
		t.isMuted = true
		t.feedSilence(turnEndSilence)
	case rtc.EventText:
		t.session.MarkSeen()
		t.handleTyped(strings.TrimSpace(e.Text))
	case rtc.EventStarted:
		t.handleClipStarted(e)
	case rtc.EventEnded:
		t.handleClipEnded(e)
	case rtc.EventLost:
		t.end(parley.EndError)
	}
}

func (t *dialog) end(reason parley.SessionEndReason) {
	if t.endReason == "" {
		t.endReason = reason
	}
}

// greetingDelay is how long the agent waits before it greets a customer without a microphone: their browser is still
// connecting.
const greetingDelay = 600 * time.Millisecond

// greet says the initial message, once.
func (t *dialog) greet() {
	if t.hasGreeted || t.joinedAt.IsZero() {
		return
	}
	t.hasGreeted = true
	t.reportMissingFeatures()
	if text := strings.TrimSpace(t.settings.InitialMessage); text != "" && t.utterance == nil {
		t.announce(text, true)
	}
}

// reportMissingFeatures tells the client what this session cannot do, because the server does not recognise or
// synthesize speech, or the agent accepts no typed messages.
func (t *dialog) reportMissingFeatures() {
	canHear, canSpeak, acceptsText := t.Transcriber != nil, t.Synthesizer != nil, t.settings.AllowTextInput
	switch {
	case canHear && canSpeak:
	case canHear:
		t.reportFault("This server has no speech synthesis: answers come as text.")
	case canSpeak && acceptsText:
		t.reportFault("This server has no speech recognition: please type. Answers are still spoken.")
	case acceptsText:
		t.reportFault("This server has no speech recognition and no speech synthesis: please type. " +
			"Answers come as text.")
	default:
		t.reportFault("This server has no speech recognition, and this agent takes no typed messages: nothing that " +
			"you say reaches it.")
	}
}

// faultRepeatInterval is how long the same fault is not reported again.
const faultRepeatInterval = 30 * time.Second

func (t *dialog) reportFault(message string) {
	now := t.Now()
	if at, isKnown := t.faultTimes[message]; isKnown && now.Sub(at) < faultRepeatInterval {
		return
	}
	if t.faultTimes == nil {
		t.faultTimes = map[string]time.Time{}
	}
	t.faultTimes[message] = now
	t.room.Fault(message)
}

// showState shows the client what the agent is doing, if that has changed.
func (t *dialog) showState() {
	state := rtc.Listening
	switch {
	case t.joinedAt.IsZero():
		state = rtc.Initializing
	case t.utterance != nil && !t.utterance.startedAt.IsZero():
		state = rtc.Speaking
	case t.utterance != nil:
		state = rtc.Thinking
	}
	if state != t.state {
		t.state = state
		t.room.SetState(state)
	}
}

// advance goes on with the utterance, and begins what was waiting for its end.
func (t *dialog) advance() {
	if s := t.utterance; s != nil {
		t.queuePieces(s)
		if s.isDone() {
			t.finishUtterance(s)
		}
	}
	if t.utterance == nil && t.isTakenOver {
		t.handOver()
	}
	if t.utterance == nil && len(t.typedTexts) > 0 && t.endReason == "" {
		text := strings.Join(t.typedTexts, "\n")
		t.typedTexts = nil
		t.answerQuestion(text, nil)
	}
	t.showState()
}

func (t *dialog) handleTyped(text string) { //nolint:revive // type is a word of the language
	text = strings.ToValidUTF8(text, "")
	switch {
	case text == "":
		return
	case !t.settings.AllowTextInput:
		t.reportFault("This agent takes no typed messages.")
		return
	case len(text) > maxTypedBytes:
		t.reportFault("This message is too long.")
		return
	}
	if !t.hasGreeted {
		t.hasGreeted = true
		t.reportMissingFeatures()
	}
	t.silentFor = 0
	t.room.Transcript(rtc.Segment{ID: parley.NewUUID(), FromUser: true, Text: text, Final: true})
	switch {
	case t.isHandingOver:
		t.storeForPerson(text)
	case t.utterance == nil:
		t.answerQuestion(text, nil)
	case t.settings.AllowInterruptions || t.utterance.startedAt.IsZero():
		t.interrupt(t.utterance)
		t.answerQuestion(text, nil)
	default:
		t.typedTexts = append(t.typedTexts, text)
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
func (t *dialog) feedSilence(length time.Duration) {
	if t.detector == nil {
		return
	}
	silence := make([]int16, rtc.InputRate/50)
	for ; length > 0 && t.detector.IsSpeaking(); length -= rtc.FrameTime {
		for _, e := range t.detector.Process(silence) {
			t.handleDetection(e, t.Now())
		}
	}
}

// handleTick does what depends on time: the greeting of a customer without a microphone, silence, and a farewell that
// takes too long.
func (t *dialog) handleTick(now time.Time) {
	passed := now.Sub(t.lastTick)
	t.lastTick = now
	t.writeRecording(now)
	if t.joinedAt.IsZero() {
		return
	}
	if !t.hasGreeted && now.Sub(t.joinedAt) >= greetingDelay {
		t.greet()
	}
	t.enforceHandoverTimeout(now)
	if at := t.room.LastMedia(); at.After(t.lastMediaAt) {
		t.lastMediaAt = at
		t.session.MarkSeen()
	}
	// otherwise it is this goroutine that is late
	if gap := now.Sub(t.lastAudioAt); gap > microphoneGap && !t.lastAudioAt.IsZero() && len(t.room.Audio()) == 0 {
		t.feedSilence(gap)
		t.lastAudioAt = now
	}
	t.addSilence(passed)
}

// addSilence adds up how long nobody has spoken, and ends the dialog when that is too long. While the agent speaks or
// thinks there is no silence, and while the microphone is muted the timer is paused. It is also paused while somebody
// seems to speak, until that is certain.
func (t *dialog) addSilence(passed time.Duration) {
	switch {
	case t.utterance != nil:
		t.silentFor, t.uncertainSound = 0, 0
	case len(t.segments) > 0:
		t.uncertainSound += passed
	case !t.isMuted:
		t.silentFor += passed
	}
	if limit := t.settings.Silence(); limit > 0 && t.silentFor >= limit {
		t.end(parley.EndSilence)
	}
}

// addRejectedSilence adds to the silence the sound that turned out to be no speech; speech that is being answered is
// not in t.segments any more.
func (t *dialog) addRejectedSilence() {
	if len(t.segments) == 0 {
		t.silentFor, t.uncertainSound = t.silentFor+t.uncertainSound, 0
	}
}
