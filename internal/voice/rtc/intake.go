package rtc

import (
	"time"

	"github.com/pion/rtp"
)

const (
	patience   = 60 * time.Millisecond // how long a missing packet is waited for
	mostHeld   = 16                    // packets that wait for an earlier one
	mostMended = 5                     // frames in a row that are guessed; what is missing beyond is silent
	mostSilent = 100                   // frames that are made up at once when the sender had paused
	farApart   = 250                   // packets: a sequence that leaps further has begun anew
	tick48     = 48                    // steps of the timestamp in a millisecond
)

// packet is what the user sent.
type packet struct {
	*rtp.Packet           // its time in samples at 48 kHz
	at          time.Time // when it came
}

// intake puts packets in order and makes frames of them: of each as soon as those before it are there. What does not come is
// guessed from what came before. A sender that is silent may send nothing at all; the frames go on, for whoever listens counts
// the silence.
type intake struct {
	codec opus
	out   func(Frame)

	began  bool
	next   uint16            // the packet that is due
	stamp  uint32            // of the packet that is due, if nothing was left out
	held   map[uint16]packet // came before it
	since  time.Time         // when the first of them came
	last   time.Time         // when a packet came, or a frame was made up for none
	filled int               // frames made up since the last packet
	rest   []int16           // less than a frame
	pcm    [longestHeard]int16

	heard, lost, late int
}

// take takes a packet.
func (in *intake) take(p packet) {
	ahead := int16(p.SequenceNumber - in.next)
	switch {
	case !in.began || ahead > farApart || ahead < -farApart:
		in.begin(p)
	case ahead < 0:
		in.late++
		return
	case ahead > 0:
		if len(in.held) == 0 {
			in.since = p.at
		}
		in.held[p.SequenceNumber] = p
		in.last = p.at
		if len(in.held) >= mostHeld {
			in.skip(p.at)
		}
		return
	}
	in.play(p)
	in.follow(p.at)
}

func (in *intake) begin(p packet) {
	in.began, in.next, in.stamp = true, p.SequenceNumber, p.Timestamp
	in.held, in.filled, in.rest = map[uint16]packet{}, 0, nil
}

// follow plays the packets that were held, as far as they are in order.
func (in *intake) follow(now time.Time) {
	for {
		p, ok := in.held[in.next]
		if !ok {
			break
		}
		delete(in.held, in.next)
		in.play(p)
	}
	in.since = now
}

// wait is called when no packet has come for a moment. A packet that is missing for too long is given up, and where nothing
// comes at all the frames go on.
func (in *intake) wait(now time.Time) {
	if !in.began {
		return
	}
	if len(in.held) > 0 {
		if now.Sub(in.since) >= patience {
			in.skip(now)
		}
		return
	}
	for now.Sub(in.last) >= patience {
		in.last = in.last.Add(FrameTime)
		in.filled++
		in.silence(1, now)
	}
}

// skip gives up what is missing before the earliest packet that is held.
func (in *intake) skip(now time.Time) {
	least := uint16(farApart)
	for seq := range in.held {
		least = min(least, seq-in.next)
	}
	missing := max(int(least)-in.filled, 0)
	in.lost += missing
	for range min(missing, mostMended) {
		in.mend(now)
	}
	in.silence(missing-mostMended, now)
	in.next += least
	if p, ok := in.held[in.next]; ok {
		in.stamp, in.filled = p.Timestamp, 0
	}
	in.follow(now)
}

// play decodes the packet that is due.
func (in *intake) play(p packet) {
	in.next++
	in.last = p.at
	if len(p.Payload) == 0 {
		return // padding
	}
	in.catchUp(p)
	n, err := in.codec.decode(p.Payload, in.pcm[:])
	if err != nil {
		in.lost++
		in.mend(p.at)
		in.stamp = p.Timestamp + uint32(FrameTime/time.Millisecond)*tick48
		return
	}
	in.heard++
	in.stamp = p.Timestamp + uint32(n)*(SpeakRate/HearRate)
	in.frames(in.pcm[:n], p.at, false)
}

// catchUp makes up for the time in which the sender sent nothing, as far as that was not done while it passed.
func (in *intake) catchUp(p packet) {
	pause := time.Duration(int32(p.Timestamp-in.stamp)) * time.Second / SpeakRate
	in.silence(min(int(pause/FrameTime)-in.filled, mostSilent), p.at)
	in.filled = 0
}

// mend guesses a frame.
func (in *intake) mend(now time.Time) {
	n, err := in.codec.decode(nil, in.pcm[:hearSamples])
	if err != nil {
		n = hearSamples
		clear(in.pcm[:n])
	}
	in.frames(in.pcm[:n], now, true)
}

func (in *intake) silence(frames int, now time.Time) {
	for range max(frames, 0) {
		in.frames(make([]int16, hearSamples), now, true)
	}
}

// frames cuts samples into frames.
func (in *intake) frames(pcm []int16, at time.Time, concealed bool) {
	in.rest = append(in.rest, pcm...)
	for len(in.rest) >= hearSamples {
		in.out(Frame{PCM: in.rest[:hearSamples:hearSamples], At: at, Concealed: concealed})
		in.rest = in.rest[hearSamples:]
	}
	in.rest = append([]int16(nil), in.rest...)
}
