package voice_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/model/quote"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
	"parley/internal/voice/rtc"
)

func openSQLite(t testing.TB) *store.DB { return dbs.NewSQLiteStore(t) }

func (d *testDialog) hasFault(word string) bool {
	d.fakeTransport.mu.Lock()
	defer d.fakeTransport.mu.Unlock()
	return slices.ContainsFunc(d.faults, func(f string) bool { return strings.Contains(f, word) })
}

func TestTypedText(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.events <- rtc.Event{Kind: rtc.EventJoined} // without a microphone
	d.scriptAnswers("Ten euros.")
	d.typeText(" What does it cost? ")
	d.waitForTranscript(`
		user: What does it cost?
		agent: Ten euros.
	`)
	if got := strings.Join(d.synthesizer.texts, "|"); got != "Ten euros." {
		t.Errorf("spoken: %q", got)
	}
}

func TestTypedTextTurnedOff(t *testing.T) {
	d := newSQLiteDialog(t, `{"allowTextInput":false}`)
	d.joinUser()
	d.typeText("Hello")
	d.eventually(func() bool { return d.hasFault("no typed messages") }, func() string { return "nothing was said" })
	if d.transcript() != "" {
		t.Errorf("the transcript is %q", d.transcript())
	}
}

func TestWithoutRecognition(t *testing.T) {
	d := newSQLiteDialog(t, `{}`, func(d *testDialog) { d.responder.Transcriber = nil })
	d.joinUser()
	d.eventually(func() bool { return d.hasFault("no speech recognition") }, func() string { return "nothing was said" })
	d.scriptAnswers("Ten euros.")
	d.makeVoice(time.Second)
	d.typeText(question)
	d.waitForTranscript(`
		user: What does it cost?
		agent: Ten euros.
	`)
	if len(d.synthesizer.texts) != 1 {
		t.Errorf("spoken: %q", d.synthesizer.texts)
	}
}

func TestWithoutSynthesis(t *testing.T) {
	d := newSQLiteDialog(t, `{"initialMessage":"Hello!"}`, func(d *testDialog) { d.responder.Synthesizer = nil })
	d.joinUser()
	d.eventually(func() bool { return d.hasFault("no speech synthesis") }, func() string { return "nothing was said" })
	d.scriptAnswers(long)
	d.saySegment(question, time.Second)
	d.waitForTranscript(`
		agent: Hello!
		user: What does it cost?
		agent: ` + long + `
	`)
	d.waitForState("listening")
}

// A session without recognition and synthesis reports that in one message.
func TestWithoutSpeech(t *testing.T) {
	for settings, want := range map[string]string{
		`{}`: "This server has no speech recognition and no speech synthesis: please type. " +
			"Answers come as text.",
		`{"allowTextInput":false}`: "This server has no speech recognition, and this agent takes no typed " +
			"messages: nothing that you say reaches it.",
	} {
		d := newSQLiteDialog(t, settings, func(d *testDialog) { d.responder.Transcriber, d.responder.Synthesizer = nil, nil })
		d.joinUser()
		d.waitForState("listening")
		d.eventually(func() bool { return d.hasFault("") }, func() string { return "nothing was said" })
		d.events <- rtc.Event{Kind: rtc.EventLeft}
		d.waitForEnd(parley.EndClientLeft)
		if len(d.faults) != 1 || d.faults[0] != want {
			t.Errorf("got %q, want %q", d.faults, want)
		}
	}
}

func TestSynthesisFails(t *testing.T) {
	d := newSQLiteDialog(t, `{}`, func(d *testDialog) { d.synthesizer.fails = true })
	d.joinUser()
	d.scriptAnswers(long)
	d.saySegment(question, time.Second)
	d.waitForTranscript(`
		user: What does it cost?
		agent: ` + long + `
	`)
	d.eventually(func() bool { return d.hasFault("could not be spoken") }, func() string { return "nothing was said" })
	d.waitForState("listening")
}

func TestRecognitionFails(t *testing.T) {
	d := newSQLiteDialog(t, `{"errorMessage":"Pardon?"}`)
	d.joinUser()
	d.saySegment("fail", time.Second)
	d.waitForTranscript(`
		agent: Pardon?
	`)
	d.eventually(func() bool { return d.hasFault("could not be understood") }, func() string { return "nothing was said" })
	d.waitForStored("")
}

