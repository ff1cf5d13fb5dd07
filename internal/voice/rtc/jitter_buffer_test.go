package rtc

import (
	"slices"
	"testing"
	"time"

	"github.com/pion/rtp"
)

// numberCodec is a codec whose packets hold a number: all samples of a frame are that number, and those of a concealed
// one are -1.
type numberCodec struct{ frames int }

func (n numberCodec) EncodeInt16(pcm []int16, packet []byte) (int, error) {
	packet[0], packet[1] = byte(pcm[0]>>8), byte(pcm[0])
	return 2, nil
}

func (n numberCodec) DecodeInt16(packet []byte, pcm []int16) (int, error) {
	v, count := int16(-1), inputFrameSamples
	if packet != nil {
		v, count = int16(packet[0]), inputFrameSamples*max(n.frames, 1)
	}
	for i := range count {
		pcm[i] = v
	}
	return count, nil
}

// bufferTest passes packets to a jitterBuffer and collects its frames: their number, -1 for a concealed one, 0 for
// silence.
type bufferTest struct {
	buffer *jitterBuffer
	frames []int
	now    time.Time
}

func newBufferTest() *bufferTest {
	a := &bufferTest{now: time.UnixMilli(0)}
	a.buffer = &jitterBuffer{codec: numberCodec{}, onFrame: func(f Frame) { a.frames = append(a.frames, int(f.PCM[0])) }}
	return a
}

// receive adds the packet of a frame's time.
func (b *bufferTest) receive(seq uint16, frame int) {
	b.buffer.addPacket(rtpPacket{&rtp.Packet{Header: rtp.Header{SequenceNumber: seq,
		Timestamp: uint32(4_294_960_000 + frame*outputFrameSamples)},
		Payload: []byte{byte(frame)}}, b.now})
}

// advance lets time pass, in steps of the receiver's timer.
func (b *bufferTest) advance(d time.Duration) {
	for end := b.now.Add(d); b.now.Before(end); {
		b.now = b.now.Add(min(packetTimeout, end.Sub(b.now)))
		b.buffer.handleIdle(b.now)
	}
}

func (b *bufferTest) requireFrames(t *testing.T, frames ...int) {
	t.Helper()
	if !slices.Equal(b.frames, frames) {
		t.Errorf("got %v, not %v", b.frames, frames)
	}
	b.frames = nil
}

func TestPacketsAreOrdered(t *testing.T) {
	a := newBufferTest()
	a.receive(65534, 1)
	a.receive(0, 3)
	a.requireFrames(t, 1)
	a.receive(65535, 2)
	a.receive(1, 4)
	a.receive(1, 4)
	a.requireFrames(t, 1+1, 3, 4)
	if a.buffer.concealed != 0 || a.buffer.late != 1 || a.buffer.received != 4 {
		t.Errorf("heard %d, lost %d, late %d", a.buffer.received, a.buffer.concealed, a.buffer.late)
	}
}

func TestLostPacketIsConcealed(t *testing.T) {
	a := newBufferTest()
	a.receive(1, 1)
	a.receive(4, 4)
	a.advance(50 * time.Millisecond)
	a.requireFrames(t, 1)
	a.advance(25 * time.Millisecond)
	a.requireFrames(t, -1, -1, 4)
	a.receive(3, 3)
	a.receive(5, 5)
	a.requireFrames(t, 5)
	if a.buffer.concealed != 2 || a.buffer.late != 1 {
		t.Errorf("lost %d, late %d", a.buffer.concealed, a.buffer.late)
	}
}

func TestLongLossIsSilent(t *testing.T) {
	a := newBufferTest()
	a.receive(1, 1)
	for seq := uint16(11); len(a.buffer.waitingPackets) < maxWaitingPackets-1; seq++ {
		a.receive(seq, int(seq))
	}
	a.receive(26, 26)
	want := []int{1, -1, -1, -1, -1, -1, 0, 0, 0, 0}
	for frame := 11; frame <= 26; frame++ {
		want = append(want, frame)
	}
	a.requireFrames(t, want...)
}

// A browser sends nothing while its user is silent, but for a packet now and then. The silence must pass in time.
func TestSilenceOfTheSenderPasses(t *testing.T) {
	a := newBufferTest()
	a.receive(1, 1)
	a.advance(400 * time.Millisecond)
	if n := len(a.frames); n < 16 || n > 19 {
		t.Errorf("%d frames in 400 ms", n)
	}
	a.receive(2, 21)
	if n := len(a.frames); n != 21 || a.frames[20] != 21 {
		t.Errorf("%d frames in 420 ms, then %v", n, a.frames[len(a.frames)-1])
	}
	if a.buffer.concealed != 0 {
		t.Errorf("%d of them lost", a.buffer.concealed)
	}
	a.frames = nil
	a.receive(3, 24)
	a.requireFrames(t, 0, 0, 24)
}

func TestSequenceThatJumpsStartsAgain(t *testing.T) {
	a := newBufferTest()
	a.receive(1, 1)
	a.receive(40_000, 2)
	a.receive(40_001, 3)
	a.requireFrames(t, 1, 2, 3)
}

func TestPacketsOfOtherLengths(t *testing.T) {
	a := newBufferTest()
	a.buffer.codec = numberCodec{frames: 3}
	a.receive(1, 1)
	a.receive(2, 4)
	a.requireFrames(t, 1, 1, 1, 4, 4, 4)
	a.buffer.addPacket(rtpPacket{&rtp.Packet{Header: rtp.Header{SequenceNumber: 3}}, a.now}) // padding
	a.receive(4, 7)
	a.requireFrames(t, 7, 7, 7)
}

func FuzzIntake(f *testing.F) {
	f.Add([]byte{0, 1, 10, 0, 2, 30, 0, 5, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		codec, err := newOpus()
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		in := &jitterBuffer{codec: codec, onFrame: func(f Frame) {
			if count++; len(f.PCM) != inputFrameSamples {
				t.Fatal("a frame of ", len(f.PCM))
			}
		}}
		now := time.UnixMilli(0)
		for ; len(script) >= 4; script = script[3:] {
			now = now.Add(time.Duration(script[2]) * time.Millisecond)
			seq := uint16(script[0])<<8 | uint16(script[1])
			in.handleIdle(now)
			in.addPacket(rtpPacket{&rtp.Packet{Header: rtp.Header{SequenceNumber: seq,
				Timestamp: uint32(script[1]) << 20}, Payload: script[2:]}, now})
		}
		if count > 1_000_000 {
			t.Fatal("frames without end")
		}
	})
}
