package voice_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/rig/dbs"
	"parley/internal/store"
	"parley/internal/voice/rtc"
)

const (
	question = "What does it cost?"
	long     = "It costs ten euros a month for each person. There is a discount of twenty percent for a year."
)

// speaking brings the agent to where its answer stands in the midst of the first sentence, well after its first sounds.
func (d *dialogue) speaking(texts ...string) {
	d.Helper()
	d.join()
	d.answers(texts...)
	d.speed(true)
	d.says(question, time.Second)
	d.is("speaking")
	d.forget()
}

// warm are settings whose greeting is longer than the time in which an echo is expected.
const warm = `{"initialMessage":"` + greeting + `"}`

const greeting = "Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for calling us today. " +
	"Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for calling us today. " +
	"Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for calling us today. " +
	"Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for calling us today. " +
	"Hello and welcome, and thank you for calling us today. Hello and welcome, and thank you for calling us today. "

// warmed is a dialogue whose agent has been heard for a while.
func warmed(t *testing.T, db *store.DB, settings string) *dialogue {
	d := newDialogue(t, db, settings)
	d.mouth.slow = 5
	d.join()
	d.shows("agent: " + strings.TrimSpace(greeting) + "\n")
	d.is("listening")
	return d
}

func TestCustomerTalksOverTheAgent(t *testing.T) {
	dbs.EachStore(t, func(t *testing.T, db *store.DB) {
		d := warmed(t, db, warm)
		d.speaking(long, "Yes, it is.")
		d.at(0.5)
		d.voiceFor(300 * time.Millisecond)
		d.does("duck")
		d.does("pause")
		if d.done("stop") {
			t.Error("it stopped before anything was understood")
		}
		d.ears.texts <- "And is that with tax?"
		d.speed(false)
		d.voiceFor(400 * time.Millisecond)
		d.hush(time.Second)
		d.does("stop")
		d.shows("agent: " + strings.TrimSpace(greeting) + `
			user: What does it cost?
			agent: It costs ten euros a
			user: And is that with tax?
			agent: Yes, it is.
		`)
		d.stores("assistant: " + strings.TrimSpace(greeting) + `
			user: What does it cost?
			assistant: It costs ten euros a…
			user: And is that with tax?
			assistant: Yes, it is.
		`)
		last := d.model.Requests()[1].Messages
		if got := last[len(last)-2].Text; got != "It costs ten euros a" {
			t.Errorf("the model remembers to have said %q", got)
		}
	})
}

func TestListenerMurmurs(t *testing.T) {
	d := warmed(t, file(t), warm)
	d.speaking(long)
	d.says("Mhm, yeah.", 300*time.Millisecond)
	d.does("pause")
	d.does("resume")
	d.speed(false)
	d.shows("agent: " + strings.TrimSpace(greeting) + `
		user: What does it cost?
		agent: ` + long + `
		user: Mhm, yeah.
	`)
	d.stores("assistant: " + strings.TrimSpace(greeting) + `
		user: What does it cost?
		assistant: ` + long + `
	`)
	if d.done("stop") {
		t.Error("a murmur stopped the agent")
	}
}

func TestNoiseHoldsTheAgentForAMoment(t *testing.T) {
	d := warmed(t, file(t), warm)
	d.speaking(long)
	d.voiceFor(400 * time.Millisecond)
	d.hush(400 * time.Millisecond) // nothing is understood, for the engine never answers
	d.does("pause")
	if d.done("resume") {
		t.Error("it went on before anything was known")
	}
	d.ears.texts <- ""
	d.hush(time.Second)
	d.does("resume")
	d.speed(false)
	d.is("listening")
	if !strings.Contains(d.transcript(), long+"\n") {
		t.Errorf("it was cut:\n%s", d.transcript())
	}
}

func TestEchoOfTheAgent(t *testing.T) {
	d := warmed(t, file(t), warm)
	d.speaking(long)
	d.says("it costs ten euros a month", 900*time.Millisecond)
	d.does("resume")
	d.speed(false)
	d.is("listening")
	if strings.Contains(d.transcript(), "it costs") || d.done("stop") {
		t.Errorf("it heard itself:\n%s", d.transcript())
	}
}

// In its first sounds the browser learns what the agent's echo is: short voice says nothing then.
func TestFirstSoundsAreGuarded(t *testing.T) {
	d := talk(t, `{}`)
	d.speaking(long)
	d.voiceFor(600 * time.Millisecond)
	d.ears.texts <- "okay"
	d.hush(time.Second)
	d.eventually(func() bool { return strings.Contains(d.transcript(), "okay") }, d.transcript)
	if d.done("pause") || d.done("duck") {
		t.Errorf("it was held: %v", d.calls)
	}
}

