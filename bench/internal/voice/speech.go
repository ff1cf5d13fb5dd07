package voice

import (
	"context"
	le "encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// interruptions are the texts that callers interrupt with, in turn. None has a pause in it, which would end the turn.
var interruptions = []string{
	"Wait a moment please I have another question.", "Sorry I meant the other one.", "Please stop my order is late.",
	"Excuse me how long does that take?", "Hold on what does it cost?", "Can I speak to a person please?",
}

// synthesizeInterruptions are the interruptions in the voice rms of flite, from their first sound on. Where flite is
// not installed it is one: the voice of the other measurements, which is simpler than a person's.
func synthesizeInterruptions(instead audioPackets) ([]audioPackets, error) {
	var list []audioPackets
	for _, text := range interruptions {
		pcm, err := runFlite(text)
		if errors.Is(err, exec.ErrNotFound) {
			return []audioPackets{instead}, nil
		}
		if err != nil {
			return nil, err
		}
		n := 0
		p, err := encodePackets(func() int16 { // from 16 kHz to 48
			at := n / 3
			n++
			if at >= len(pcm)-1 {
				return 0
			}
			return pcm[at] + int16(int(pcm[at+1]-pcm[at])*((n-1)%3)/3)
		}, 3*len(pcm)/micFrame)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// minAudiblePeak is the lowest peak that counts as the first sound, of 32768.
const minAudiblePeak = 600

func runFlite(text string) ([]int16, error) {
	program, err := exec.LookPath("flite")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "speech.wav")
	if out, err := exec.CommandContext(context.Background(), program, "-voice", "rms", "-t", text, "-o",
		file).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("flite: %w: %s", err, out)
	}
	wav, err := os.ReadFile(file)
	if err != nil || len(wav) < 44 || le.LittleEndian.Uint32(wav[24:]) != decodeRate {
		return nil, fmt.Errorf("flite gave no sound of %d Hz: %w", decodeRate, err)
	}
	var pcm []int16
	for i := 44; i+1 < len(wav); i += 2 {
		v := int16(le.LittleEndian.Uint16(wav[i:]))
		if pcm != nil || v > minAudiblePeak || v < -minAudiblePeak {
			pcm = append(pcm, v)
		}
	}
	return pcm, nil
}
