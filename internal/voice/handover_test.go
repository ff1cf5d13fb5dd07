package voice_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/model/quote"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
	"parley/internal/text/words"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

func (d *testDialog) takeOver() {
	d.Helper()
	_, err := d.conversations.TakeOver(d, d.account.ID.AgentRef(d.agent).ConversationRef(d.session.ConversationID),
		"operator", "", false)
	d.Must(err)
}

// When a person takes over during a long answer, the answer is cut after a while and the customer is told.
func TestPersonTakesOverDuringALongAnswer(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.startSpeaking(long)
	d.setHeardShare(0.5)
	d.clock.Advance(time.Minute)
	d.takeOver()
	d.waitForTick()
	d.clock.Advance(29 * time.Second)
	d.waitForTick()
	if d.wasCalled("stop") {
		t.Fatal("the answer was cut at once")
	}
	for n := 0; n < 16 && !d.wasCalled("stop"); n++ { // the dialog may have been informed only now
		d.clock.Advance(2 * time.Second)
		d.waitForTick()
	}
	d.waitForCall("stop")
	d.setHoldsClips(false)
	d.waitForEnd(parley.EndEscalated)
	d.waitForTranscript(`
		user: What does it cost?
		agent: It costs ten euros a
		agent: ` + quote.HandoverText(0) + `
	`)
}

// What the customer says when the agent does not answer any more is stored for the person, and the conversation can be
// continued.
func TestCustomerTextIsStoredForThePerson(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		d := newTestDialog(t, db, `{"allowInterruptions":false}`)
		d.startSpeaking(long)
		d.typeText("My number is 4711.") // waits for the end of the answer
		d.eventually(func() bool { return strings.Contains(d.transcript(), "4711") }, d.transcript)
		d.eventually(func() bool { return d.synthesizer.countTexts() == 2 }, func() string {
			return "its speech is not made"
		})
		d.takeOver()
		d.synthesizer.block()
		d.setHoldsClips(false)
		d.eventually(func() bool {
			return strings.Contains(d.storedHistory(), "user: My number is 4711.\n")
		}, d.storedHistory)
		d.typeText("And call me Jo.")
		d.eventually(func() bool { return strings.Contains(d.storedHistory(), "user: And call me Jo.\n") }, d.storedHistory)
		d.synthesizer.unblock()
		d.waitForEnd(parley.EndEscalated)
		if h := d.storedHistory(); strings.Count(h, "4711") != 1 || strings.Count(h, quote.HandoverText(0)) != 1 {
			t.Errorf("stored is\n%s", h)
		}

		_, err := d.conversations.AddHumanReply(d,
			d.account.ID.AgentRef(d.agent).ConversationRef(d.session.ConversationID), "", "Here is Kim.")
		d.Must(err)
		goOn := voice.SessionRequest{ContinueConversation: true, ConversationID: d.session.ConversationID}
		_, err = d.tryStart(goOn)
		d.requireError(err, parley.CodeNotOngoing, "")
		_, err = d.conversations.HandBack(d, d.account.ID.AgentRef(d.agent).ConversationRef(d.session.ConversationID),
			"operator")
		d.Must(err)
		d.fakeTransport = newFakeTransport(d.clock.Now)
		d.session = d.dialogSession(d.startSession(goOn))
		d.joinUser()
		d.scriptAnswers("Your number is 4711.")
		d.typeText("What was my number?")
		d.eventually(func() bool {
			return strings.HasSuffix(d.storedHistory(), "assistant: Your number is 4711.\n")
		}, d.storedHistory)
		messages := d.model.Requests()[len(d.model.Requests())-1].Messages
		var all strings.Builder
		for _, m := range messages {
			all.WriteString(m.Text + "\n")
		}
		for _, want := range []string{"My number is 4711.", "Here is Kim."} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("the model did not get %q:\n%s", want, all.String())
			}
		}
		d.events <- rtc.Event{Kind: rtc.EventLeft}
		d.waitForEnd(parley.EndClientLeft)
	})
}

// When a person takes over while the agent thinks, there is neither an answer nor an error.
func TestPersonTakesOverWhileTheAgentThinks(t *testing.T) {
	d := newSQLiteDialog(t, `{}`)
	d.conversations.StopTurn = d.engine.Stop
	d.joinUser()
	barrier := scripted.NewBarrier()
	defer barrier.Release()
	d.model.AddScript(scripted.Step{Barrier: barrier}, scripted.Text("Never."))
	d.saySegment("Wo ist meine Bestellung?", 800*time.Millisecond)
	check.Receive(t, "a model at its barrier", barrier.Reached())
	d.takeOver()
	d.waitForEnd(parley.EndEscalated)
	german := quote.HandoverText(words.German)
	d.waitForTranscript(`
		user: Wo ist meine Bestellung?
		agent: ` + german + `
	`)
	if german == quote.HandoverText(0) || len(d.faults) > 0 {
		t.Errorf("%q, %q", german, d.faults)
	}
}
