package rtc

import (
	"fmt"

	"github.com/thesyncim/gopus"
)

// opus is the codec, as an interface so that another implementation can replace it.
type opus interface {
	// encode encodes a frame of 20 ms at 48 kHz and returns the length of the packet.
	encode(pcm []int16, packet []byte) (int, error)
	// decode returns the samples of a packet at 16 kHz; for a nil packet it conceals the next 20 ms from those before.
	decode(packet []byte, pcm []int16) (int, error)
}

const (
	maxPacketBytes    = 1275               // the largest that Opus knows
	maxDecodedSamples = InputRate / 25 * 3 // samples of 120 ms, the longest packet
)

type gopusCodec struct {
	encoder *gopus.Encoder
	decoder *gopus.Decoder
}

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
	return &gopusCodec{e, d}, nil
}

// tuneEncoder sets what speech over the Internet needs: 32 kbit/s, and forward error correction.
func tuneEncoder(e *gopus.Encoder) error {
	for _, set := range []func() error{
		func() error { return e.SetFrameSize(outputFrameSamples) },
		func() error { return e.SetBitrate(32_000) },
		func() error { return e.SetComplexity(5) },
		func() error { return e.SetSignal(gopus.SignalVoice) },
		func() error { return e.SetInBandFEC(gopus.InBandFECEnabled) },
		func() error { return e.SetPacketLoss(5) },
	} {
		if err := set(); err != nil {
			return err
		}
	}
	return nil
}

func (c *gopusCodec) encode(pcm []int16, packet []byte) (int, error) {
	return c.encoder.EncodeInt16(pcm, packet)
}

func (c *gopusCodec) decode(packet []byte, pcm []int16) (int, error) {
	return c.decoder.DecodeInt16(packet, pcm)
}
