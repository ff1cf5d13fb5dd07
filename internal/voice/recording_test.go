package voice

import (
	"encoding/binary"
	"os"
	"testing"
	"time"

	"parley/internal/voice/rtc"
)

func TestRecording(t *testing.T) {
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ms := func(n int) time.Time { return began.Add(time.Duration(n) * time.Millisecond) }
	recording, err := newRecording(t.TempDir(), began)
	if err != nil {
		t.Fatal(err)
	}
	tone := func(n int, v int16) []int16 {
		sound := make([]int16, n)
		for i := range sound {
			sound[i] = v
		}
		return sound
	}
	clip := recording.newClip("clip")
	clip.write(tone(rtc.OutputRate, 3000))
	recording.clipStarted("clip", ms(500))
	recording.setHeld(true, ms(700))
	recording.setHeld(false, ms(900))
	recording.clipEnded("clip", ms(1700))
	for at := 1000; at < 1400; at += 20 {
		recording.addCustomerAudio(tone(320, 2000), ms(at))
		if err := recording.writeUntil(ms(at).Add(-recordingDelay)); err != nil {
			t.Fatal(err)
		}
	}
	path, length, err := recording.close(ms(1980))
	if err != nil || length != 2*time.Second {
		t.Fatalf("%v long, %v", length, err)
	}
	file, err := os.ReadFile(path)
	if err != nil || len(file) != 44+2*4*recordingRate {
		t.Fatalf("%d bytes, %v", len(file), err)
	}
	for at, want := range map[int][2]bool{250: {false, false}, 600: {false, true}, 800: {false, false},
		950: {false, true}, 1200: {true, true}, 1600: {false, true}, 1800: {false, false}} {
		i := 44 + 4*at*recordingRate/1000
		for side := range want {
			if v := int16(binary.LittleEndian.Uint16(file[i+2*side:])); v > 500 != want[side] {
				t.Errorf("after %d ms, side %d: %d", at, side, v)
			}
		}
	}
}
