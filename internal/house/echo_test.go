package house_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"parley/internal/llm"
	"parley/internal/pcm"
	"parley/internal/rig"
	"parley/internal/voice/rtc"
)

// sing is a voice that says vowels, 50 ms for each letter.
type sing struct{}

func (sing) Speak(_ context.Context, u llm.Utterance) iter.Seq2[pcm.Sound, error] {
	voice := vowels()
	return func(yield func(pcm.Sound, error) bool) {
		piece := make([]int16, rtc.SpeakRate/20)
		for range len(u.Text) {
			for i := range piece {
				piece[i] = 2 * voice()
			}
			if !yield(pcm.Sound{Rate: rtc.SpeakRate, PCM: piece}, nil) {
				return
			}
		}
	}
}

// Through a real media server and a real ear: the agent's own echo does not interrupt it, a murmur holds it for a moment, and one word
// stops it.
func TestWhatInterrupts(t *testing.T) {
	const greeting = "Hello there, how can I help you today?"
	const answer = "It costs ten euros a month for each person, and there is a discount of twenty percent for those who pay a year."
	model := &llm.Scripted{}
	h, g, begin := voiced(t, model, `{"initialMessage":"`+greeting+`"}`)
	h.Talker.Synthesizer = sing{}
	s := begin()
	c := call(t, strings.Replace(h.URL, "http", "ws", 1), s.ParticipantToken)
	defer c.gone()
	c.mu.Lock()
	c.echoes = true
	c.mu.Unlock()
	g.next("there how can I help")
	c.publish()
	c.awaitsState(rtc.Speaking)
	c.listens(time.Second)
	c.awaitsState(rtc.Listening)
	c.mu.Lock()
	c.echoes = false
	c.mu.Unlock()
	c.finishes()
	c.rests(2 * time.Second) // until what the recogniser makes of the echo is known: what it is told next is for what is said next
	defer func() { t.Logf("the transcript is %q", c.transcript()) }()

	model.Then(llm.Say(answer))
	g.next("What does it cost?")
	c.voice(600 * time.Millisecond)
	c.listens(1500 * time.Millisecond)
	g.next("Mhm.")
	c.voice(400 * time.Millisecond)
	c.awaits(greeting + "|What does it cost?|" + answer + "|Mhm.")
	c.awaitsState(rtc.Listening)

	model.Then(llm.Say(answer))
	g.next("Once more, please.")
	c.voice(600 * time.Millisecond)
	c.listens(1500 * time.Millisecond)
	model.Then(llm.Say("Yes?"))
	g.next("Stop!")
	c.voice(400 * time.Millisecond)
	rig.Eventually(t, "the end of the answer", func() bool { return strings.HasSuffix(c.transcript(), "|Stop!|Yes?") })
	whole := greeting + "|What does it cost?|" + answer + "|Mhm.|Once more, please.|"
	cut, ok := strings.CutSuffix(strings.TrimPrefix(c.transcript(), whole), "|Stop!|Yes?")
	if !ok || cut == answer || cut == "" || !strings.HasPrefix(answer, cut) {
		t.Error("it was not cut")
	}
}
