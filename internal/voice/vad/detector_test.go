package vad

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"
)

func processAll(e *Detector, pcm []int16) []Event {
	var events []Event
	for len(pcm) > 0 {
		n := min(len(pcm), 317) // pieces need not be frames
		events = append(events, e.Process(pcm[:n])...)
		pcm = pcm[n:]
	}
	return events
}

func eventKinds(events []Event) []Kind {
	var list []Kind
	for _, e := range events {
		list = append(list, e.Kind)
	}
	return list
}

func TestVoiceIsNoticedWithin120Milliseconds(t *testing.T) {
	for name, room := range map[string]waveform{"silence": whiteNoise(0), "quiet": whiteNoise(10),
		"loud hiss": whiteNoise(250), "street": pinkNoise(300)} {
		for _, offset := range []float64{0, 0.003, 0.007, 0.011, 0.016} {
			began := 2.5 + offset
			events := processAll(New(Config{}), renderPCM(3*time.Second, room, speakingVoice(began, 3, 6000)))
			if len(events) == 0 || events[0].Kind != Onset {
				t.Fatalf("%s: no onset: %v", name, eventKinds(events))
			}
			late := events[0].At - time.Duration(began*float64(time.Second))
			if late < 40*time.Millisecond || late > 120*time.Millisecond {
				t.Errorf("%s: noticed after %v", name, late)
			}
			if got := time.Duration(len(events[0].PCM)) * time.Second / Rate; got < preRoll {
				t.Errorf("%s: pre-roll of %v", name, got)
			}
		}
	}
}

func TestTurnEndsWhenItsTextLooksComplete(t *testing.T) {
	pcm := renderPCM(9*time.Second, whiteNoise(10), speakingVoice(3, 5, 6000))
	for _, c := range []struct {
		name     string
		config   Config
		judge    Completeness
		from, to time.Duration // silence after which the turn ends
	}{
		{"complete", Config{}, Complete, 280 * time.Millisecond, 300 * time.Millisecond},
		{"complete, quick agent", Config{MinSilence: 100 * time.Millisecond}, Complete, 100 * time.Millisecond,
			140 * time.Millisecond},
		{"not known", Config{}, Unknown, 580 * time.Millisecond, 620 * time.Millisecond},
		{"incomplete", Config{}, Incomplete, 1480 * time.Millisecond, 1520 * time.Millisecond},
		{"patient agent", Config{MinSilence: 3 * time.Second}, Incomplete, 2980 * time.Millisecond, 3020 * time.Millisecond},
	} {
		e := New(c.config)
		var events []Event
		for rest := pcm; len(rest) >= frameSamples; rest = rest[frameSamples:] {
			for _, event := range e.Process(rest[:frameSamples]) {
				events = append(events, event)
				if event.Kind == Pause {
					e.SetCompleteness(c.judge)
				}
			}
		}
		if got := eventKinds(events); !slices.Equal(got, []Kind{Onset, Pause, End}) {
			t.Fatalf("%s: %v", c.name, got)
		}
		if s := events[2].Silence; s < c.from || s > c.to {
			t.Errorf("%s: ended after %v of silence", c.name, s)
		}
		if v := events[2].Voiced; v < 1800*time.Millisecond || v > 2200*time.Millisecond {
			t.Errorf("%s: detected %v of voice instead of two seconds", c.name, v)
		}
	}
}

func TestSpeakerContinuesAfterAPause(t *testing.T) {
	e := New(Config{})
	events := processAll(e,
		renderPCM(9*time.Second, whiteNoise(10), speakingVoice(3, 4, 6000), speakingVoice(4.5, 5.5, 6000)))
	if got := eventKinds(events); !slices.Equal(got, []Kind{Onset, Pause, Resume, Pause, End}) {
		t.Fatal(got)
	}
	if whole := len(events[4].PCM); whole < 3*Rate {
		t.Errorf("the turn holds %d samples", whole)
	}
	if e.IsSpeaking() || e.VoicedTime() != 0 {
		t.Error("the turn continues after its end")
	}
}

func TestLongTurnIsCut(t *testing.T) {
	second := renderPCM(time.Second, whiteNoise(10), speakingVoice(0, 1, 6000))
	events := processAll(New(Config{}), slices.Repeat(second, 65))
	i := slices.IndexFunc(events, func(e Event) bool { return e.Kind == End })
	if i < 0 || !events[i].Truncated || events[i].At > 62*time.Second {
		t.Fatalf("%v", eventKinds(events))
	}
}

func TestNoiseIsNotDetectedAsVoice(t *testing.T) {
	windStrength := func(t float64) float64 { return 0.3 + 0.7*math.Sin(2*math.Pi*3*t) }
	wind := pinkNoise(3000)
	for name, room := range map[string]waveform{
		"hiss":   whiteNoise(1500),
		"street": pinkNoise(3000),
		"wind":   func(t float64) float64 { return wind(t) * windStrength(t) },
		"typing": typingNoise(),
		"hum":    mainsHum(3),
		"beeps": func(t float64) float64 {
			if math.Mod(t, 1) > 0.3 {
				return 0
			}
			return 8000 * math.Sin(2*math.Pi*350*t)
		},
	} {
		if events := processAll(New(Config{}), renderPCM(8*time.Second, whiteNoise(15), room)); len(events) != 0 {
			t.Errorf("%s: %v", name, eventKinds(events))
		}
	}
}