func TestInterruptionsAreOff(t *testing.T) {
	d := talk(t, `{"allowInterruptions":false}`)
	d.speaking(long)
	d.voiceFor(2 * time.Second)
	d.hush(time.Second)
	d.types("Hello?")
	d.eventually(func() bool { return strings.Contains(d.transcript(), "Hello?") }, d.transcript)
	d.answers("Hello.")
	d.speed(false)
	d.shows(`
		user: What does it cost?
		agent: ` + long + `
		user: Hello?
		agent: Hello.
	`)
	if d.done("pause") || d.done("duck") {
		t.Errorf("it was held: %v", d.calls)
	}
	d.is("listening")
	d.answers("Bye.")
	d.says("Thank you and goodbye.", 800*time.Millisecond)
	d.eventually(func() bool { return strings.Contains(d.transcript(), "agent: Bye.\n") }, d.transcript)
}

// Who goes on speaking while the agent thinks has not asked yet: the question grows, and the answer to half of it is dropped.
func TestCustomerGoesOn(t *testing.T) {
	dbs.EachStore(t, func(t *testing.T, db *store.DB) {
		d := newDialogue(t, db, `{}`)
		d.join()
		gate := llm.NewGate()
		d.model.Then(llm.Step{Gate: gate}, llm.Say("Which one?"))
		d.says("I have a question.", 800*time.Millisecond)
		<-gate.Reached()
		d.is("thinking")
		d.answers("It is on its way.")
		d.says("Where is my order?", 800*time.Millisecond)
		d.shows(`
			user: I have a question.
			user: Where is my order?
			agent: It is on its way.
		`)
		d.stores(`
			user: I have a question. Where is my order?
			assistant: It is on its way.
		`)
		if used, reserved, err := d.DB.CreditsUsed(t.Context(), d.account.ID, store.MonthOf(d.clock.Now())); err != nil || used != 0 || reserved != 5*parley.Credit {
			t.Errorf("used %d, reserved %d, %v", used, reserved, err)
		}
	})
}

// Nothing but a murmur while the agent thinks changes nothing.
func TestMurmurWhileTheAgentThinks(t *testing.T) {
	d := talk(t, `{}`)
	d.join()
	gate := llm.NewGate()
	d.model.Then(llm.Step{Gate: gate}, llm.Say("Ten euros."))
	d.says(question, 800*time.Millisecond)
	<-gate.Reached()
	d.says("Mhm.", 300*time.Millisecond)
	d.does("pause")
	d.does("resume")
	gate.Open()
	d.shows(`
		user: What does it cost?
		user: Mhm.
		agent: Ten euros.
	`)
}

func TestCustomerLeavesWhileTheAgentSpeaks(t *testing.T) {
	d := talk(t, `{}`)
	d.speaking(long)
	d.at(0.5)
	d.events <- rtc.Event{Kind: rtc.EventLeft}
	d.over(parley.EndClientLeft)
	d.stores(`
		user: What does it cost?
		assistant: It costs ten euros a…
	`)
}

// The echo of a greeting of two words is no interruption, and no question when it trails behind.
func TestEchoOfAShortGreeting(t *testing.T) {
	d := talk(t, `{"initialMessage":"Hello there!"}`)
	d.speed(true)
	d.join()
	d.is("speaking")
	d.says("hello there", 400*time.Millisecond)
	d.looked()
	d.voiceFor(300 * time.Millisecond)
	d.eventually(func() bool { return len(d.audio) == 0 }, func() string { return "it does not listen" })
	d.clock.Turn(100 * time.Millisecond)
	d.speed(false)
	d.is("listening")
	d.ears.texts <- "there"
	d.hush(time.Second)
	d.ears.texts <- "stop"
	d.answers("I have stopped.")
	d.voiceFor(500 * time.Millisecond)
	d.hush(time.Second)
	d.shows(`
		agent: Hello there!
		user: stop
		agent: I have stopped.
	`)
}

// One word stops the agent, also while its first sounds are guarded.
func TestStopInTheFirstSounds(t *testing.T) {
	d := talk(t, `{"initialMessage":"Hello there, how can I help you today?"}`)
	d.speed(true)
	d.join()
	d.is("speaking")
	d.at(0.5)
	d.answers("I have stopped.")
	d.says("Stop!", 400*time.Millisecond)
	d.does("stop")
	d.speed(false)
	d.eventually(func() bool { return strings.HasSuffix(d.transcript(), "user: Stop!\nagent: I have stopped.\n") }, d.transcript)
}
