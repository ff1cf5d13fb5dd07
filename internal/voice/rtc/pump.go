package rtc

import (
	"context"
	"sync"
	"time"
)

const (
	tailFrames  = 5                      // of silence after speech, so that the last of it dies away at the listener's
	duckedGain  = 0.25                   // -12 dB
	latestFrame = 100 * time.Millisecond // a pump that is later than this does not catch up
	tardyAfter  = 5 * time.Millisecond   // a packet that leaves later than this is no longer on its beat
)

// pump plays clips: every 20 ms a packet, on the clock's own beat; none while there is nothing to say.
type pump struct {
	codec opus
	write func(packet []byte, at time.Time) error // must not wait
	tell  func(Event)
	now   func() time.Time
	wake  chan struct{}

	mu      sync.Mutex
	queue   []Clip
	clip    *playing
	paused  bool
	ducked  bool
	gain    float64 // at the end of the last frame
	tail    int     // frames of silence still to send
	talking bool    // the last tick sent speech
	gaps    gaps
	sent    int
	tardy   int
	starved int
	packet  [packetSize]byte
}

// playing is the clip that is being heard.
type playing struct {
	Clip
	rest   []int16 // samples that came and have not left
	closed bool    // no more will come
	left   int     // samples that have left
}

func (c *playing) position() Position {
	return Position{ID: c.ID, Played: time.Duration(c.left) * time.Second / SpeakRate}
}

func newPump(codec opus, now func() time.Time, write func([]byte, time.Time) error, tell func(Event)) *pump {
	return &pump{codec: codec, write: write, tell: tell, now: now, wake: make(chan struct{}, 1)}
}

// run pumps until ctx is done.
func (p *pump) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	next := p.now()
	for {
		busy := p.tick(next)
		next = next.Add(FrameTime)
		if !busy {
			select {
			case <-ctx.Done():
				return
			case <-p.wake:
			}
			next = later(next, p.now())
		}
		wait := next.Sub(p.now())
		if wait < -latestFrame {
			next, wait = p.now(), 0
		}
		timer.Reset(max(wait, 0))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// tick sends what is due at that time, and tells whether there may be something at the next.
func (p *pump) tick(at time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var frame [speakSamples]int16
	first, ok := p.fill(&frame)
	if !ok {
		p.talking = false
		if p.tail > 0 {
			p.tail--
			p.send(&frame, at)
		}
		return p.tail > 0 || (!p.paused && (p.clip != nil || len(p.queue) > 0))
	}
	p.amplify(&frame)
	now := p.now()
	p.gaps.sent(now, p.talking)
	p.talking, p.tail = true, tailFrames
	p.sent++
	if now.Sub(at) > tardyAfter {
		p.tardy++
	}
	p.send(&frame, at)
	if first {
		p.tell(Event{Kind: EventStarted, At: now, Position: p.clip.position()})
	}
	p.finish()
	return true
}

func (p *pump) send(frame *[speakSamples]int16, at time.Time) {
	// A frame that cannot be packed or sent is a lost packet: the listener's end conceals it.
	if n, err := p.codec.encode(frame[:], p.packet[:]); err == nil {
		_ = p.write(p.packet[:n], at)
	}
}

// fill takes the next frame from the clip that is playing, or from the next one. It also tells whether the frame is a clip's first.
func (p *pump) fill(frame *[speakSamples]int16) (first, ok bool) {
	for !p.paused {
		if p.clip == nil {
			if len(p.queue) == 0 {
				return false, false
			}
			p.clip, p.queue = &playing{Clip: p.queue[0]}, p.queue[1:]
		}
		c := p.clip
		c.take()
		if len(c.rest) >= speakSamples || c.closed && len(c.rest) > 0 {
			n := copy(frame[:], c.rest)
			first = c.left == 0
			c.rest = c.rest[n:]
			c.left += n
			return first, true
		}
		if !c.closed {
			if c.left > 0 {
				p.starved++
			}
			return false, false
		}
		p.finish()
	}
	return false, false
}

// take receives what has come, without waiting, until there is a frame.
func (c *playing) take() {
	for !c.closed && len(c.rest) < speakSamples {
		select {
		case piece, ok := <-c.PCM:
			if !ok {
				c.closed = true
				return
			}
			c.rest = append(c.rest, piece...)
		default:
			return
		}
	}
}

// finish ends the clip when all of it has left.
func (p *pump) finish() {
	c := p.clip
	c.take()
	if c.closed && len(c.rest) == 0 {
		p.clip = nil
		p.tell(Event{Kind: EventEnded, At: p.now(), Position: c.position(), Whole: true})
	}
}

// amplify goes from the gain of the last frame to the one that is wanted, without a step.
func (p *pump) amplify(frame *[speakSamples]int16) {
	want := 1.0
	if p.ducked {
		want = duckedGain
	}
	if p.gain == 1 && want == 1 {
		return
	}
	step := (want - p.gain) / speakSamples
	for i, v := range frame {
		p.gain += step
		frame[i] = int16(p.gain * float64(v))
	}
	p.gain = want
}
