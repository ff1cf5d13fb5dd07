package voice_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/rig/dbs"
	"parley/internal/store"
	"parley/internal/voice/rtc"
)

func file(t testing.TB) *store.DB { return dbs.Store(t, dbs.Open(t, dbs.File(t))) }

func (d *dialogue) told(word string) bool {
	d.stage.mu.Lock()
	defer d.stage.mu.Unlock()
	return slices.ContainsFunc(d.faults, func(f string) bool { return strings.Contains(f, word) })
}

func TestTypedText(t *testing.T) {
	d := talk(t, `{}`)
	d.events <- rtc.Event{Kind: rtc.EventJoined} // without a microphone
	d.answers("Ten euros.")
	d.types(" What does it cost? ")
	d.shows(`
		user: What does it cost?
		agent: Ten euros.
	`)
	if got := strings.Join(d.mouth.texts, "|"); got != "Ten euros." {
		t.Errorf("spoken: %q", got)
	}
}

func TestTypedTextIsOff(t *testing.T) {
	d := talk(t, `{"allowTextInput":false}`)
	d.join()
	d.types("Hello")
	d.eventually(func() bool { return d.told("no typed messages") }, func() string { return "nothing was said" })
	if d.transcript() != "" {
		t.Errorf("the transcript is %q", d.transcript())
	}
}

func TestWithoutRecognition(t *testing.T) {
	d := talk(t, `{}`, func(d *dialogue) { d.talker.Transcriber = nil })
	d.join()
	d.eventually(func() bool { return d.told("no speech recognition") }, func() string { return "nothing was said" })
	d.answers("Ten euros.")
	d.voiceFor(time.Second)
	d.types(question)
	d.shows(`
		user: What does it cost?
		agent: Ten euros.
	`)
	if len(d.mouth.texts) != 1 {
		t.Errorf("spoken: %q", d.mouth.texts)
	}
}

func TestWithoutSynthesis(t *testing.T) {
	d := talk(t, `{"initialMessage":"Hello!"}`, func(d *dialogue) { d.talker.Synthesizer = nil })
	d.join()
	d.eventually(func() bool { return d.told("no speech synthesis") }, func() string { return "nothing was said" })
	d.answers(long)
	d.says(question, time.Second)
	d.shows(`
		agent: Hello!
		user: What does it cost?
		agent: ` + long + `
	`)
	d.is("listening")
}

// A session that can neither hear nor speak says so in one message, which holds.
func TestWithoutSpeech(t *testing.T) {
	for settings, want := range map[string]string{
		`{}`:                       "This server has no speech recognition and no speech synthesis: please type. Answers come as text.",
		`{"allowTextInput":false}`: "This server has no speech recognition, and this agent takes no typed messages: nothing that you say reaches it.",
	} {
		d := talk(t, settings, func(d *dialogue) { d.talker.Transcriber, d.talker.Synthesizer = nil, nil })
		d.join()
		d.is("listening")
		d.eventually(func() bool { return d.told("") }, func() string { return "nothing was said" })
		d.events <- rtc.Event{Kind: rtc.EventLeft}
		d.over(parley.EndClientLeft)
		if len(d.faults) != 1 || d.faults[0] != want {
			t.Errorf("told %q, want %q", d.faults, want)
		}
	}
}

func TestSynthesisFails(t *testing.T) {
	d := talk(t, `{}`, func(d *dialogue) { d.mouth.fails = true })
	d.join()
	d.answers(long)
	d.says(question, time.Second)
	d.shows(`
		user: What does it cost?
		agent: ` + long + `
	`)
	d.eventually(func() bool { return d.told("could not be spoken") }, func() string { return "nothing was said" })
	d.is("listening")
}

func TestRecognitionFails(t *testing.T) {
	d := talk(t, `{"errorMessage":"Pardon?"}`)
	d.join()
	d.says("fail", time.Second)
	d.shows(`
		agent: Pardon?
	`)
	d.eventually(func() bool { return d.told("could not be understood") }, func() string { return "nothing was said" })
	d.stores("")
}

