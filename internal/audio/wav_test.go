package audio_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/internal/audio"
	"parley/internal/testkit/check"
)

func newRamp(n int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(i * 7919)
	}
	return out
}

func TestWAVRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 777} {
		file := audio.EncodeWAV(audio.Sound{Rate: 16000, PCM: newRamp(n)})
		got, err := audio.ReadWAV(file, 16000)
		if err != nil || got.Rate != 16000 || !slices.Equal(got.PCM, newRamp(n)) {
			t.Errorf("%d samples: %d at %d, %v", n, len(got.PCM), got.Rate, err)
		}
		if rate, err := audio.ReadWAVRate(bytes.NewReader(file)); err != nil || rate != 16000 {
			t.Errorf("header: %d, %v", rate, err)
		}
	}
}

// Unknown chunks are skipped; one of odd size is followed by a byte of padding.
func TestWAVWithOtherChunks(t *testing.T) {
	plain := audio.EncodeWAV(audio.Sound{Rate: 8000, PCM: newRamp(3)})
	file := slices.Concat(plain[:12], []byte("LIST\x03\x00\x00\x00abc\x00"), plain[12:], []byte("after"))
	if got, err := audio.ReadWAV(file); err != nil || !slices.Equal(got.PCM, newRamp(3)) {
		t.Error(got, err)
	}
}

func TestBrokenWAV(t *testing.T) {
	good := audio.EncodeWAV(audio.Sound{Rate: 16000, PCM: newRamp(10)})
	changed := func(at int, b ...byte) []byte {
		file := slices.Clone(good)
		copy(file[at:], b)
		return file
	}
	files := map[string][]byte{
		"empty": nil, "no RIFF": changed(0, 'X'), "no WAVE": changed(8, 'X'), "format too short": changed(16, 4),
		"format too long": changed(16, 'f', 'f', 'f', 'f'), "float": changed(20, 3), "stereo": changed(22, 2),
		"rate 0":        changed(24, 0, 0),
		"rate too high": changed(24, 255, 255, 255, 255), "bytes per second": changed(28, 1), "align": changed(32, 4),
		"8 bits":                      changed(34, 8),
		"more samples than there are": changed(40, 255), "a size without end": changed(40, 255, 255, 255, 255),
		"half a sample":          changed(40, 19),
		"data before the format": append(good[:12:12], "data\x00\x00\x00\x00"...),
		"only headers":           bytes.Repeat([]byte("JUNK\x00\x00\x00\x00"), 100),
		"too large inside":       binary.LittleEndian.AppendUint32(append(good[:12:12], "JUNK"...), 1<<31),
	}
	for n := range 44 {
		files["cut at "+string(rune('a'+n))] = good[:n]
	}
	for name, file := range files {
		if got, err := audio.ReadWAV(file); err == nil {
			t.Errorf("%s: read %d samples at %d", name, len(got.PCM), got.Rate)
		}
	}
}

// The damaged files in the folder of sounds: one contradicts itself, one has another rate than speech.
func TestDamagedFiles(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(check.SharedDir(t, "audio/broken"), "*.wav"))
	if len(files) == 0 {
		t.Fatal("no damaged files")
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := audio.ReadWAV(file, 16000); err == nil {
			t.Errorf("%s: read %d samples", name, len(got.PCM))
		}
	}
}

func FuzzWAV(f *testing.F) {
	f.Add(audio.EncodeWAV(audio.Sound{Rate: 16000, PCM: newRamp(5)}))
	f.Add([]byte("RIFF$\x00\x00\x00WAVEfmt " +
		"ffff\x01\x00\x01\x00\x80>\x00\x00\x00}\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := audio.ReadWAV(file)
		if err == nil && 2*len(got.PCM) > len(file) {
			t.Error("more samples than bytes")
		}
	})
}
