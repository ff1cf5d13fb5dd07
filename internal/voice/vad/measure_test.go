package vad

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/testkit/speechtest"
)

// The detector is measured on synthesized speech and computed noises. With -v the tests print the figures of
// docs/performance.md, section "The ear"; they hold what must not get worse.

// synthesizedVoices returns speech of the programs that are installed.
func synthesizedVoices(t *testing.T) (names []string, voices map[string][]int16) {
	t.Helper()
	if isRaceBuild {
		t.Skip("SKIP: the ear is measured without the race detector")
	}
	const text = "Where is my order? I wanted it on Monday. Now I would like to return it all to you."
	voices = map[string][]int16{}
	for _, voice := range []string{"flite rms", "flite slt", "flite awb", "flite kal16", "espeak-ng m3", "espeak-ng f3"} {
		program, variant, _ := strings.Cut(voice, " ")
		path, err := exec.LookPath(program)
		if err != nil {
			t.Logf("SKIP: %s is not installed", program)
			continue
		}
		file := filepath.Join(t.TempDir(), "voice.wav")
		args := []string{"-voice", variant, "-t", text, "-o", file}
		if program == "espeak-ng" {
			args = []string{"-v", "en-us+" + variant, "-w", file, text}
		}
		if output, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", voice, err, output)
		}
		names, voices[voice] = append(names, voice), readSamples(t, file)
	}
	if len(voices) == 0 {
		t.Skip("SKIP: no program that speaks is installed")
	}
	return names, voices
}