func TestAnswerFails(t *testing.T) {
	d := talk(t, `{}`)
	d.join()
	d.model.Then(llm.Step{Err: errors.New("no model")})
	d.says(question, time.Second)
	d.shows(`
		user: What does it cost?
		agent: Sorry, something went wrong. Please try that again.
	`)
	d.stores(`
		user: What does it cost?
	`)
	d.answers("Ten euros.")
	d.is("listening")
	d.says("Again, please.", time.Second)
	d.stores(`
		user: What does it cost?
		user: Again, please.
		assistant: Ten euros.
	`)
}

// A microphone may be heard before the customer hears: they are greeted as soon as they do.
func TestGreetingWaitsUntilTheCustomerHears(t *testing.T) {
	d := talk(t, `{"initialMessage":"Hello there!"}`)
	d.events <- rtc.Event{Kind: rtc.EventMicOn}
	d.hush(rtc.FrameTime)
	d.eventually(func() bool { return len(d.events) == 0 && len(d.audio) == 0 }, func() string { return "it does not listen" })
	d.clock.Turn(3 * time.Second)
	d.shows("")
	d.events <- rtc.Event{Kind: rtc.EventJoined}
	d.shows("agent: Hello there!\n")
}

func TestSilenceEndsTheTalk(t *testing.T) {
	d := talk(t, `{"endConversationAfterSilenceSeconds":10}`)
	d.join()
	d.is("listening")
	d.turnBy(9 * time.Second)
	d.says(question, time.Second)
	d.eventually(func() bool { return strings.Contains(d.transcript(), "agent: What") }, d.transcript)
	d.is("listening")
	d.turnBy(9 * time.Second)
	d.events <- rtc.Event{Kind: rtc.EventMicOff}
	d.turnBy(0)
	d.turnBy(time.Minute) // muted: the time stands still
	d.events <- rtc.Event{Kind: rtc.EventMicOn}
	d.turnBy(0)
	select {
	case <-d.live.Done():
		t.Fatal("a muted microphone ended the talk")
	default:
	}
	d.turnBy(1100 * time.Millisecond)
	d.over(parley.EndSilence)
}

// turnBy turns the clock once the talk has taken in what happened before, and lets it look.
func (d *dialogue) turnBy(by time.Duration) {
	d.eventually(func() bool { return len(d.events) == 0 && len(d.audio) == 0 }, func() string { return "it does not listen" })
	d.looked()
	d.clock.Turn(by)
	d.looked()
}

// What sounds like speech and is none, a dog or a television, does not keep a talk alive.
func TestSoundsAreSilence(t *testing.T) {
	d := talk(t, `{"endConversationAfterSilenceSeconds":10}`)
	d.join()
	d.is("listening")
	d.turnBy(6 * time.Second)
	d.voiceFor(time.Second)
	d.turnBy(3 * time.Second)
	d.ears.texts <- "" // nothing was understood
	d.hush(time.Second)
	d.turnBy(900 * time.Millisecond)
	select {
	case <-d.live.Done():
		t.Fatal("it ended too early")
	default:
	}
	d.turnBy(200 * time.Millisecond)
	d.over(parley.EndSilence)
}

// Who types at once learns all the same what the session cannot do.
func TestTypedBeforeTheGreeting(t *testing.T) {
	d := talk(t, `{"initialMessage":"Hello!"}`, func(d *dialogue) { d.talker.Transcriber = nil })
	d.events <- rtc.Event{Kind: rtc.EventJoined}
	d.answers("Ten euros.")
	d.types(question)
	d.eventually(func() bool { return d.told("no speech recognition") }, func() string { return "nothing was said" })
	d.shows(`
		user: What does it cost?
		agent: Ten euros.
	`)
}

// Whose connection has gone for good was seen last before that, and pays no longer.
func TestVanishedCustomer(t *testing.T) {
	d := talk(t, `{}`)
	d.join()
	d.is("listening")
	d.turnBy(50 * time.Second)
	d.stage.hears(d.clock.Now())
	d.looked()
	d.events <- rtc.Event{Kind: rtc.EventAway}
	d.turnBy(30 * time.Second)
	d.events <- rtc.Event{Kind: rtc.EventLeft}
	if s := d.over(parley.EndClientLeft); s.Minutes != 1 {
		t.Errorf("%d minutes, seen at %v", s.Minutes, s.SeenAt)
	}
}

