package voice

import (
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	speaking := overlap{patience: whileSpeaking, speaking: true, ducked: true}
	held := overlap{patience: whileSpeaking, speaking: true, ducked: true, held: true, since: at}
	thinking := overlap{patience: whileThinking}
	guarded := overlap{patience: whileSpeaking, speaking: true, guarded: true}
	for name, c := range map[string]struct {
		o    overlap
		s    sign
		want verdict
	}{
		"a first sound ducks":                      {overlap{patience: whileSpeaking, speaking: true}, sign{voiced: ms(80), on: true}, duck},
		"200 ms hold":                              {speaking, sign{voiced: ms(200), on: true}, hold},
		"180 ms do not":                            {speaking, sign{voiced: ms(180), on: true}, leaveIt},
		"thinking is held at once":                 {thinking, sign{voiced: ms(80), on: true}, hold},
		"two words interrupt":                      {held, sign{now: at, voiced: ms(300), on: true, text: "what about"}, yield},
		"two words interrupt even when not held":   {speaking, sign{voiced: ms(100), on: true, text: "hang on"}, yield},
		"one word waits":                           {held, sign{now: at, voiced: ms(300), on: true, text: "what"}, leaveIt},
		"stop is enough":                           {held, sign{now: at, voiced: ms(300), on: true, text: "Stop!"}, yield},
		"a murmur is not":                          {held, sign{now: at, voiced: ms(900), on: true, text: "Yeah, okay, I see"}, leaveIt},
		"a final murmur lets the agent go on":      {held, sign{now: at, voiced: ms(900), text: "Mhm, right.", final: true}, goOn},
		"final words interrupt":                    {held, sign{now: at, voiced: ms(300), text: "refund", final: true}, yield},
		"no words let the agent go on":             {held, sign{now: at, voiced: ms(800), final: true}, goOn},
		"its own words let it go on":               {held, sign{now: at, voiced: ms(800), text: "the money is back", echo: true, final: true}, goOn},
		"a short noise is over after 1.5 s":        {held, sign{now: at.Add(ms(1500)), voiced: ms(300)}, goOn},
		"not before":                               {held, sign{now: at.Add(ms(1400)), voiced: ms(300)}, leaveIt},
		"not while the voice goes on":              {held, sign{now: at.Add(ms(1600)), voiced: ms(300), on: true}, leaveIt},
		"half a second of voice waits for words":   {held, sign{now: at.Add(ms(1600)), voiced: ms(500)}, leaveIt},
		"and not for ever":                         {held, sign{now: at.Add(ms(4000)), voiced: ms(500)}, goOn},
		"echo: the first sounds are passed over":   {guarded, sign{voiced: ms(600), on: true, text: "your order is"}, leaveIt},
		"echo: a second of voice counts":           {guarded, sign{voiced: ms(1000), on: true}, hold},
		"echo: what was understood at last counts": {guarded, sign{voiced: ms(600), text: "I want my money", final: true}, yield},
		"what was never held is passed over":       {guarded, sign{voiced: ms(600), text: "okay", final: true}, ignore},
		"in thought one word is enough":            {overlap{patience: whileThinking, held: true, since: at}, sign{now: at, voiced: ms(300), on: true, text: "tomorrow"}, yield},
	} {
		if got := c.o.judge(c.s); got != c.want {
			t.Errorf("%s: %d instead of %d", name, got, c.want)
		}
	}
}

func TestEchoes(t *testing.T) {
	said := "You can return an item within thirty days. The money is back in a week."
	for heard, want := range map[string]bool{
		"return an item within thirty days":  true,
		"the money is back in week":          true,
		"an item":                            false,
		"I want to return the money I found": false,
	} {
		if got := echoes(heard, said, false); got != want {
			t.Errorf("%q: %t", heard, got)
		}
	}
	for heard, want := range map[string]bool{"an item": true, "week": true, "item an": false, "wee": false, "stop": false, "": false} {
		if got := echoes(heard, said+" We never stop.", true); got != want {
			t.Errorf("%q, where an echo is likely: %t", heard, got)
		}
	}
}

func TestMurmurs(t *testing.T) {
	for text, want := range map[string]bool{"Mhm": true, "Yeah, I see.": true, "d'accord": true, "はい。": true, "no": false, "yes but": false, "": true} {
		if got := murmurs(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
