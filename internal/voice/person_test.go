package voice_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/rig/dbs"
	"parley/internal/store"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
	"parley/internal/words"
)

func (d *dialogue) taken() {
	d.Helper()
	_, err := d.clerk.TakeOver(d, d.account.ID, d.agent, d.live.ConversationID, "operator", "", false)
	d.must(err)
}

// A person takes over while the agent reads out something long: it comes to an end, and the customer is told.
func TestPersonTakesOverDuringALongAnswer(t *testing.T) {
	d := talk(t, `{}`)
	d.speaking(long)
	d.at(0.5)
	d.clock.Turn(time.Minute)
	d.taken()
	d.looked()
	d.clock.Turn(29 * time.Second)
	d.looked()
	if d.done("stop") {
		t.Fatal("the answer was cut at once")
	}
	for n := 0; n < 16 && !d.done("stop"); n++ { // the talk may have heard of the person only now
		d.clock.Turn(2 * time.Second)
		d.looked()
	}
	d.does("stop")
	d.speed(false)
	d.over(parley.EndEscalated)
	d.shows(`
		user: What does it cost?
		agent: It costs ten euros a
		agent: ` + llm.HandedOver(0) + `
	`)
}

// What the customer says when the agent does not answer any more is kept for the person, and the conversation goes on.
func TestWordsForThePerson(t *testing.T) {
	dbs.EachStore(t, func(t *testing.T, db *store.DB) {
		d := newDialogue(t, db, `{"allowInterruptions":false}`)
		d.speaking(long)
		d.types("My number is 4711.") // waits for the end of the answer
		d.eventually(func() bool { return strings.Contains(d.transcript(), "4711") }, d.transcript)
		d.eventually(func() bool { return d.mouth.said() == 2 }, func() string { return "its speech is not made" })
		d.taken()
		d.mouth.wait()
		d.speed(false)
		d.eventually(func() bool { return strings.Contains(d.history(), "user: My number is 4711.\n") }, d.history)
		d.types("And call me Jo.")
		d.eventually(func() bool { return strings.Contains(d.history(), "user: And call me Jo.\n") }, d.history)
		d.mouth.speaks()
		d.over(parley.EndEscalated)
		if h := d.history(); strings.Count(h, "4711") != 1 || strings.Count(h, llm.HandedOver(0)) != 1 {
			t.Errorf("stored is\n%s", h)
		}

		_, err := d.clerk.HumanReplies(d, d.account.ID, d.agent, d.live.ConversationID, "", "Here is Kim.")
		d.must(err)
		goOn := voice.Ask{Continue: true, ConversationID: d.live.ConversationID}
		_, err = d.ask(goOn)
		d.fails(err, parley.CodeNotOngoing, "")
		_, err = d.clerk.HandBack(d, d.account.ID, d.agent, d.live.ConversationID, "operator")
		d.must(err)
		d.stage = newStage(d.clock.Now)
		d.live = d.studioLive(d.start(goOn))
		d.join()
		d.answers("Your number is 4711.")
		d.types("What was my number?")
		d.eventually(func() bool { return strings.HasSuffix(d.history(), "assistant: Your number is 4711.\n") }, d.history)
		said := d.model.Requests()[len(d.model.Requests())-1].Messages
		var all strings.Builder
		for _, m := range said {
			all.WriteString(m.Text + "\n")
		}
		for _, want := range []string{"My number is 4711.", "Here is Kim."} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("the model was not told %q:\n%s", want, all.String())
			}
		}
		d.events <- rtc.Event{Kind: rtc.EventLeft}
		d.over(parley.EndClientLeft)
	})
}

// A person takes over while the agent thinks: no word of an answer, and none of an error.
func TestPersonTakesOverWhileTheAgentThinks(t *testing.T) {
	d := talk(t, `{}`)
	d.clerk.Stop = d.engine.Stop
	d.join()
	gate := llm.NewGate()
	defer gate.Open()
	d.model.Then(llm.Step{Gate: gate}, llm.Say("Never."))
	d.says("Wo ist meine Bestellung?", 800*time.Millisecond)
	<-gate.Reached()
	d.taken()
	d.over(parley.EndEscalated)
	german := llm.HandedOver(words.German)
	d.shows(`
		user: Wo ist meine Bestellung?
		agent: ` + german + `
	`)
	if german == llm.HandedOver(0) || len(d.faults) > 0 {
		t.Errorf("%q, %q", german, d.faults)
	}
}
