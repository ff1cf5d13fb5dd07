package voice_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
	"parley/internal/voice/rtc"
)

const (
	question = "What does it cost?"
	long     = "It costs ten euros a month for each person. There is a discount of twenty percent for a year."
)

// startSpeaking lets the agent speak until it is within the first sentence of its answer, after the echo warm-up.
func (d *testDialog) startSpeaking(texts ...string) {
	d.Helper()
	d.joinUser()
	d.scriptAnswers(texts...)
	d.setHoldsClips(true)
	d.saySegment(question, time.Second)
	d.waitForState("speaking")
	d.clearCalls()
}

// longGreetingSettings are settings whose greeting is longer than the echo warm-up.
const longGreetingSettings = `{"initialMessage":"` + greeting + `"}`

const greeting = "Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for " +
	"calling us today. " +
	"Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for calling us today. " +
	"Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for calling us today. " +
	"Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for calling us today. " +
	"Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for calling us today. "

// newSpeakingDialog returns a dialog whose agent has spoken for longer than the echo warm-up.
func newSpeakingDialog(t *testing.T, db *store.DB, settings string) *testDialog {
	d := newTestDialog(t, db, settings)
	d.synthesizer.slowFactor = 5
	d.joinUser()
	d.waitForTranscript("agent: " + strings.TrimSpace(greeting) + "\n")
	d.waitForState("listening")
	return d
}

func TestCustomerTalksOverTheAgent(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		d := newSpeakingDialog(t, db, longGreetingSettings)
		d.startSpeaking(long, "Yes, it is.")
		d.setHeardShare(0.5)
		d.makeVoice(300 * time.Millisecond)
		d.waitForCall("duck")
		d.waitForCall("pause")
		if d.wasCalled("stop") {
			t.Error("it stopped before anything was understood")
		}
		d.transcriber.texts <- "And is that with tax?"
		d.setHoldsClips(false)
		d.makeVoice(400 * time.Millisecond)
		d.makeSilence(time.Second)
		d.waitForCall("stop")
		d.waitForTranscript("agent: " + strings.TrimSpace(greeting) + `
			user: What does it cost?
			agent: It costs ten euros a
			user: And is that with tax?
			agent: Yes, it is.
		`)
		d.waitForStored("assistant: " + strings.TrimSpace(greeting) + `
			user: What does it cost?
			assistant: It costs ten euros a…
			user: And is that with tax?
			assistant: Yes, it is.
		`)
		last := d.model.Requests()[1].Messages
		if got := last[len(last)-2].Text; got != "It costs ten euros a" {
			t.Errorf("the model gets %q as its answer", got)
		}
	})
}

func TestBackchannelDoesNotInterrupt(t *testing.T) {
	d := newSpeakingDialog(t, openSQLite(t), longGreetingSettings)
	d.startSpeaking(long)
	d.saySegment("Mhm, yeah.", 300*time.Millisecond)
	d.waitForCall("pause")
	d.waitForCall("resume")
	d.setHoldsClips(false)
	d.waitForTranscript("agent: " + strings.TrimSpace(greeting) + `
		user: What does it cost?
		agent: ` + long + `
		user: Mhm, yeah.
	`)
	d.waitForStored("assistant: " + strings.TrimSpace(greeting) + `
		user: What does it cost?
		assistant: ` + long + `
	`)
	if d.wasCalled("stop") {
		t.Error("a backchannel stopped the agent")
	}
}

func TestNoisePausesTheAgent(t *testing.T) {
	d := newSpeakingDialog(t, openSQLite(t), longGreetingSettings)
	d.startSpeaking(long)
	d.makeVoice(400 * time.Millisecond)
	d.makeSilence(400 * time.Millisecond) // nothing is understood, for the engine never answers
	d.waitForCall("pause")
	if d.wasCalled("resume") {
		t.Error("it continued before the text was known")
	}
	d.transcriber.texts <- ""
	d.makeSilence(time.Second)
	d.waitForCall("resume")
	d.setHoldsClips(false)
	d.waitForState("listening")
	if !strings.Contains(d.transcript(), long+"\n") {
		t.Errorf("it was cut:\n%s", d.transcript())
	}
}