func TestAnswerFails(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.joinUser()
	d.model.AddScript(scripted.Step{Err: errors.New("no model")})
	d.saySegment(question, time.Second)
	d.waitForTranscript(`
		user: What does it cost?
		agent: Sorry, something went wrong. Please try that again.
	`)
	d.waitForStored(`
		user: What does it cost?
	`)
	d.scriptAnswers("Ten euros.")
	d.waitForState("listening")
	d.saySegment("Again, please.", time.Second)
	d.waitForStored(`
		user: What does it cost?
		user: Again, please.
		assistant: Ten euros.
	`)
}

// A microphone may be connected before the customer can hear: they are greeted as soon as they can.
func TestGreetingWaitsUntilTheCustomerHears(t *testing.T) {
	d := newSQLiteDialog(t, `{"initialMessage":"Hello there!"}`)
	d.events <- rtc.Event{Kind: rtc.EventMicOn}
	d.makeSilence(rtc.FrameTime)
	d.eventually(func() bool { return len(d.events) == 0 && len(d.audio) == 0 }, func() string {
		return "it does not listen"
	})
	d.clock.Advance(3 * time.Second)
	d.waitForTranscript("")
	d.events <- rtc.Event{Kind: rtc.EventJoined}
	d.waitForTranscript("agent: Hello there!\n")
}

func TestSilenceEndsTheSession(t *testing.T) {
	d := newSQLiteDialog(t, `{"endConversationAfterSilenceSeconds":10}`)
	d.joinUser()
	d.waitForState("listening")
	d.advanceClock(9 * time.Second)
	d.saySegment(question, time.Second)
	d.eventually(func() bool { return strings.Contains(d.transcript(), "agent: What") }, d.transcript)
	d.waitForState("listening")
	d.advanceClock(9 * time.Second)
	d.events <- rtc.Event{Kind: rtc.EventMicOff}
	d.advanceClock(0)
	d.advanceClock(time.Minute) // muted: the time does not count
	d.events <- rtc.Event{Kind: rtc.EventMicOn}
	d.advanceClock(0)
	select {
	case <-d.session.Done():
		t.Fatal("a muted microphone ended the talk")
	default:
	}
	d.advanceClock(1100 * time.Millisecond)
	d.waitForEnd(parley.EndSilence)
}

// advanceClock advances the clock once the dialog has handled everything before, and waits for a tick.
func (d *testDialog) advanceClock(by time.Duration) {
	d.eventually(func() bool { return len(d.events) == 0 && len(d.audio) == 0 }, func() string {
		return "it does not listen"
	})
	d.waitForTick()
	d.clock.Advance(by)
	d.waitForTick()
}

// Sounds that are detected as speech and have no words, such as a dog or a television, do not keep a dialog alive.
func TestSoundsThatAreNoSpeechCountAsSilence(t *testing.T) {
	d := newSQLiteDialog(t, `{"endConversationAfterSilenceSeconds":10}`)
	d.joinUser()
	d.waitForState("listening")
	d.advanceClock(6 * time.Second)
	d.makeVoice(time.Second)
	d.advanceClock(3 * time.Second)
	d.transcriber.texts <- "" // nothing was understood
	d.makeSilence(time.Second)
	d.advanceClock(900 * time.Millisecond)
	select {
	case <-d.session.Done():
		t.Fatal("it ended too early")
	default:
	}
	d.advanceClock(200 * time.Millisecond)
	d.waitForEnd(parley.EndSilence)
}

// A customer who types at once is informed about what the session cannot do.
func TestTypedBeforeTheGreeting(t *testing.T) {
	d := newSQLiteDialog(t, `{"initialMessage":"Hello!"}`, func(d *testDialog) { d.responder.Transcriber = nil })
	d.events <- rtc.Event{Kind: rtc.EventJoined}
	d.scriptAnswers("Ten euros.")
	d.typeText(question)
	d.eventually(func() bool { return d.hasFault("no speech recognition") }, func() string { return "nothing was said" })
	d.waitForTranscript(`
		user: What does it cost?
		agent: Ten euros.
	`)
}

// A customer whose connection is lost is charged until they were last seen.
func TestLostCustomerIsChargedUntilLastSeen(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.joinUser()
	d.waitForState("listening")
	d.advanceClock(50 * time.Second)
	d.fakeTransport.noteMedia(d.clock.Now())
	d.waitForTick()
	d.events <- rtc.Event{Kind: rtc.EventAway}
	d.advanceClock(30 * time.Second)
	d.events <- rtc.Event{Kind: rtc.EventLeft}
	if s := d.waitForEnd(parley.EndClientLeft); s.Minutes != 1 {
		t.Errorf("%d minutes, seen at %v", s.Minutes, s.LastSeenAt)
	}
}

