package rtc

import (
	"math"
	"testing"
)

// sineFrames returns frames of a sine at 48 kHz.
func sineFrames(pitch float64, frames int) []int16 {
	pcm := make([]int16, frames*outputFrameSamples)
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*pitch*float64(i)/OutputRate))
	}
	return pcm
}

// pitchPower returns the share of a pitch in samples of 16 kHz, 1 for the tone above.
func pitchPower(pcm []int16, pitch float64) float64 {
	var re, im float64
	for i, v := range pcm {
		s, c := math.Sincos(2 * math.Pi * pitch * float64(i) / InputRate)
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
	var decoded []int16
	var pcm [maxDecodedSamples]int16
	packet := make([]byte, maxPacketBytes)
	for sound, n := sineFrames(440, 50), 0; len(sound) > 0; sound, n = sound[outputFrameSamples:], n+1 {
		size, err := codec.EncodeInt16(sound[:outputFrameSamples], packet)
		if err != nil || size == 0 || size > 200 {
			t.Fatalf("a packet of %d bytes: %v", size, err)
		}
		data := packet[:size]
		if n%10 == 9 {
			data = nil // lost
		}
		count, err := codec.DecodeInt16(data, pcm[:inputFrameSamples])
		if err != nil || count != inputFrameSamples {
			t.Fatalf("%d samples: %v", count, err)
		}
		decoded = append(decoded, pcm[:count]...)
	}
	if p := pitchPower(decoded[InputRate/10:], 440); p < 0.7 {
		t.Errorf("%.2f of the tone remains", p)
	}
	if p := pitchPower(decoded[InputRate/10:], 700); p > 0.1 {
		t.Errorf("%.2f of another", p)
	}
}
