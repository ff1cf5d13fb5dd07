package audio_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"parley/internal/audio"
	"parley/internal/testkit/speechtest"
)

const toneLevel = 12000.0

func newTone(rate int, hertz float64, n int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(math.Round(toneLevel * math.Sin(2*math.Pi*hertz*float64(i)/float64(rate))))
	}
	return out
}

// levelDB returns how strong one frequency is in the middle of a sound, in dB against the tone's own level.
func levelDB(s audio.Sound, hertz float64) float64 {
	middle := s.PCM[len(s.PCM)/4 : len(s.PCM)*3/4]
	sum, weight := complex(0, 0), 0.0
	for i, v := range middle {
		hann := 1 - math.Cos(2*math.Pi*float64(i)/float64(len(middle)))
		sum += complex(float64(v)*hann, 0) * cmplx.Rect(1, -2*math.Pi*hertz*float64(i)/float64(s.Rate))
		weight += hann
	}
	return 20 * math.Log10(2*cmplx.Abs(sum)/weight/toneLevel+1e-9)
}

var ratePairs = []struct{ from, to int }{{16000, 48000}, {22050, 48000}, {24000, 48000}, {8000, 48000}, {44100, 48000},
	{48000, 16000}, {24000, 16000}, {48000, 48000}}

// A tone stays the same and has no mirror images.
func TestResampleTones(t *testing.T) {
	for _, w := range ratePairs {
		low := float64(min(w.from, w.to))
		for _, share := range []float64{0.02, 0.1, 0.3, 0.41} { // of the lower rate; half is its Nyquist frequency
			hertz := math.Round(share * low)
			s, err := speechtest.Resample(audio.Sound{Rate: w.from, PCM: newTone(w.from, hertz, w.from)}, w.to)
			if err != nil {
				t.Fatal(err)
			}
			if db := levelDB(s, hertz); math.Abs(db) > 0.5 {
				t.Errorf("%d to %d: %g Hz at %.1f dB", w.from, w.to, hertz, db)
			}
			for _, image := range []float64{float64(w.from) - hertz, float64(w.from) + hertz} {
				if image >= float64(w.to)/2 || w.from >= w.to {
					continue
				}
				if db := levelDB(s, image); db > -65 {
					t.Errorf("%d to %d: %g Hz is mirrored at %g Hz with %.1f dB", w.from, w.to, hertz, image, db)
				}
			}
		}
	}
}

// Frequencies that the lower rate cannot hold are removed and not folded down.
func TestResampleRemovesFrequenciesThatDoNotFit(t *testing.T) {
	for _, hertz := range []float64{8200, 10000, 15000, 23000} {
		s, err := speechtest.Resample(audio.Sound{Rate: 48000, PCM: newTone(48000, hertz, 48000)}, 16000)
		if err != nil {
			t.Fatal(err)
		}
		folded := math.Abs(hertz - 16000*math.Round(hertz/16000))
		if db := levelDB(s, folded); db > -65 {
			t.Errorf("%g Hz is folded to %g Hz with %.1f dB", hertz, folded, db)
		}
	}
}

// The result is the same, and lasts as long, whatever the pieces of the input.
func TestResampleInPieces(t *testing.T) {
	for _, w := range ratePairs {
		in := newTone(w.from, 440, 10_007)
		whole, err := speechtest.Resample(audio.Sound{Rate: w.from, PCM: in}, w.to)
		if err != nil {
			t.Fatal(err)
		}
		if want := (len(in)*w.to + w.from - 1) / w.from; len(whole.PCM) != want {
			t.Errorf("%d to %d: %d samples, want %d", w.from, w.to, len(whole.PCM), want)
		}
		for _, size := range []int{1, 7, 320, 4000} {
			r, err := audio.NewResampler(w.from, w.to)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // it can be used again after Flush
				var got []int16
				for part := range slices.Chunk(in, size) {
					got = append(got, r.Push(part)...)
				}
				if got = append(got, r.Flush()...); !slices.Equal(got, whole.PCM) {
					t.Errorf("%d to %d in pieces of %d: another sound", w.from, w.to, size)
				}
			}
		}
	}
}

func TestResampleClips(t *testing.T) {
	square := make([]int16, 1600)
	for i := range square {
		square[i] = math.MaxInt16
		if i/20%2 == 0 {
			square[i] = math.MinInt16
		}
	}
	s, err := speechtest.Resample(audio.Sound{Rate: 16000, PCM: square}, 48000)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range s.PCM[300 : len(s.PCM)-300] {
		if place := (i + 300) % 60; place > 15 && place < 45 && (v > 0) != (square[(i+300)/3] > 0) {
			t.Fatal("a loud sound has overflowed")
		}
	}
}

func TestResampleRejectsUnsupportedRates(t *testing.T) {
	for _, w := range [][2]int{{0, 48000}, {16000, 0}, {-1, 48000}, {192000, 48000}, {4000, 8000}} {
		if _, err := audio.NewResampler(w[0], w[1]); err == nil {
			t.Errorf("%v was taken", w)
		}
	}
}

func BenchmarkResample(b *testing.B) {
	for _, w := range ratePairs[:3] {
		b.Run(fmt.Sprint(w.from), func(b *testing.B) {
			in := newTone(w.from, 440, w.from)
			for b.Loop() {
				if _, err := speechtest.Resample(audio.Sound{Rate: w.from, PCM: in}, w.to); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
