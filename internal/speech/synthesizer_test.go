package speech_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/speech"
	"parley/internal/testkit/speechtest"
)

// Sound of any rate is resampled to one, whatever its pieces.
func TestResampledSpeech(t *testing.T) {
	in := speechtest.NewTone(24_000, time.Second)
	pieces := func(yield func(audio.Sound, error) bool) {
		for part := range slices.Chunk(in, 999) {
			if !yield(audio.Sound{Rate: 24_000, PCM: part}, nil) {
				return
			}
		}
	}
	n := 0
	for part, err := range speech.Resample(48_000, pieces) {
		if err != nil {
			t.Fatal(err)
		}
		n += len(part)
	}
	if n != 48_000 {
		t.Errorf("%d samples", n)
	}
	for range speech.Resample(48_000, pieces) {
		break
	}
	broken := errors.New("broken")
	for _, err := range speech.Resample(48_000, func(yield func(audio.Sound, error) bool) {
		yield(audio.Sound{}, broken)
	}) {
		if !errors.Is(err, broken) {
			t.Error(err)
		}
	}
	for part, err := range speech.Resample(48_000, func(func(audio.Sound, error) bool) {}) {
		t.Error(part, err)
	}
	for _, err := range speech.Resample(48_000, func(yield func(audio.Sound, error) bool) {
		yield(audio.Sound{Rate: 7}, nil)
	}) {
		if err == nil {
			t.Error("an odd rate was taken")
		}
	}
}