func TestEchoOfTheAgent(t *testing.T) {
	d := newSpeakingDialog(t, openSQLite(t), longGreetingSettings)
	d.startSpeaking(long)
	d.saySegment("it costs ten euros a month", 900*time.Millisecond)
	d.waitForCall("resume")
	d.setHoldsClips(false)
	d.waitForState("listening")
	if strings.Contains(d.transcript(), "it costs") || d.wasCalled("stop") {
		t.Errorf("it transcribed itself:\n%s", d.transcript())
	}
}

// During the agent's first sounds the browser learns to cancel its echo: short voice is ignored then.
func TestEchoWarmUp(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.startSpeaking(long)
	d.makeVoice(600 * time.Millisecond)
	d.transcriber.texts <- "okay"
	d.makeSilence(time.Second)
	d.eventually(func() bool { return strings.Contains(d.transcript(), "okay") }, d.transcript)
	if d.wasCalled("pause") || d.wasCalled("duck") {
		t.Errorf("it was held: %v", d.calls)
	}
}

func TestInterruptionsTurnedOff(t *testing.T) {
	d := newSQLiteDialog(t, `{"allowInterruptions":false}`)
	d.startSpeaking(long)
	d.makeVoice(2 * time.Second)
	d.makeSilence(time.Second)
	d.typeText("Hello?")
	d.eventually(func() bool { return strings.Contains(d.transcript(), "Hello?") }, d.transcript)
	d.scriptAnswers("Hello.")
	d.setHoldsClips(false)
	d.waitForTranscript(`
		user: What does it cost?
		agent: ` + long + `
		user: Hello?
		agent: Hello.
	`)
	if d.wasCalled("pause") || d.wasCalled("duck") {
		t.Errorf("it was held: %v", d.calls)
	}
	d.waitForState("listening")
	d.scriptAnswers("Bye.")
	d.saySegment("Thank you and goodbye.", 800*time.Millisecond)
	d.eventually(func() bool { return strings.Contains(d.transcript(), "agent: Bye.\n") }, d.transcript)
}

// A customer who continues while the agent thinks has not finished the question: it grows, and the answer to its first
// half is dropped.
func TestCustomerContinuesBeforeTheAnswerIsHeard(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		d := newTestDialog(t, db, `{}`)
		d.joinUser()
		barrier := scripted.NewBarrier()
		d.model.AddScript(scripted.Step{Barrier: barrier}, scripted.Text("Which one?"))
		d.saySegment("I have a question.", 800*time.Millisecond)
		check.Receive(t, "a model at its barrier", barrier.Reached())
		d.waitForState("thinking")
		d.scriptAnswers("It is on its way.")
		d.saySegment("Where is my order?", 800*time.Millisecond)
		d.waitForTranscript(`
			user: I have a question.
			user: Where is my order?
			agent: It is on its way.
		`)
		d.waitForStored(`
			user: I have a question. Where is my order?
			assistant: It is on its way.
		`)
		if used, reserved, err := d.DB.AccountCreditUsage(t.Context(), d.account.ID,
			store.MonthOf(d.clock.Now())); err != nil || used != 0 || reserved != 5*parley.Credit {
			t.Errorf("used %d, reserved %d, %v", used, reserved, err)
		}
	})
}

// A backchannel while the agent thinks changes nothing.
func TestBackchannelWhileTheAgentThinks(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.joinUser()
	barrier := scripted.NewBarrier()
	d.model.AddScript(scripted.Step{Barrier: barrier}, scripted.Text("Ten euros."))
	d.saySegment(question, 800*time.Millisecond)
	check.Receive(t, "a model at its barrier", barrier.Reached())
	d.saySegment("Mhm.", 300*time.Millisecond)
	d.waitForCall("pause")
	d.waitForCall("resume")
	barrier.Release()
	d.waitForTranscript(`
		user: What does it cost?
		user: Mhm.
		agent: Ten euros.
	`)
}

