//go:build !novoice

package rtc

import (
	"errors"
	"fmt"
	"time"

	"github.com/pion/rtp"
	"github.com/thesyncim/gopus"
)

const (
	reorderTimeout     = 60 * time.Millisecond // how long to wait for a missing packet
	maxWaitingPackets  = 16                    // packets that wait for an earlier one
	maxConcealedFrames = 5                     // frames in a row that are concealed; further ones are silent
	maxSilentFrames    = 100                   // frames that are filled in at once when the sender had paused
	maxSequenceGap     = 250                   // packets: a sequence that jumps further has started over
	timestampsPerMs    = 48                    // steps of the timestamp in a millisecond
)

type rtpPacket struct {
	*rtp.Packet           // its timestamp is in samples at 48 kHz
	receivedAt  time.Time // when it came
}

// jitterBuffer puts packets in order and makes frames of them: of each as soon as those before it have come. What does
// not come is concealed from what came before. A silent sender may send nothing at all; the frames continue, since
// their reader measures the silence.
type jitterBuffer struct {
	codec   opus
	onFrame func(Frame)

	hasStarted     bool
	nextSequence   uint16               // the packet that is due
	nextTimestamp  uint32               // of the packet that is due, if nothing was left out
	waitingPackets map[uint16]rtpPacket // came before the packet that is due
	waitingSince   time.Time            // when the first of them came
	lastPacketAt   time.Time            // when a packet came, or a frame was filled in
	filledFrames   int                  // frames filled in since the last packet
	partialFrame   []int16              // less than a frame
	decodeBuffer   [maxDecodedSamples]int16

	received, concealed, late int
}

func (b *jitterBuffer) addPacket(p rtpPacket) {
	ahead := int16(p.SequenceNumber - b.nextSequence)
	switch {
	case !b.hasStarted || ahead > maxSequenceGap || ahead < -maxSequenceGap:
		b.start(p)
	case ahead < 0:
		b.late++
		return
	case ahead > 0:
		if len(b.waitingPackets) == 0 {
			b.waitingSince = p.receivedAt
		}
		b.waitingPackets[p.SequenceNumber] = p
		b.lastPacketAt = p.receivedAt
		if len(b.waitingPackets) >= maxWaitingPackets {
			b.skipMissing(p.receivedAt)
		}
		return
	}
	b.decodePacket(p)
	b.playWaiting(p.receivedAt)
}

func (b *jitterBuffer) start(p rtpPacket) {
	b.hasStarted, b.nextSequence, b.nextTimestamp = true, p.SequenceNumber, p.Timestamp
	b.waitingPackets, b.filledFrames, b.partialFrame = map[uint16]rtpPacket{}, 0, nil
}

// playWaiting decodes the waiting packets, as far as they are in order.
func (b *jitterBuffer) playWaiting(now time.Time) {
	for {
		p, ok := b.waitingPackets[b.nextSequence]
		if !ok {
			break
		}
		delete(b.waitingPackets, b.nextSequence)
		b.decodePacket(p)
	}
	b.waitingSince = now
}

// handleIdle is called when no packet has come for a moment. A packet that is missing for too long is given up, and if
// nothing comes at all, silent frames are filled in.
func (b *jitterBuffer) handleIdle(now time.Time) {
	if !b.hasStarted {
		return
	}
	if len(b.waitingPackets) > 0 {
		if now.Sub(b.waitingSince) >= reorderTimeout {
			b.skipMissing(now)
		}
		return
	}
	for now.Sub(b.lastPacketAt) >= reorderTimeout {
		b.lastPacketAt = b.lastPacketAt.Add(FrameTime)
		b.filledFrames++
		b.addSilence(1, now)
	}
}

// skipMissing abandons what is missing before the earliest waiting packet.
func (b *jitterBuffer) skipMissing(now time.Time) {
	minimum := uint16(maxSequenceGap)
	for seq := range b.waitingPackets {
		minimum = min(minimum, seq-b.nextSequence)
	}
	missing := max(int(minimum)-b.filledFrames, 0)
	b.concealed += missing
	for range min(missing, maxConcealedFrames) {
		b.concealFrame(now)
	}
	b.addSilence(missing-maxConcealedFrames, now)
	b.nextSequence += minimum
	if p, ok := b.waitingPackets[b.nextSequence]; ok {
		b.nextTimestamp, b.filledFrames = p.Timestamp, 0
	}
	b.playWaiting(now)
}

func (b *jitterBuffer) decodePacket(p rtpPacket) {
	b.nextSequence++
	b.lastPacketAt = p.receivedAt
	if len(p.Payload) == 0 {
		return // padding
	}
	b.fillPause(p)
	n, err := b.codec.DecodeInt16(p.Payload, b.decodeBuffer[:])
	if err != nil {
		b.concealed++
		b.concealFrame(p.receivedAt)
		b.nextTimestamp = p.Timestamp + uint32(FrameTime/time.Millisecond)*timestampsPerMs
		return
	}
	b.received++
	b.nextTimestamp = p.Timestamp + uint32(n)*(OutputRate/InputRate)
	b.cutFrames(b.decodeBuffer[:n], p.receivedAt, false)
}

// fillPause fills in the time in which the sender sent nothing, as far as handleIdle has not.
func (b *jitterBuffer) fillPause(p rtpPacket) {
	pause := time.Duration(int32(p.Timestamp-b.nextTimestamp)) * time.Second / OutputRate
	b.addSilence(min(int(pause/FrameTime)-b.filledFrames, maxSilentFrames), p.receivedAt)
	b.filledFrames = 0
}

func (b *jitterBuffer) concealFrame(now time.Time) {
	n, err := b.codec.DecodeInt16(nil, b.decodeBuffer[:inputFrameSamples])
	if err != nil {
		n = inputFrameSamples
		clear(b.decodeBuffer[:n])
	}
	b.cutFrames(b.decodeBuffer[:n], now, true)
}

func (b *jitterBuffer) addSilence(frames int, now time.Time) {
	for range max(frames, 0) {
		b.cutFrames(make([]int16, inputFrameSamples), now, true)
	}
}

func (b *jitterBuffer) cutFrames(pcm []int16, at time.Time, concealed bool) {
	b.partialFrame = append(b.partialFrame, pcm...)
	for len(b.partialFrame) >= inputFrameSamples {
		b.onFrame(Frame{PCM: b.partialFrame[:inputFrameSamples:inputFrameSamples], At: at, Concealed: concealed})
		b.partialFrame = b.partialFrame[inputFrameSamples:]
	}
	b.partialFrame = append([]int16(nil), b.partialFrame...)
}

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
