package rtc

import (
	"math"
	"testing"
)

// tone gives frames of a sine at 48 kHz.
func tone(pitch float64, frames int) []int16 {
	pcm := make([]int16, frames*speakSamples)
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*pitch*float64(i)/SpeakRate))
	}
	return pcm
}

// power gives how much of a pitch there is in samples of 16 kHz, 1 for the tone above.
func power(pcm []int16, pitch float64) float64 {
	var re, im float64
	for i, v := range pcm {
		s, c := math.Sincos(2 * math.Pi * pitch * float64(i) / HearRate)
		re += float64(v) * c
		im += float64(v) * s
	}
	return math.Hypot(re, im) * 2 / 8000 / float64(len(pcm))
}

func TestOpusCarriesATone(t *testing.T) {
	codec, err := newOpus()
	if err != nil {
		t.Fatal(err)
	}
	var heard []int16
	var pcm [longestHeard]int16
	packet := make([]byte, packetSize)
	for sound, n := tone(440, 50), 0; len(sound) > 0; sound, n = sound[speakSamples:], n+1 {
		size, err := codec.encode(sound[:speakSamples], packet)
		if err != nil || size == 0 || size > 200 {
			t.Fatalf("a packet of %d bytes: %v", size, err)
		}
		data := packet[:size]
		if n%10 == 9 {
			data = nil // lost
		}
		count, err := codec.decode(data, pcm[:hearSamples])
		if err != nil || count != hearSamples {
			t.Fatalf("%d samples: %v", count, err)
		}
		heard = append(heard, pcm[:count]...)
	}
	if p := power(heard[HearRate/10:], 440); p < 0.7 {
		t.Errorf("%.2f of the tone is left", p)
	}
	if p := power(heard[HearRate/10:], 700); p > 0.1 {
		t.Errorf("%.2f of another", p)
	}
}
