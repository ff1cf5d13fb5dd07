package voice

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"slices"

	"github.com/thesyncim/gopus"

	"parley/internal/speech"
	"parley/internal/speech/local"
)

const (
	micRate    = 48_000
	micFrame   = micRate / 50
	decodeRate = 16_000
)

// audioPackets are what a microphone sends, one every 20 ms. They are encoded once, so that a caller costs no more than
// a browser elsewhere would cost this machine.
type audioPackets [][]byte

type callerSounds struct {
	silence       audioPackets
	voice         audioPackets   // a voice that says "aiaiai"
	tone          audioPackets   // sound that is no voice: a room with music
	interruptions []audioPackets // of those who interrupt
}

func newCallerSounds() (s callerSounds, err error) {
	for _, kind := range []struct {
		to     *audioPackets
		sample func() int16
		length int
	}{{&s.silence, func() int16 {
		return 0
	}, 10}, {&s.voice, newVowelGenerator(), 200}, {&s.tone, newOrganGenerator(), 50}} {
		if *kind.to, err = encodePackets(kind.sample, kind.length); err != nil {
			return s, err
		}
	}
	s.interruptions, err = synthesizeInterruptions(s.voice)
	return s, err
}

func encodePackets(sample func() int16, length int) (list audioPackets, err error) {
	e, err := gopus.NewEncoder(gopus.EncoderConfig{SampleRate: micRate, Channels: 1, Application: gopus.ApplicationVoIP})
	if err != nil {
		return nil, err
	}
	frame, packet := make([]int16, micFrame), make([]byte, 1275)
	for range length {
		for i := range frame {
			frame[i] = sample()
		}
		n, err := e.EncodeInt16(frame, packet)
		if err != nil {
			return nil, fmt.Errorf("opus: %w", err)
		}
		list = append(list, append([]byte(nil), packet[:n]...))
	}
	return list, nil
}

// newVowelGenerator returns samples of a voice: its pitch and its formant move.
func newVowelGenerator() func() int16 {
	n, phase := 0, 0.0
	return func() int16 {
		at := float64(n) / micRate
		n++
		pitch := 120 + 25*math.Sin(2*math.Pi*1.3*at)
		phase += pitch / micRate
		formant := 600 + 250*math.Sin(4*math.Pi*at)
		v := 0.0
		for h := 1.0; h*pitch < 3500; h++ {
			v += math.Sin(2*math.Pi*h*phase) / (1 + math.Pow((h*pitch-formant)/200, 2)/4) / math.Sqrt(h)
		}
		return int16(3000 * v * (0.65 + 0.35*math.Cos(8*math.Pi*at)))
	}
}

func newOrganGenerator() func() int16 {
	n := 0
	return func() int16 {
		at := 2 * math.Pi * float64(n) / micRate
		n++
		return int16(2000 * (math.Sin(220*at) + math.Sin(330*at) + math.Sin(440*at)))
	}
}

// agentListener decodes what an agent says.
type agentListener struct {
	packets chan receivedPacket
	decoder *gopus.Decoder
	pcm     []int16
}

func newAgentListener() (*agentListener, error) {
	d, err := gopus.NewDecoder(gopus.DefaultDecoderConfig(decodeRate, 1))
	return &agentListener{make(chan receivedPacket, 1<<14), d, make([]int16, decodeRate/25*3)}, err
}

// packetPeak returns the peak of a packet. It must be called with the packets in their order.
func (l *agentListener) packetPeak(packet []byte) int {
	n, err := l.decoder.DecodeInt16(packet, l.pcm)
	if err != nil {
		return 0
	}
	peak := 0
	for _, v := range l.pcm[:n] {
		peak = max(peak, int(v), -int(v))
	}
	return peak
}

// interruptions are the texts that callers interrupt with, in turn. None has a pause in it, which would end the turn.
var interruptions = []string{
	"Wait a moment please I have another question.", "Sorry I meant the other one.", "Please stop my order is late.",
	"Excuse me how long does that take?", "Hold on what does it cost?", "Can I speak to a person please?",
}

// synthesizeInterruptions are the interruptions in the voice rms of flite, from their first sound on. Where flite is
// not installed it is one: the voice of the other measurements, which is simpler than a person's.
func synthesizeInterruptions(callerSound audioPackets) ([]audioPackets, error) {
	program, err := exec.LookPath("flite")
	if err != nil {
		return []audioPackets{callerSound}, nil
	}
	flite := &local.Flite{Program: program}
	var list []audioPackets
	for _, text := range interruptions {
		var pcm []int16
		utterance := flite.Synthesize(context.Background(), speech.Utterance{Text: text, Voice: "rms"})
		for part, err := range speech.Resample(micRate, utterance) {
			if err != nil {
				return nil, err
			}
			pcm = append(pcm, part...)
		}
		isLoud := func(v int16) bool { return v > minAudiblePeak || v < -minAudiblePeak }
		n := max(0, slices.IndexFunc(pcm, isLoud))
		p, err := encodePackets(func() int16 { n++; return pcm[n-1] }, (len(pcm)-n)/micFrame)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// minAudiblePeak is the lowest peak that counts as the first sound, of 32768.
const minAudiblePeak = 600
