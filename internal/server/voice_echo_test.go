package server_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/speech"
	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
	"parley/internal/voice/rtc"
)

// vowelSynthesizer synthesizes vowels, 50 ms for each letter.
type vowelSynthesizer struct{}

func (vowelSynthesizer) Synthesize(_ context.Context, u speech.Utterance) iter.Seq2[audio.Sound, error] {
	voice := newVowelGenerator()
	return func(yield func(audio.Sound, error) bool) {
		piece := make([]int16, rtc.OutputRate/20)
		for range len(u.Text) {
			for i := range piece {
				piece[i] = 2 * voice()
			}
			if !yield(audio.Sound{Rate: rtc.OutputRate, PCM: piece}, nil) {
				return
			}
		}
	}
}

// With a real media server and real voice detection, the agent's own echo does not interrupt it, a backchannel pauses
// it for a moment, and one word stops it.
func TestSpeechInterruptsAndEchoDoesNot(t *testing.T) {
	const greeting = "Hello there, how can I help you today?"
	const answer = longAnswer
	scriptedModel := &scripted.Model{}
	srv, g, begin := openVoiceServer(t, scriptedModel, `{"initialMessage":"`+greeting+`"}`)
	srv.Responder.Synthesizer = vowelSynthesizer{}
	s := begin()
	c := joinRoom(t, strings.Replace(srv.URL, "http", "ws", 1), s.ParticipantToken)
	defer c.disconnect()
	c.mu.Lock()
	c.hasEcho = true
	c.mu.Unlock()
	g.setText("there how can I help")
	c.publishMicrophone()
	c.waitUntilShown(rtc.Speaking)
	c.waitForAgentSpeech(time.Second)
	c.waitForState(rtc.Listening)
	c.mu.Lock()
	c.hasEcho = false
	c.mu.Unlock()
	c.waitUntilSpoken()
	// until the transcript of the echo is known: the next text of the recogniser is for the next speech
	c.waitForSilence(2 * time.Second)
	defer func() { t.Logf("the transcript is %q", c.transcript()) }()

	scriptedModel.AddScript(scripted.Text(answer))
	g.setText("What does it cost?")
	c.speakFor(600 * time.Millisecond)
	c.waitForAgentSpeech(1500 * time.Millisecond)
	g.setText("Mhm.")
	c.speakFor(400 * time.Millisecond)
	c.waitForTranscript(greeting + "|What does it cost?|" + answer + "|Mhm.")
	c.waitForState(rtc.Listening)

	scriptedModel.AddScript(scripted.Text(answer))
	g.setText("Once more, please.")
	c.speakFor(600 * time.Millisecond)
	c.waitForAgentSpeech(1500 * time.Millisecond)
	scriptedModel.AddScript(scripted.Text("Yes?"))
	g.setText("Stop!")
	c.speakFor(400 * time.Millisecond)
	testkit.Eventually(t, "the end of the answer", func() bool { return strings.HasSuffix(c.transcript(), "|Stop!|Yes?") })
	whole := greeting + "|What does it cost?|" + answer + "|Mhm.|Once more, please.|"
	cut, ok := strings.CutSuffix(strings.TrimPrefix(c.transcript(), whole), "|Stop!|Yes?")
	if !ok || cut == answer || cut == "" || !strings.HasPrefix(answer, cut) {
		t.Error("it was not cut")
	}
}
