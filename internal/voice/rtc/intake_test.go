package rtc

import (
	"slices"
	"testing"
	"time"

	"github.com/pion/rtp"
)

// numbered is a codec whose packets hold a number: the samples of a frame are all that number, and those of a guess are -1.
type numbered struct{ frames int }

func (n numbered) encode(pcm []int16, packet []byte) (int, error) {
	packet[0], packet[1] = byte(pcm[0]>>8), byte(pcm[0])
	return 2, nil
}

func (n numbered) decode(packet []byte, pcm []int16) (int, error) {
	v, count := int16(-1), hearSamples
	if packet != nil {
		v, count = int16(packet[0]), hearSamples*max(n.frames, 1)
	}
	for i := range count {
		pcm[i] = v
	}
	return count, nil
}

// arrivals plays packets to an intake and gives the frames: their number, -1 for a guess, 0 for silence.
type arrivals struct {
	in  *intake
	got []int
	now time.Time
}

func newArrivals() *arrivals {
	a := &arrivals{now: time.UnixMilli(0)}
	a.in = &intake{codec: numbered{}, out: func(f Frame) { a.got = append(a.got, int(f.PCM[0])) }}
	return a
}

// come brings a packet that was spoken at a frame's time.
func (a *arrivals) come(seq uint16, frame int) {
	a.in.take(packet{&rtp.Packet{Header: rtp.Header{SequenceNumber: seq, Timestamp: uint32(4_294_960_000 + frame*speakSamples)},
		Payload: []byte{byte(frame)}}, a.now})
}

// pass lets time pass, in steps of the listener's.
func (a *arrivals) pass(d time.Duration) {
	for end := a.now.Add(d); a.now.Before(end); {
		a.now = a.now.Add(min(missing, end.Sub(a.now)))
		a.in.wait(a.now)
	}
}

func (a *arrivals) want(t *testing.T, frames ...int) {
	t.Helper()
	if !slices.Equal(a.got, frames) {
		t.Errorf("got %v, not %v", a.got, frames)
	}
	a.got = nil
}

func TestPacketsAreOrdered(t *testing.T) {
	a := newArrivals()
	a.come(65534, 1)
	a.come(0, 3)
	a.want(t, 1)
	a.come(65535, 2)
	a.come(1, 4)
	a.come(1, 4)
	a.want(t, 1+1, 3, 4)
	if a.in.lost != 0 || a.in.late != 1 || a.in.heard != 4 {
		t.Errorf("heard %d, lost %d, late %d", a.in.heard, a.in.lost, a.in.late)
	}
}

func TestLostPacketIsMended(t *testing.T) {
	a := newArrivals()
	a.come(1, 1)
	a.come(4, 4)
	a.pass(50 * time.Millisecond)
	a.want(t, 1)
	a.pass(25 * time.Millisecond)
	a.want(t, -1, -1, 4)
	a.come(3, 3)
	a.come(5, 5)
	a.want(t, 5)
	if a.in.lost != 2 || a.in.late != 1 {
		t.Errorf("lost %d, late %d", a.in.lost, a.in.late)
	}
}

func TestLongLossIsSilent(t *testing.T) {
	a := newArrivals()
	a.come(1, 1)
	for seq := uint16(11); len(a.in.held) < mostHeld-1; seq++ {
		a.come(seq, int(seq))
	}
	a.come(26, 26)
	want := []int{1, -1, -1, -1, -1, -1, 0, 0, 0, 0}
	for frame := 11; frame <= 26; frame++ {
		want = append(want, frame)
	}
	a.want(t, want...)
}

// A browser sends nothing while its user is silent, but for a packet now and then. The silence must pass in time.
func TestSilenceOfTheSenderPasses(t *testing.T) {
	a := newArrivals()
	a.come(1, 1)
	a.pass(400 * time.Millisecond)
	if n := len(a.got); n < 16 || n > 19 {
		t.Errorf("%d frames in 400 ms", n)
	}
	a.come(2, 21)
	if n := len(a.got); n != 21 || a.got[20] != 21 {
		t.Errorf("%d frames in 420 ms, then %v", n, a.got[len(a.got)-1])
	}
	if a.in.lost != 0 {
		t.Errorf("%d of them lost", a.in.lost)
	}
	a.got = nil
	a.come(3, 24)
	a.want(t, 0, 0, 24)
}

func TestSequenceThatLeapsBeginsAnew(t *testing.T) {
	a := newArrivals()
	a.come(1, 1)
	a.come(40_000, 2)
	a.come(40_001, 3)
	a.want(t, 1, 2, 3)
}

func TestPacketsOfOtherLengths(t *testing.T) {
	a := newArrivals()
	a.in.codec = numbered{frames: 3}
	a.come(1, 1)
	a.come(2, 4)
	a.want(t, 1, 1, 1, 4, 4, 4)
	a.in.take(packet{&rtp.Packet{Header: rtp.Header{SequenceNumber: 3}}, a.now}) // padding
	a.come(4, 7)
	a.want(t, 7, 7, 7)
}

func FuzzIntake(f *testing.F) {
	f.Add([]byte{0, 1, 10, 0, 2, 30, 0, 5, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		codec, err := newOpus()
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		in := &intake{codec: codec, out: func(f Frame) {
			if count++; len(f.PCM) != hearSamples {
				t.Fatal("a frame of ", len(f.PCM))
			}
		}}
		now := time.UnixMilli(0)
		for ; len(script) >= 4; script = script[3:] {
			now = now.Add(time.Duration(script[2]) * time.Millisecond)
			seq := uint16(script[0])<<8 | uint16(script[1])
			in.wait(now)
			in.take(packet{&rtp.Packet{Header: rtp.Header{SequenceNumber: seq, Timestamp: uint32(script[1]) << 20}, Payload: script[2:]}, now})
		}
		if count > 1_000_000 {
			t.Fatal("frames without end")
		}
	})
}
