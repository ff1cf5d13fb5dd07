package voice

import (
	"testing"
	"time"
)

func TestOverlapDecisions(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	speaking := overlap{bargeInThresholds: speakingThresholds, speaking: true, isDucked: true}
	heldOutput := overlap{bargeInThresholds: speakingThresholds, speaking: true, isDucked: true, isHeld: true,
		heldSince: at}
	thinking := overlap{bargeInThresholds: thinkingThresholds}
	guarded := overlap{bargeInThresholds: speakingThresholds, speaking: true, echoLikely: true}
	for name, c := range map[string]struct {
		o    overlap
		s    overlapState
		want overlapAction
	}{
		"a first sound ducks": {overlap{bargeInThresholds: speakingThresholds, speaking: true},
			overlapState{voicedTime: ms(80), isOngoing: true}, actionDuck},
		"200 ms hold": {speaking, overlapState{voicedTime: ms(200), isOngoing: true},
			actionHold},
		"180 ms do not": {speaking, overlapState{voicedTime: ms(180), isOngoing: true},
			actionNone},
		"thinking is held at once": {thinking, overlapState{voicedTime: ms(80), isOngoing: true}, actionHold},
		"two words interrupt": {heldOutput,
			overlapState{now: at, voicedTime: ms(300), isOngoing: true, text: "what about"}, actionStop},
		"two words interrupt even when not held": {speaking,
			overlapState{voicedTime: ms(100), isOngoing: true, text: "hang on"}, actionStop},
		"one word waits": {heldOutput,
			overlapState{now: at, voicedTime: ms(300), isOngoing: true, text: "what"}, actionNone},
		"stop is enough": {heldOutput,
			overlapState{now: at, voicedTime: ms(300), isOngoing: true, text: "Stop!"}, actionStop},
		"a backchannel is not": {heldOutput,
			overlapState{now: at, voicedTime: ms(900), isOngoing: true, text: "Yeah, okay, I see"}, actionNone},
		"a final backchannel lets the agent go on": {heldOutput,
			overlapState{now: at, voicedTime: ms(900), text: "Mhm, right.", isFinal: true}, actionResume},
		"final words interrupt": {heldOutput,
			overlapState{now: at, voicedTime: ms(300), text: "refund", isFinal: true}, actionStop},
		"no words let the agent go on": {heldOutput,
			overlapState{now: at, voicedTime: ms(800), isFinal: true}, actionResume},
		"its own words let it go on": {heldOutput, overlapState{now: at, voicedTime: ms(800),
			text: "the money is back", isEcho: true, isFinal: true}, actionResume},
		"a short noise is over after 1.5 s": {heldOutput,
			overlapState{now: at.Add(ms(1500)), voicedTime: ms(300)}, actionResume},
		"not before": {heldOutput,
			overlapState{now: at.Add(ms(1400)), voicedTime: ms(300)}, actionNone},
		"not while the voice goes on": {heldOutput,
			overlapState{now: at.Add(ms(1600)), voicedTime: ms(300), isOngoing: true}, actionNone},
		"half a second of voice waits for words": {heldOutput,
			overlapState{now: at.Add(ms(1600)), voicedTime: ms(500)}, actionNone},
		"and not for ever": {heldOutput,
			overlapState{now: at.Add(ms(4000)), voicedTime: ms(500)}, actionResume},
		"echo: the first sounds are passed over": {guarded,
			overlapState{voicedTime: ms(600), isOngoing: true, text: "your order is"}, actionNone},
		"echo: a second of voice counts": {guarded, overlapState{voicedTime: ms(1000), isOngoing: true},
			actionHold},
		"echo: what was understood at last counts": {guarded,
			overlapState{voicedTime: ms(600), text: "I want my money", isFinal: true}, actionStop},
		"what was never held is passed over": {guarded,
			overlapState{voicedTime: ms(600), text: "okay", isFinal: true}, actionIgnore},
		"in thought one word is enough": {overlap{bargeInThresholds: thinkingThresholds, isHeld: true,
			heldSince: at}, overlapState{now: at, voicedTime: ms(300), isOngoing: true, text: "tomorrow"}, actionStop},
	} {
		if got := c.o.decide(c.s); got != c.want {
			t.Errorf("%s: %d instead of %d", name, got, c.want)
		}
	}
}

func TestIsEcho(t *testing.T) {
	spoken := "You can return an item within thirty days. The money is back in a week."
	for transcript, want := range map[string]bool{
		"return an item within thirty days":  true,
		"the money is back in week":          true,
		"an item":                            false,
		"I want to return the money I found": false,
	} {
		if got := isEcho(transcript, spoken, "en", false); got != want {
			t.Errorf("%q: %t", transcript, got)
		}
	}
	for transcript, want := range map[string]bool{"an item": true, "week": true, "item an": false, "wee": false,
		"stop": false, "": false} {
		if got := isEcho(transcript, spoken+" We never stop.", "en", true); got != want {
			t.Errorf("%q, where an echo is likely: %t", transcript, got)
		}
	}
}

// What stops the agent in one language begins sentences in another, and so does what only sounds like it.
func TestStopWordsAreOfTheLanguage(t *testing.T) {
	for text, languages := range map[string]map[string]bool{
		"para":     {"es": false, "pt": false, "": false},
		"¡Espera!": {"es": true, "pt": true, "en": false, "": true},
		"No":       {"es": true, "en": true, "it": true, "de": false},
		"Não":      {"pt": true},
		"halt mal": {"de": true, "en": false},
		"Stop!": {"en": true, "de": true, "es": true, "fr": true, "it": true, "nl": true, "pt": true, "ja": true,
			"": true},
		"pare aqui": {"pt": true, "fr": false},
	} {
		for language, want := range languages {
			if got := isStopRequest(text, language); got != want {
				t.Errorf("%q in %q: %t", text, language, got)
			}
		}
	}
}

func TestIsBackchannel(t *testing.T) {
	for text, want := range map[string]bool{"Mhm": true, "Yeah, I see.": true, "d'accord": true, "はい。": true,
		"no": false, "yes but": false, "": true} {
		if got := isBackchannel(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
