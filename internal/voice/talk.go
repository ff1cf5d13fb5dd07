package voice

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/voice/ear"
	"parley/internal/voice/rtc"
)

// talk is one session's talk. One goroutine, run, owns it: all that happens comes to it through channels.
type talk struct {
	*Talker
	live    *Live
	set     *parley.VoiceSettings
	room    rtc.Transport
	ctx     context.Context
	zone    *time.Location
	channel parley.Channel
	ear     *ear.Ear // nil where nothing is understood

	news  chan news       // what turns do
	made  chan made       // speech that was made
	texts chan understood // what the customer said
	watch chan parley.ConversationStatus
	over  chan struct{}  // closed when nobody reads those any more
	work  sync.WaitGroup // goroutines of the talk

	state    rtc.State
	joined   time.Time // zero until the customer came
	greeted  bool
	muted    bool          // there is a microphone, or was, and it is off
	deaf     bool          // what is heard is thrown away: the agent speaks and is not to be interrupted
	quiet    time.Duration // since anybody has said anything
	maybe    time.Duration // of sounds after that, which may turn out to be nothing
	last     time.Time     // when the clock was looked at
	sounded  time.Duration
	segments []*segment // what the customer says and is not answered yet, oldest first
	overlap  *overlap
	tape     *tape     // nil where nothing is recorded
	said     *saying   // what the agent is about to say, or says; nil while it listens
	before   *saying   // the last one that ended
	fell     time.Time // when the agent fell silent
	unheard  *saying   // the one that the next question goes on with
	typed    []string  // texts that wait until the agent has finished
	faulted  map[string]time.Time
	ending   parley.SessionEnd // once the talk is to end
	person   bool              // a person has taken over
	taken    time.Time         // when that became known
	goodbye  bool              // the customer is told of a person, or was: nothing is answered any more
	away     bool              // the customer's connection is gone
	asked    string            // the last question
	heardAt  time.Time         // when the last sound came
	media    time.Time         // of the last sign of the customer
}

// farewell is how long the last sentence of a talk may take.
const farewell = 30 * time.Second

// run holds the talk until it ends.
func (t *talk) run() error {
	follow, stop := context.WithCancel(t.ctx)
	defer stop()
	t.work.Add(1)
	go t.follow(follow)
	every := time.NewTicker(orDefault(t.Tick, 50*time.Millisecond))
	defer every.Stop()
	events, audio := t.room.Events(), t.room.Audio()
	for t.ending == "" {
		select {
		case e, open := <-events:
			if !open {
				return errRoomLost
			}
			t.happened(e)
		case f, open := <-audio:
			if !open {
				audio = nil
				continue
			}
			t.hear(f)
		case n := <-t.news:
			t.learn(n)
		case m := <-t.made:
			t.voiced(m)
		case u := <-t.texts:
			t.understand(u)
		case status := <-t.watch:
			t.moved(status)
		case <-every.C:
		case <-t.ctx.Done():
			return nil
		}
		t.tick(t.Now())
		t.weigh()
		t.advance()
	}
	return nil
}

var errRoomLost = errors.New("voice: the room is gone")

// happened takes in what happened in the room.
func (t *talk) happened(e rtc.Event) {
	switch e.Kind {
	case rtc.EventJoined:
		t.away = false
		t.live.Joined()
		t.Meter.join(t)
		if t.joined.IsZero() {
			t.joined = t.Now()
			t.record()
			if !t.heardAt.IsZero() { // their microphone came first
				t.greet()
			}
		}
	case rtc.EventAway: // within the grace they may come back
		t.away = true
	case rtc.EventLeft:
		if !t.away { // who has vanished was seen before
			t.live.Seen()
		}
		t.end(parley.EndClientLeft)
	case rtc.EventMicOn:
		t.live.Seen()
		t.muted = false
		t.greet()
	case rtc.EventMicOff:
		t.muted = true
		t.hush(hushed)
	case rtc.EventText:
		t.live.Seen()
		t.type_(strings.TrimSpace(e.Text))
	case rtc.EventStarted:
		t.started(e)
	case rtc.EventEnded:
		t.ended(e)
	case rtc.EventLost:
		t.end(parley.EndError)
	}
}

