//go:build !novoice

package rtc

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// of silence after speech, so that its end is not cut off at the listener
	trailingSilenceFrames = 5
	duckedGain            = 0.25                   // -12 dB
	maxCatchUp            = 100 * time.Millisecond // a player that is later than this does not catch up
	lateAfter             = 5 * time.Millisecond   // a packet that is sent later than this counts as late
)

// player plays clips: a packet every 20 ms by the clock, and none while there is nothing to play.
type player struct {
	codec       opus
	writePacket func(packet []byte, at time.Time) error // must not block
	onEvent     func(Event)
	now         func() time.Time
	wakeup      chan struct{}

	mu             sync.Mutex
	queue          []Clip
	current        *playingClip
	paused         bool
	ducked         bool
	gain           float64 // at the end of the last frame
	trailingFrames int     // frames of silence still to send
	wasSpeaking    bool    // the last tick sent speech
	gaps           gapStats
	sentPackets    int
	latePackets    int
	underruns      int
	packet         [maxPacketBytes]byte
}

// playingClip is the clip that is being played.
type playingClip struct {
	Clip
	pendingSamples []int16 // samples that came and were not sent yet
	inputClosed    bool    // no more samples will come
	sentSamples    int     // samples that were sent
}

func (c *playingClip) position() Position {
	if c == nil {
		return Position{}
	}
	return Position{ID: c.ID, Played: time.Duration(c.sentSamples) * time.Second / OutputRate}
}

func newPlayer(codec opus, now func() time.Time, write func([]byte, time.Time) error, tell func(Event)) *player {
	return &player{codec: codec, writePacket: write, onEvent: tell, now: now, wakeup: make(chan struct{}, 1)}
}

func (p *player) run(ctx context.Context) {
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
			case <-p.wakeup:
			}
			if now := p.now(); now.After(next) {
				next = now
			}
		}
		wait := next.Sub(p.now())
		if wait < -maxCatchUp {
			next = p.now()
		}
		timer.Reset(max(wait, 0))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}

// tick sends what is due at a time, and reports whether there may be something at the next.
func (p *player) tick(at time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var frame [outputFrameSamples]int16
	first, ok := p.nextFrame(&frame)
	if !ok {
		p.wasSpeaking = false
		if p.trailingFrames > 0 {
			p.trailingFrames--
			p.sendFrame(&frame, at)
		}
		return p.trailingFrames > 0 || (!p.paused && (p.current != nil || len(p.queue) > 0))
	}
	p.applyGain(&frame)
	now := p.now()
	p.gaps.addPacket(now, p.wasSpeaking)
	p.wasSpeaking, p.trailingFrames = true, trailingSilenceFrames
	p.sentPackets++
	if now.Sub(at) > lateAfter {
		p.latePackets++
	}
	p.sendFrame(&frame, at)
	if first {
		p.onEvent(Event{Kind: EventStarted, At: now, Position: p.current.position()})
	}
	p.finishClip()
	return true
}

func (p *player) sendFrame(frame *[outputFrameSamples]int16, at time.Time) {
	// A frame that cannot be encoded or sent is a lost packet, which the listener's end conceals.
	if n, err := p.codec.EncodeInt16(frame[:], p.packet[:]); err == nil {
		_ = p.writePacket(p.packet[:n], at)
	}
}

// nextFrame returns the next frame of the clip that is playing, or of the next one, and whether the frame is a clip's
// first.
func (p *player) nextFrame(frame *[outputFrameSamples]int16) (first, ok bool) {
	for !p.paused {
		if p.current == nil {
			if len(p.queue) == 0 {
				return false, false
			}
			p.current, p.queue = &playingClip{Clip: p.queue[0]}, p.queue[1:]
		}
		c := p.current
		c.receiveSamples()
		if len(c.pendingSamples) >= outputFrameSamples || c.inputClosed && len(c.pendingSamples) > 0 {
			n := copy(frame[:], c.pendingSamples)
			first = c.sentSamples == 0
			c.pendingSamples = c.pendingSamples[n:]
			c.sentSamples += n
			return first, true
		}
		if !c.inputClosed {
			if c.sentSamples > 0 {
				p.underruns++
			}
			return false, false
		}
		p.finishClip()
	}
	return false, false
}