// Without learned weights not all music can be distinguished from voices, but a radio must not keep the agent silent.
func TestMusicIsRarelyDetectedAsVoice(t *testing.T) {
	for name, music := range map[string]waveform{"melody": bandMusic(200, 1), "quick melody": bandMusic(480, 1),
		"chords": bandMusic(120, 3)} {
		e := New(Config{})
		taken := 0
		pcm := renderPCM(15*time.Second, whiteNoise(15), music)
		for ; len(pcm) >= frameSamples; pcm = pcm[frameSamples:] {
			e.Process(pcm[:frameSamples])
			if e.IsSpeaking() {
				taken++
			}
		}
		if share := float64(taken) / 750; share > 0.2 {
			t.Errorf("%s is taken for speech for %.0f %% of the time", name, 100*share)
		}
	}
}

func TestMeaningOfThreshold(t *testing.T) {
	faint := renderPCM(6*time.Second, whiteNoise(60), speakingVoice(3, 5, 120))
	if events := processAll(New(Config{Threshold: 0.1}), faint); len(events) == 0 {
		t.Error("a low threshold does not detect a faint voice")
	}
	if events := processAll(New(Config{Threshold: 1}), faint); len(events) != 0 {
		t.Error("a high threshold detects a faint voice")
	}
}

// In noise that is 20, 10 and 5 dB weaker, most of a real voice is within turns, and little else is.
func TestRecordedVoicesInNoise(t *testing.T) {
	for name, voice := range readRecordings(t) {
		for _, dB := range []float64{40, 20, 10, 5} {
			for kind, noise := range map[string]func(float64) waveform{"hiss": whiteNoise, "street": pinkNoise} {
				voiced, idle := turnShares(voice, noise(loudness(voice)/math.Pow(10, dB/20)))
				minimum := map[float64]float64{40: 0.9, 20: 0.9, 10: 0.7, 5: 0.4}[dB]
				if voiced < minimum || idle > 0 {
					t.Errorf("%s, %v dB above %s: heard %.0f %% of the voice, and %.0f %% of the pause before", name,
						dB, kind, 100*voiced, 100*idle)
				}
			}
		}
	}
}

// turnShares plays a recording after three seconds of noise and returns how much of it is within turns, and how much of
// the noise.
func turnShares(voice []int16, noise waveform) (voiced, idle float64) {
	const lead = 3 * Rate
	speech := func(t float64) float64 {
		if i := int(t*Rate+0.5) - lead; i >= 0 && i < len(voice) {
			return float64(voice[i])
		}
		return 0
	}
	pcm := renderPCM(time.Duration(lead+len(voice)+2*Rate)*time.Second/Rate, noise, speech)
	covered := make([]bool, len(pcm)+frameSamples)
	for _, e := range processAll(New(Config{}), pcm) {
		if e.Kind == End {
			end := int(e.At * Rate / time.Second)
			for i := max(0, end-len(e.PCM)); i < end; i++ {
				covered[i] = true
			}
		}
	}
	loud, coveredFrames, early := 0, 0, 0
	for i := 0; i+frameSamples <= len(voice); i += frameSamples {
		if loudness(voice[i:i+frameSamples]) > loudness(voice)/2 {
			loud++
			if covered[lead+i] {
				coveredFrames++
			}
		}
	}
	for i := range lead - Rate/2 {
		if covered[i] {
			early++
		}
	}
	return float64(coveredFrames) / float64(loud), float64(early) / lead
}

func TestAssessCompleteness(t *testing.T) {
	for completeness, texts := range map[Completeness][]string{
		Complete: {"Where is my order?", "where is my order", "Yes.", "no", "ja", "It is broken.",
			"I want to log in.", "order 123456789", "I was born in 1984.", "two tickets please", "私の注文はどこですか"},
		Incomplete: {"I would like to", "my order number is 4 5 6", "Four five six.", "because the", "Um.",
			"I bought it and", "my name is", "it is,", "Ich möchte meine", "john at example dot", "well..."},
		Unknown: {"", "Order", "..."},
	} {
		for _, text := range texts {
			if got := AssessCompleteness(text); got != completeness {
				t.Errorf("%q looks %v, not %v", text, got, completeness)
			}
		}
	}
	if n := len(slices.Collect(maps.Keys(unfinishedWords()))); n < 50 {
		t.Errorf("only %d words hang", n)
	}
}

func BenchmarkSecond(b *testing.B) {
	pcm := renderPCM(time.Second, whiteNoise(50), speakingVoice(0.2, 0.8, 6000))
	e := New(Config{})
	for b.Loop() {
		e.Process(pcm)
	}
}
