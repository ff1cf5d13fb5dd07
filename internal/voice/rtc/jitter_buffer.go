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
	maxSequenceGap     = 250                   // packets: a sequence that jumps further has begun anew
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

func (in *jitterBuffer) addPacket(p rtpPacket) {
	ahead := int16(p.SequenceNumber - in.nextSequence)
	switch {
	case !in.hasStarted || ahead > maxSequenceGap || ahead < -maxSequenceGap:
		in.start(p)
	case ahead < 0:
		in.late++
		return
	case ahead > 0:
		if len(in.waitingPackets) == 0 {
			in.waitingSince = p.receivedAt
		}
		in.waitingPackets[p.SequenceNumber] = p
		in.lastPacketAt = p.receivedAt
		if len(in.waitingPackets) >= maxWaitingPackets {
			in.skipMissing(p.receivedAt)
		}
		return
	}
	in.decodePacket(p)
	in.playWaiting(p.receivedAt)
}

func (in *jitterBuffer) start(p rtpPacket) {
	in.hasStarted, in.nextSequence, in.nextTimestamp = true, p.SequenceNumber, p.Timestamp
	in.waitingPackets, in.filledFrames, in.partialFrame = map[uint16]rtpPacket{}, 0, nil
}

// playWaiting decodes the waiting packets, as far as they are in order.
func (in *jitterBuffer) playWaiting(now time.Time) {
	for {
		p, ok := in.waitingPackets[in.nextSequence]
		if !ok {
			break
		}
		delete(in.waitingPackets, in.nextSequence)
		in.decodePacket(p)
	}
	in.waitingSince = now
}

// handleIdle is called when no packet has come for a moment. A packet that is missing for too long is given up, and if
// nothing comes at all, silent frames are filled in.
func (in *jitterBuffer) handleIdle(now time.Time) {
	if !in.hasStarted {
		return
	}
	if len(in.waitingPackets) > 0 {
		if now.Sub(in.waitingSince) >= reorderTimeout {
			in.skipMissing(now)
		}
		return
	}
	for now.Sub(in.lastPacketAt) >= reorderTimeout {
		in.lastPacketAt = in.lastPacketAt.Add(FrameTime)
		in.filledFrames++
		in.addSilence(1, now)
	}
}

// skipMissing abandons what is missing before the earliest waiting packet.
func (in *jitterBuffer) skipMissing(now time.Time) {
	least := uint16(maxSequenceGap)
	for seq := range in.waitingPackets {
		least = min(least, seq-in.nextSequence)
	}
	missing := max(int(least)-in.filledFrames, 0)
	in.concealed += missing
	for range min(missing, maxConcealedFrames) {
		in.concealFrame(now)
	}
	in.addSilence(missing-maxConcealedFrames, now)
	in.nextSequence += least
	if p, ok := in.waitingPackets[in.nextSequence]; ok {
		in.nextTimestamp, in.filledFrames = p.Timestamp, 0
	}
	in.playWaiting(now)
}

func (in *jitterBuffer) decodePacket(p rtpPacket) {
	in.nextSequence++
	in.lastPacketAt = p.receivedAt
	if len(p.Payload) == 0 {
		return // padding
	}
	in.fillPause(p)
	n, err := in.codec.DecodeInt16(p.Payload, in.decodeBuffer[:])
	if err != nil {
		in.concealed++
		in.concealFrame(p.receivedAt)
		in.nextTimestamp = p.Timestamp + uint32(FrameTime/time.Millisecond)*timestampsPerMs
		return
	}
	in.received++
	in.nextTimestamp = p.Timestamp + uint32(n)*(OutputRate/InputRate)
	in.cutFrames(in.decodeBuffer[:n], p.receivedAt, false)
}

// fillPause fills in the time in which the sender sent nothing, as far as handleIdle has not.
func (in *jitterBuffer) fillPause(p rtpPacket) {
	pause := time.Duration(int32(p.Timestamp-in.nextTimestamp)) * time.Second / OutputRate
	in.addSilence(min(int(pause/FrameTime)-in.filledFrames, maxSilentFrames), p.receivedAt)
	in.filledFrames = 0
}

func (in *jitterBuffer) concealFrame(now time.Time) {
	n, err := in.codec.DecodeInt16(nil, in.decodeBuffer[:inputFrameSamples])
	if err != nil {
		n = inputFrameSamples
		clear(in.decodeBuffer[:n])
	}
	in.cutFrames(in.decodeBuffer[:n], now, true)
}

func (in *jitterBuffer) addSilence(frames int, now time.Time) {
	for range max(frames, 0) {
		in.cutFrames(make([]int16, inputFrameSamples), now, true)
	}
}

func (in *jitterBuffer) cutFrames(pcm []int16, at time.Time, concealed bool) {
	in.partialFrame = append(in.partialFrame, pcm...)
	for len(in.partialFrame) >= inputFrameSamples {
		in.onFrame(Frame{PCM: in.partialFrame[:inputFrameSamples:inputFrameSamples], At: at, Concealed: concealed})
		in.partialFrame = in.partialFrame[inputFrameSamples:]
	}
	in.partialFrame = append([]int16(nil), in.partialFrame...)
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