func TestCustomerLeavesWhileTheAgentSpeaks(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.startSpeaking(long)
	d.setHeardShare(0.5)
	d.events <- rtc.Event{Kind: rtc.EventLeft}
	d.waitForEnd(parley.EndClientLeft)
	d.waitForStored(`
		user: What does it cost?
		assistant: It costs ten euros a…
	`)
}

// The echo of a greeting of two words is neither an interruption nor, if it comes late, a question.
func TestEchoOfAShortGreeting(t *testing.T) {
	d := newSQLiteDialog(t, `{"initialMessage":"Hello there!"}`)
	d.setHoldsClips(true)
	d.joinUser()
	d.waitForState("speaking")
	d.saySegment("hello there", 400*time.Millisecond)
	d.waitForTick()
	d.makeVoice(300 * time.Millisecond)
	d.eventually(func() bool { return len(d.audio) == 0 }, func() string { return "it does not listen" })
	d.clock.Advance(100 * time.Millisecond)
	d.setHoldsClips(false)
	d.waitForState("listening")
	d.transcriber.texts <- "there"
	d.makeSilence(time.Second)
	d.transcriber.texts <- "stop"
	d.scriptAnswers("I have stopped.")
	d.makeVoice(500 * time.Millisecond)
	d.makeSilence(time.Second)
	d.waitForTranscript(`
		agent: Hello there!
		user: stop
		agent: I have stopped.
	`)
}

// "Para" begins sentences in Spanish and Portuguese: the echo of one is no wish to stop. The language is the one of the
// settings, or of what the agent says.
func TestEchoOfAWordThatMayMeanStop(t *testing.T) {
	const spanish = "Para su pedido tenemos los plazos de siempre."
	const portuguese = "Para o seu pedido temos os prazos de sempre."
	for _, c := range []struct{ language, greeting, echo string }{
		{"es", spanish, "para su"}, {"es-MX", spanish, "para su"}, {"multi", spanish, "para su"},
		{"pt-BR", portuguese, "para o"}, {"multi", portuguese, "para o"},
	} {
		t.Run(c.language+" "+c.echo, func(t *testing.T) {
			d := newSQLiteDialog(t, `{"initialMessage":"`+c.greeting+`","transcriber":{"language":"`+c.language+`"}}`)
			d.setHoldsClips(true)
			d.joinUser()
			d.waitForState("speaking")
			d.saySegment(c.echo, 400*time.Millisecond)
			d.eventually(func() bool { return len(d.audio) == 0 }, func() string { return "it does not listen" })
			d.waitForTick()
			d.setHoldsClips(false)
			d.waitForState("listening")
			d.scriptAnswers("Claro.")
			d.saySegment("¿Hoy?", 800*time.Millisecond)
			d.waitForTranscript("agent: " + c.greeting + "\nuser: ¿Hoy?\nagent: Claro.\n")
		})
	}
}

// One stop word stops the agent, also during the echo warm-up.
func TestStopInTheFirstSounds(t *testing.T) {
	d := newSQLiteDialog(t, `{"initialMessage":"Hello there, how can I help you today?"}`)
	d.setHoldsClips(true)
	d.joinUser()
	d.waitForState("speaking")
	d.setHeardShare(0.5)
	d.scriptAnswers("I have stopped.")
	d.saySegment("Stop!", 400*time.Millisecond)
	d.waitForCall("stop")
	d.setHoldsClips(false)
	d.eventually(func() bool {
		return strings.HasSuffix(d.transcript(), "user: Stop!\nagent: I have stopped.\n")
	}, d.transcript)
}
