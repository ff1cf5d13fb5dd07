package vad

import (
	"encoding/binary"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/testkit/check"
)

// waveform returns a sample for a time in seconds; full scale is 32768.
type waveform func(t float64) float64

func renderPCM(length time.Duration, parts ...waveform) []int16 {
	pcm := make([]int16, int(length.Seconds()*Rate))
	for i := range pcm {
		v := 0.0
		for _, part := range parts {
			v += part(float64(i) / Rate)
		}
		pcm[i] = int16(max(-32768, min(32767, v)))
	}
	return pcm
}

func whiteNoise(loud float64) waveform {
	r := rand.New(rand.NewPCG(1, 2))
	return func(float64) float64 { return loud * r.NormFloat64() }
}

// pinkNoise is noise that falls by 3 dB an octave, as rooms and streets do.
func pinkNoise(loud float64) waveform {
	white := whiteNoise(1)
	var a, b, c float64
	return func(t float64) float64 {
		v := white(t)
		a, b, c = 0.99765*a+v*0.0990460, 0.96300*b+v*0.2965164, 0.57*c+v*1.0526913
		return loud * (a + b + c + v*0.1848) / 1.8
	}
}

// speakingVoice says "aiaiai" with a pitch that rises and falls, from one time to another, four syllables a second.
func speakingVoice(from, to, loud float64) waveform {
	phase := 0.0
	return func(t float64) float64 {
		if t < from || t > to {
			return 0
		}
		t -= from
		pitch := 120 + 25*math.Sin(2*math.Pi*1.3*t)
		phase += pitch / Rate
		formant := 600 + 250*math.Sin(2*math.Pi*2*t)
		v := 0.0
		for h := 1.0; h*pitch < 3500; h++ {
			v += math.Sin(2*math.Pi*h*phase) / (1 + math.Pow((h*pitch-formant)/200, 2)/4) / math.Sqrt(h)
		}
		return loud * v * (0.65 + 0.35*math.Cos(2*math.Pi*4*t)) * min(1, t/0.02)
	}
}

// typingNoise hits a key five to fifteen times a second; the table resonates at 280 Hz.
func typingNoise() waveform {
	r := rand.New(rand.NewPCG(3, 4))
	next, at, loud, pitch := 0.0, 0.0, 0.0, 0.0
	return func(t float64) float64 {
		if t >= next {
			at, next, loud, pitch = t, t+0.06+0.15*r.Float64(), 3000+8000*r.Float64(), 1500+2500*r.Float64()
		}
		d := t - at
		click := math.Sin(2*math.Pi*pitch*d) + 0.5*r.NormFloat64()
		return loud * (math.Exp(-250*d)*click + 0.4*math.Exp(-100*d)*math.Sin(2*math.Pi*280*d))
	}
}

// overtones returns the sum of so many sines over a phase in turns, the higher the weaker.
func overtones(phase float64, count int) float64 {
	one := cmplx.Rect(1, 2*math.Pi*(phase-math.Floor(phase)))
	turn, v := one, 0.0
	for h := range count {
		v += imag(turn) / float64(h+1)
		turn *= one
	}
	return v
}

// mainsHum is mains hum with its overtones, switched on at a time.
func mainsHum(from float64) waveform {
	return func(t float64) float64 {
		if t <= from {
			return 0
		}
		return 3000 * overtones(50*t, 11)
	}
}

// bandMusic plays a number of notes on each beat; they ring and die away.
func bandMusic(beats float64, voices int) waveform {
	type note struct{ pitch, at float64 }
	scale := []float64{196, 220, 246.9, 261.6, 293.7, 329.6, 349.2, 392, 440, 493.9, 523.3}
	r := rand.New(rand.NewPCG(5, 6))
	var ringing []note
	next := 0.0
	return func(t float64) float64 {
		if t >= next {
			next += 60 / beats
			for range voices {
				ringing = append(ringing, note{scale[r.IntN(len(scale))], t})
			}
			ringing = ringing[max(0, len(ringing)-8):]
		}
		v := 0.0
		for _, n := range ringing {
			d := t - n.at
			v += 2500 * math.Exp(-3*d) * (1 - math.Exp(-200*d)) * overtones(n.pitch*d, 6)
		}
		return v
	}
}

// readRecordings returns recordings of real voices, if their folder is there.
func readRecordings(t *testing.T) map[string][]int16 {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(check.SharedDir(t, "audio"), "*.wav"))
	if len(files) == 0 {
		t.Fatal("no recordings")
	}
	out := map[string][]int16{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || len(data) < 44 {
			t.Fatalf("%s: %v", file, err)
		}
		pcm := make([]int16, (len(data)-44)/2)
		for i := range pcm {
			pcm[i] = int16(binary.LittleEndian.Uint16(data[44+2*i:]))
		}
		out[filepath.Base(file)] = pcm
	}
	return out
}

func loudness(pcm []int16) float64 {
	sum := 0.0
	for _, v := range pcm {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(pcm)))
}
