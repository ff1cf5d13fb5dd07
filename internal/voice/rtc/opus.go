package rtc

import (
	"errors"
	"fmt"

	"github.com/thesyncim/gopus"
)

// opus is the codec, as an interface so that another implementation can replace it.
type opus interface {
	// EncodeInt16 encodes a frame of 20 ms at 48 kHz and returns the length of the packet.
	EncodeInt16(pcm []int16, packet []byte) (int, error)
	// DecodeInt16 returns how many samples a packet has at 16 kHz; for a nil packet it conceals the next 20 ms from
	// those before.
	DecodeInt16(packet []byte, pcm []int16) (int, error)
}

const (
	maxPacketBytes    = 1275               // the largest that Opus knows
	maxDecodedSamples = InputRate / 25 * 3 // samples of 120 ms, the longest packet
)

func newOpus() (opus, error) {
	e, err := gopus.NewEncoder(gopus.EncoderConfig{SampleRate: OutputRate, Channels: 1,
		Application: gopus.ApplicationVoIP})
	if err != nil {
		return nil, fmt.Errorf("opus encoder: %w", err)
	}
	if err := tuneEncoder(e); err != nil {
		return nil, fmt.Errorf("opus encoder: %w", err)
	}
	d, err := gopus.NewDecoder(gopus.DecoderConfig{SampleRate: InputRate, Channels: 1,
		MaxPacketSamples: maxDecodedSamples})
	if err != nil {
		return nil, fmt.Errorf("opus decoder: %w", err)
	}
	return struct {
		*gopus.Encoder
		*gopus.Decoder
	}{e, d}, nil
}

// tuneEncoder sets what speech over the Internet needs: 32 kbit/s, and forward error correction.
func tuneEncoder(e *gopus.Encoder) error {
	return errors.Join(e.SetFrameSize(outputFrameSamples), e.SetBitrate(32_000), e.SetComplexity(5),
		e.SetSignal(gopus.SignalVoice), e.SetInBandFEC(gopus.InBandFECEnabled), e.SetPacketLoss(5))
}