// receiveSamples receives the samples that have come, without blocking, until there is a frame.
func (c *playingClip) receiveSamples() {
	for !c.inputClosed && len(c.pendingSamples) < outputFrameSamples {
		select {
		case piece, ok := <-c.PCM:
			if !ok {
				c.inputClosed = true
				return
			}
			c.pendingSamples = append(c.pendingSamples, piece...)
		default:
			return
		}
	}
}

// finishClip ends the clip when all of it has been sent.
func (p *player) finishClip() {
	c := p.current
	c.receiveSamples()
	if c.inputClosed && len(c.pendingSamples) == 0 {
		p.current = nil
		p.onEvent(Event{Kind: EventEnded, At: p.now(), Position: c.position(), Complete: true})
	}
}

// applyGain moves from the gain of the last frame to the wanted one, without a step.
func (p *player) applyGain(frame *[outputFrameSamples]int16) {
	want := 1.0
	if p.ducked {
		want = duckedGain
	}
	if p.gain == 1 && want == 1 {
		return
	}
	step := (want - p.gain) / outputFrameSamples
	for i, v := range frame {
		p.gain += step
		frame[i] = int16(p.gain * float64(v))
	}
	p.gain = want
}

// Play queues a clip.
func (p *player) Play(c Clip) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil && len(p.queue) == 0 && p.trailingFrames == 0 {
		p.gain = 1
	}
	p.queue = append(p.queue, c)
	p.wake()
}

// Duck lowers the volume, or restores it.
func (p *player) Duck(low bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ducked = low
}

// Pause pauses playback.
func (p *player) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused, p.gain = true, 0
}

// Resume continues where Pause stopped, rising from silence within a frame.
func (p *player) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = false
	p.wake()
}

// Stop drops everything and returns what was cut.
func (p *player) Stop() Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	cut := p.current.position()
	if p.current != nil {
		p.onEvent(Event{Kind: EventEnded, At: p.now(), Position: cut})
	}
	for _, c := range p.queue {
		p.onEvent(Event{Kind: EventEnded, At: p.now(), Position: Position{ID: c.ID}})
	}
	p.current, p.queue = nil, nil
	p.paused, p.ducked, p.gain = false, false, 1
	return cut
}

// Position returns what is playing.
func (p *player) Position() Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current.position()
}

// wake wakes run; one pending wake-up is enough.
func (p *player) wake() {
	select {
	case p.wakeup <- struct{}{}:
	default:
	}
}

func (p *player) addStats(s *Stats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.SentLate = p.latePackets
	s.Sent, s.Underruns, s.GapP95, s.GapMax = p.sentPackets, p.underruns, p.gaps.p95(), p.gaps.max
}

// gapStats measures the time between consecutive packets of speech.
type gapStats struct {
	recent     [512]time.Duration // ten seconds of speech
	count      int
	max        time.Duration
	lastSentAt time.Time
}

// addPacket records a packet. The time since the previous one counts if there was no silence in between.
func (g *gapStats) addPacket(now time.Time, follows bool) {
	if follows && !g.lastSentAt.IsZero() {
		gap := now.Sub(g.lastSentAt)
		g.recent[g.count%len(g.recent)] = gap
		g.count++
		g.max = max(g.max, gap)
	}
	g.lastSentAt = now
}

// p95 returns the 95th percentile of the recent gaps; zero if there are none.
func (g *gapStats) p95() time.Duration {
	n := min(g.count, len(g.recent))
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(g.recent[:n]))
	return sorted[(n*95-1)/100]
}