func readSamples(t *testing.T, file string) []int16 {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := audio.ReadWAV(b)
	if err == nil {
		s, err = speechtest.Resample(s, Rate)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.PCM
}

// measurement is what was detected of a voice in a room.
type measurement struct {
	turnShare  float64       // share of its loud frames that lie within turns
	idleShare  float64       // share of the time before it that does
	onsetDelay time.Duration // from its beginning to the event
	pauseDelay time.Duration // from its end to the last such event
}

const leadSamples = 3 * Rate // samples of the room before the voice

// measureVoice plays a voice after three seconds of a room, and a second of the room after it.
func measureVoice(voice []int16, room []float64) measurement {
	samples := make([]int16, leadSamples+len(voice)+Rate)
	for i := range samples {
		v := room[i%len(room)]
		if at := i - leadSamples; at >= 0 && at < len(voice) {
			v += float64(voice[at])
		}
		samples[i] = int16(max(math.MinInt16, min(math.MaxInt16, v)))
	}
	first, last := voiceEdges(voice)
	s := measurement{onsetDelay: time.Hour, pauseDelay: time.Hour}
	covered, on := make([]bool, len(samples)), 0
	detector := New(Config{})
	for i := 0; i+frameSamples <= len(samples); i += frameSamples {
		for _, e := range detector.Process(samples[i : i+frameSamples]) {
			switch {
			case e.Kind == Onset:
				on = max(0, i-int(preRoll*Rate/time.Second))
				if late := e.At - samplePosition(leadSamples+first); late > -preRoll {
					s.onsetDelay = min(s.onsetDelay, max(late, 0))
				}
			case e.Kind == Pause:
				s.pauseDelay = e.At - samplePosition(leadSamples+last)
			}
		}
		if detector.IsSpeaking() {
			for j := on; j < i+frameSamples; j++ {
				covered[j] = true
			}
			on = i
		}
	}
	loud, coveredFrames, early := 0, 0, 0
	for i := 0; i+frameSamples <= len(voice); i += frameSamples {
		if loudness(voice[i:i+frameSamples]) > loudness(voice)/2 {
			loud++
			if covered[leadSamples+i] {
				coveredFrames++
			}
		}
	}
	for i := range leadSamples - Rate/2 {
		if covered[i] {
			early++
		}
	}
	s.turnShare, s.idleShare = float64(coveredFrames)/float64(loud), float64(early)/(leadSamples-Rate/2)
	return s
}

func samplePosition(sample int) time.Duration { return time.Duration(sample) * time.Second / Rate }

// voiceEdges returns the samples between which a voice is more than a whisper.
func voiceEdges(voice []int16) (first, last int) {
	const step = Rate / 100
	first = -1
	for i := 0; i+step <= len(voice); i += step {
		if loudness(voice[i:i+step]) > loudness(voice)/4 {
			if last = i + step; first < 0 {
				first = i
			}
		}
	}
	return max(first, 0), last
}

// attenuatedSound returns ten seconds of a sound so many dB below a loudness of 1.
func attenuatedSound(dB float64, s waveform) []float64 {
	out, sum := make([]float64, 10*Rate), 0.0
	for i := range out {
		out[i] = s(float64(i) / Rate)
		sum += out[i] * out[i]
	}
	return scaled(out, math.Pow(10, -dB/20)/math.Sqrt(sum/float64(len(out))))
}

func scaled(room []float64, by float64) []float64 {
	out := make([]float64, len(room))
	for i, v := range room {
		out[i] = by * v
	}
	return out
}

func TestVoicesInNoise(t *testing.T) {
	names, voices := synthesizedVoices(t)
	var crowd [][]int16
	for _, name := range names {
		crowd = append(crowd, voices[name])
	}
	const ms = time.Millisecond
	offset := func(float64) float64 { return 1 }
	for _, row := range []struct {
		name   string
		loud   float64   // dB of full scale
		room   []float64 // beside a voice with the loudness 1
		median time.Duration
		latest time.Duration // of the onsets; the last voice is late if its beginning is lost in the noise
	}{
		{"a quiet room", -20, attenuatedSound(50, whiteNoise(1)), 120 * ms, 160 * ms},
		{"hiss, 10 dB below", -20, attenuatedSound(10, whiteNoise(1)), 130 * ms, 160 * ms},
		{"street, 10 dB below", -20, attenuatedSound(10, pinkNoise(1)), 140 * ms, 200 * ms},
		{"twelve other voices, 10 dB below", -20, attenuatedSound(10, babbleSound(1, crowd)), 160 * ms, 800 * ms},
		{"a fan, 10 dB below", -20, attenuatedSound(10, engineSound(1)), 130 * ms, 200 * ms},
		{"mains hum, 10 dB below", -20, attenuatedSound(10, mainsHum(-1)), 130 * ms, 200 * ms},
		{"pop, 15 dB below", -20, attenuatedSound(15, popMusic(1)), 140 * ms, 200 * ms},
		{"typing, 10 dB below", -20, attenuatedSound(10, typingNoise()), 120 * ms, 200 * ms},
		{"a faint voice", -55, attenuatedSound(20, whiteNoise(1)), 150 * ms, 200 * ms},
		{"clipped", 0, attenuatedSound(40, whiteNoise(1)), 120 * ms, 120 * ms},
		{"a microphone off zero", -20, attenuatedSound(-6, offset), 120 * ms, 140 * ms},
	} {
		all := measurement{turnShare: 1}
		var onsets, pauses []time.Duration
		for _, name := range names {
			voice := voices[name]
			rms := 32768 * math.Pow(10, row.loud/20)
			s := measureVoice(amplified(voice, rms/loudness(voice)), scaled(row.room, rms))
			all.turnShare, all.idleShare = min(all.turnShare, s.turnShare), max(all.idleShare, s.idleShare)
			onsets, pauses = append(onsets, s.onsetDelay), append(pauses, s.pauseDelay)
		}
		slices.Sort(onsets)
		slices.Sort(pauses)
		n := len(names)
		t.Logf("| %s | %.0f %% | %s | %s | %.0f %% |", row.name, 100*all.turnShare,
			formatDelays(onsets[n/2], onsets[n-1]), formatDelays(pauses[n/2], pauses[n-1]), 100*all.idleShare)
		if all.turnShare < 0.9 || all.idleShare > 0 || onsets[n/2] > row.median || onsets[n-1] > row.latest ||
			pauses[n/2] > 450*ms || pauses[n-1] > time.Second {
			t.Errorf("%s: worse than it was", row.name)
		}
	}
}

func amplified(voice []int16, by float64) []int16 {
	out := make([]int16, len(voice))
	for i, v := range voice {
		out[i] = int16(max(math.MinInt16, min(math.MaxInt16, by*float64(v))))
	}
	return out
}

func formatDelays(a, b time.Duration) string {
	return fmt.Sprintf("%d / %d ms", a.Milliseconds(), b.Milliseconds())
}

// noiseTurnShare returns how much of 15 seconds of a noise, in a quiet room, lies within turns, and how many of these
// began.
func noiseTurnShare(noise waveform) (share float64, onsets int) {
	e, frames := New(Config{}), 0
	samples := renderPCM(15*time.Second, whiteNoise(15), noise)
	for ; len(samples) >= frameSamples; samples = samples[frameSamples:] {
		for _, event := range e.Process(samples[:frameSamples]) {
			if event.Kind == Onset {
				onsets++
			}
		}
		if e.IsSpeaking() {
			frames++
		}
	}
	return float64(frames) / 750, onsets
}

func TestFalseDetections(t *testing.T) {
	names, voices := synthesizedVoices(t)
	var crowd [][]int16
	for _, name := range names {
		crowd = append(crowd, voices[name])
	}
	played := func(voices int) (all []waveform) {
		for _, beats := range []float64{60, 100, 200, 300, 480} {
			all = append(all, bandMusic(beats, voices))
		}
		return all
	}
	for _, row := range []struct {
		name    string
		noises  []waveform
		maximum float64
	}{
		{"hiss, street, hum, fan", []waveform{whiteNoise(1500), pinkNoise(3000), mainsHum(3), engineSound(3000)}, 0},
		{"typing", []waveform{typingNoise()}, 0},
		{"breath", []waveform{breathSound(4000)}, 0},
		{"coughs", []waveform{coughSound(8000)}, 0.1},
		{"a telephone that rings", []waveform{telephoneRing(4000)}, 0.15},
		{"melodies of one voice", played(1), 0.05},
		{"of two voices", played(2), 0.1},
		{"of four voices", played(4), 0.2},
		{"strings with vibrato", []waveform{bowedStrings(2500)}, 0.05},
		{"drums, bass and chords", []waveform{popMusic(4000)}, 0.05},
		{"twelve voices at -40 dB", []waveform{babbleSound(330, crowd)}, 0.1},
		{"twelve voices at -25 dB", []waveform{babbleSound(1850, crowd)}, 0.1},
	} {
		mean, worst, began := 0.0, 0.0, 0
		for _, noise := range row.noises {
			share, onsets := noiseTurnShare(noise)
			mean, worst, began = mean+share/float64(len(row.noises)), max(worst, share), began+onsets
		}
		t.Logf("| %s | %.1f / %.1f %% | %.1f |", row.name, 100*mean, 100*worst, float64(began)*4/float64(len(row.noises)))
		if worst > row.maximum {
			t.Errorf("%s: more than %.0f %% are taken for a voice", row.name, 100*row.maximum)
		}
	}
}