func TestPersonTakesOver(t *testing.T) {
	d := talk(t, `{}`)
	d.join()
	d.answers("Ten euros.")
	d.says(question, time.Second)
	d.shows(`
		user: What does it cost?
		agent: Ten euros.
	`)
	d.is("listening")
	_, err := d.clerk.TakeOver(t.Context(), d.account.ID, d.agent, d.live.ConversationID, "operator", "", false)
	d.must(err)
	d.over(parley.EndEscalated)
	if !strings.HasSuffix(d.transcript(), "agent: "+llm.HandedOver(0)+"\n") {
		t.Errorf("the customer was told\n%s", d.transcript())
	}
}

// A customer who asks for a person gets the agent's own sentence, and then the agent goes.
func TestCustomerAsksForAPerson(t *testing.T) {
	d := talk(t, `{}`, func(d *dialogue) {
		d.engine.TakeOver = func(ctx context.Context, turn parley.Turn, reason string) error {
			_, err := d.clerk.TakeOver(ctx, turn.AccountID, turn.AgentID, turn.ConversationID, "agent", reason, true)
			return err
		}
	})
	d.join()
	d.says("I want to talk to a human, please.", time.Second)
	d.over(parley.EndEscalated)
	if n := strings.Count(d.transcript(), "agent: "); n != 1 || !strings.Contains(d.transcript(), llm.HandedOver(0)) {
		t.Errorf("the customer was told\n%s", d.transcript())
	}
}

func TestConversationEnds(t *testing.T) {
	d := talk(t, `{}`)
	d.join()
	d.is("listening")
	_, err := d.clerk.End(t.Context(), d.account.ID, d.agent, d.live.ConversationID, "operator")
	d.must(err)
	d.over(parley.EndOperator)
}

func TestRoomIsLost(t *testing.T) {
	d := talk(t, `{}`)
	d.join()
	d.events <- rtc.Event{Kind: rtc.EventLost}
	d.over(parley.EndError)
}

func TestCreditsRunOutInATurn(t *testing.T) {
	d := talk(t, `{}`, func(d *dialogue) {
		d.plan.CreditsPerVoiceMinute = 0 // then answers are paid for
		d.change(func(a *parley.Agent) { a.CreditLimit = new(int64(1)) })
	})
	d.join()
	d.answers("Ten euros.", "Eleven.")
	d.says(question, time.Second)
	d.stores(`
		user: What does it cost?
		assistant: Ten euros.
	`)
	d.is("listening")
	d.says("And now?", time.Second)
	d.over(parley.EndCredits)
}

// A muted microphone ends what was being said: people mute themselves when they have finished.
func TestMutingEndsATurn(t *testing.T) {
	d := talk(t, `{}`)
	d.join()
	d.answers("Ten euros.")
	d.ears.texts <- question
	d.voiceFor(time.Second)
	d.eventually(func() bool { return len(d.audio) == 0 }, func() string { return "it does not listen" })
	d.events <- rtc.Event{Kind: rtc.EventMicOff}
	d.shows(`
		user: What does it cost?
		agent: Ten euros.
	`)
}

// A talk that comes late to hear what has come does not take that for silence.
func TestALateTalkHearsOn(t *testing.T) {
	d := talk(t, `{}`)
	d.join()
	d.is("listening")
	d.answers("Ten euros.")
	d.voiceFor(300 * time.Millisecond)
	for range 12 {
		d.eventually(func() bool { return len(d.audio) == 0 }, func() string { return "it does not listen" })
		d.stage.mu.Lock() // its next look at the clock takes long
		d.clock.Turn(400 * time.Millisecond)
		for range 10 {
			d.audio <- rtc.Frame{PCM: make([]int16, 320), At: d.clock.Now()}
		}
		d.stage.mu.Unlock()
		d.voiceFor(300 * time.Millisecond)
	}
	d.ears.texts <- question
	d.hush(time.Second)
	d.shows(`
		user: What does it cost?
		agent: Ten euros.
	`)
}