func TestPersonTakesOver(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.joinUser()
	d.scriptAnswers("Ten euros.")
	d.saySegment(question, time.Second)
	d.waitForTranscript(`
		user: What does it cost?
		agent: Ten euros.
	`)
	d.waitForState("listening")
	_, err := d.conversations.TakeOver(t.Context(),
		d.account.ID.AgentRef(d.agent).ConversationRef(d.session.ConversationID), "operator", "", false)
	d.Must(err)
	d.waitForEnd(parley.EndEscalated)
	if !strings.HasSuffix(d.transcript(), "agent: "+quote.HandoverText(0)+"\n") {
		t.Errorf("the customer got\n%s", d.transcript())
	}
}

// A customer who asks for a person gets the agent's own sentence, and then the agent leaves.
func TestCustomerAsksForAPerson(t *testing.T) {
	d := newSQLiteDialog(t, `{}`, func(d *testDialog) {
		d.engine.HandOver = func(ctx context.Context, turn parley.Turn, reason string) error {
			_, err := d.conversations.TakeOver(ctx, turn.ConversationRef(), "agent", reason, true)
			return err
		}
	})
	d.joinUser()
	d.saySegment("I want to talk to a human, please.", time.Second)
	d.waitForEnd(parley.EndEscalated)
	if n := strings.Count(d.transcript(), "agent: "); n != 1 || !strings.Contains(d.transcript(), quote.HandoverText(0)) {
		t.Errorf("the customer got\n%s", d.transcript())
	}
}

func TestConversationEnds(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.joinUser()
	d.waitForState("listening")
	_, err := d.conversations.End(t.Context(), d.account.ID.AgentRef(d.agent).ConversationRef(d.session.ConversationID),
		"operator")
	d.Must(err)
	d.waitForEnd(parley.EndOperator)
}

func TestRoomIsLost(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.joinUser()
	d.events <- rtc.Event{Kind: rtc.EventLost}
	d.waitForEnd(parley.EndError)
}

func TestCreditsRunOutInATurn(t *testing.T) {
	d := newSQLiteDialog(t, `{}`, func(d *testDialog) {
		d.plan.CreditsPerVoiceMinute = 0 // then answers are charged
		d.updateAgent(func(a *parley.Agent) { a.CreditLimit = new(int64(1)) })
	})
	d.joinUser()
	d.scriptAnswers("Ten euros.", "Eleven.")
	d.saySegment(question, time.Second)
	d.waitForStored(`
		user: What does it cost?
		assistant: Ten euros.
	`)
	d.waitForState("listening")
	d.saySegment("And now?", time.Second)
	d.waitForEnd(parley.EndCredits)
}

// Muting the microphone ends the turn: people mute themselves when they have finished.
func TestMutingEndsATurn(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.joinUser()
	d.scriptAnswers("Ten euros.")
	d.transcriber.texts <- question
	d.makeVoice(time.Second)
	d.eventually(func() bool { return len(d.audio) == 0 }, func() string { return "it does not listen" })
	d.events <- rtc.Event{Kind: rtc.EventMicOff}
	d.waitForTranscript(`
		user: What does it cost?
		agent: Ten euros.
	`)
}

// A dialog that processes audio late does not mistake the delay for silence.
func TestLateDialogProcessesQueuedAudio(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.joinUser()
	d.waitForState("listening")
	d.scriptAnswers("Ten euros.")
	d.makeVoice(300 * time.Millisecond)
	for range 12 {
		d.eventually(func() bool { return len(d.audio) == 0 }, func() string { return "it does not listen" })
		d.fakeTransport.mu.Lock() // its next tick is late
		d.clock.Advance(400 * time.Millisecond)
		for range 10 {
			d.audio <- rtc.Frame{PCM: make([]int16, 320), At: d.clock.Now()}
		}
		d.fakeTransport.mu.Unlock()
		d.makeVoice(300 * time.Millisecond)
	}
	d.transcriber.texts <- question
	d.makeSilence(time.Second)
	d.waitForTranscript(`
		user: What does it cost?
		agent: Ten euros.
	`)
}