func (t *talk) end(reason parley.SessionEnd) {
	if t.ending == "" {
		t.ending = reason
	}
}

// settleTime is how long a customer without a microphone is given until the agent speaks: their browser is still connecting.
const settleTime = 600 * time.Millisecond

// greet says the initial message, once.
func (t *talk) greet() {
	if t.greeted || t.joined.IsZero() {
		return
	}
	t.greeted = true
	t.degrade()
	if text := strings.TrimSpace(t.set.InitialMessage); text != "" && t.said == nil {
		t.announce(text, true)
	}
}

// degrade tells the client what this session cannot do.
func (t *talk) degrade() {
	if text := lacking(t.Transcriber != nil, t.Synthesizer != nil, t.set.AllowTextInput); text != "" {
		t.fault(text)
	}
}

// lacking says what a session cannot do, in one message: where the server hears, where it speaks, and where the agent takes typed messages.
// It is empty where nothing is missing.
func lacking(hears, speaks, types bool) string {
	switch {
	case hears && speaks:
		return ""
	case hears:
		return "This server has no speech synthesis: answers come as text."
	case speaks && types:
		return "This server has no speech recognition: please type. Answers are still spoken."
	case types:
		return "This server has no speech recognition and no speech synthesis: please type. Answers come as text."
	}
	return "This server has no speech recognition, and this agent takes no typed messages: nothing that you say reaches it."
}

// faultAgain is how long the same problem is not told again.
const faultAgain = 30 * time.Second

func (t *talk) fault(message string) {
	now := t.Now()
	if at, told := t.faulted[message]; told && now.Sub(at) < faultAgain {
		return
	}
	if t.faulted == nil {
		t.faulted = map[string]time.Time{}
	}
	t.faulted[message] = now
	t.room.Fault(message)
}

// show tells the client what the agent is doing.
func (t *talk) show() {
	state := rtc.Listening
	switch {
	case t.joined.IsZero():
		state = rtc.Initializing
	case t.said != nil && !t.said.begun.IsZero():
		state = rtc.Speaking
	case t.said != nil:
		state = rtc.Thinking
	}
	if state != t.state {
		t.state = state
		t.room.SetState(state)
	}
}

// advance does what has become possible.
func (t *talk) advance() {
	if s := t.said; s != nil {
		t.feed(s)
		if s.done() {
			t.finish(s)
		}
	}
	if t.said == nil && t.person {
		t.handOver()
	}
	if t.said == nil && len(t.typed) > 0 && t.ending == "" {
		text := strings.Join(t.typed, "\n")
		t.typed = nil
		t.ask(text, nil)
	}
	t.show()
}

// type_ takes what the customer has typed.
func (t *talk) type_(text string) { //nolint:revive // type is a word of the language
	text = strings.ToValidUTF8(text, "")
	switch {
	case text == "":
		return
	case !t.set.AllowTextInput:
		t.fault("This agent takes no typed messages.")
		return
	case len(text) > longestTyped:
		t.fault("This message is too long.")
		return
	}
	if !t.greeted {
		t.greeted = true
		t.degrade()
	}
	t.quiet = 0
	t.room.Transcript(rtc.Segment{ID: parley.NewUUID(), User: true, Text: text, Final: true})
	switch {
	case t.goodbye:
		t.pass(text)
	case t.said == nil:
		t.ask(text, nil)
	case t.set.AllowInterruptions || t.said.begun.IsZero():
		t.interrupt(t.said)
		t.ask(text, nil)
	default:
		t.typed = append(t.typed, text)
	}
}

// longestTyped bounds a typed message, in bytes.
const longestTyped = 8000
