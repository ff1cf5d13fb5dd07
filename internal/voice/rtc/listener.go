package rtc

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/pion/webrtc/v4"
)

const (
	heardAhead = 50                    // frames that wait for their reader: a second
	missing    = 25 * time.Millisecond // without a packet for so long, the intake is asked

	mostPackets = 400 // in a second: Opus' shortest are of 2.5 ms
)

// listener turns the user's track into frames.
type listener struct {
	owner  *Participant
	intake *intake
	frames chan Frame
	turn   sync.Mutex // held by the track that is being read: one ends before the next begins

	mu     sync.Mutex
	sid    string // of the track; empty for none
	muted  bool
	on     bool // what was told last
	told   bool // whether anything was
	stop   context.CancelFunc
	drop   func() // has the server send the track no more
	missed int
	counts Stats
	closed bool
}

func (l *listener) init(codec opus, owner *Participant) {
	l.owner, l.frames = owner, make(chan Frame, heardAhead)
	l.intake = &intake{codec: codec, out: l.put}
}

// Audio gives the user's voice.
func (p *Participant) Audio() <-chan Frame { return p.ears.frames }

// put passes a frame on, and drops the oldest where nobody takes them.
func (l *listener) put(f Frame) {
	for {
		select {
		case l.frames <- f:
			return
		default:
		}
		select {
		case <-l.frames:
			l.mu.Lock()
			l.missed++
			l.mu.Unlock()
		default:
		}
	}
}

// attach begins to hear a track. A second one takes the first one's place, which is sent no more: drop has that done.
// muted is asked for when it counts: what the server says of it comes at any time, and in any order.
func (l *listener) attach(track *webrtc.TrackRemote, sid string, muted func() bool, drop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if l.stop != nil {
		l.stop()
		if l.sid != sid { // else it is the same one, on a new connection
			l.owner.work.Go(l.drop)
		}
	}
	ctx, cancel := context.WithCancel(l.owner.ctx)
	l.sid, l.muted, l.stop, l.drop = sid, muted(), cancel, drop
	l.owner.work.Go(func() { l.hear(ctx, track) })
	l.report()
}

func (l *listener) detach(sid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sid != l.sid {
		return
	}
	l.stop()
	l.sid, l.stop, l.drop = "", nil, nil
	l.report()
}

// mute looks whether the track is muted.
func (l *listener) mute(sid string, muted func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sid == l.sid {
		l.muted = muted()
		l.report()
	}
}

// report tells whether there is a microphone that can be heard, if that has changed, and of the first one in any case: it may have been
// muted before it was heard.
func (l *listener) report() {
	if on := l.sid != "" && !l.muted; on != l.on || !l.told {
		l.on, l.told = on, true
		kind := EventMicOff
		if on {
			kind = EventMicOn
		}
		l.owner.tell(kind)
	}
}

// isOn reports a microphone that can be heard.
func (l *listener) isOn() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.on
}

func (l *listener) isMuted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.muted
}

// hear plays the packets of a track into frames until it ends.
func (l *listener) hear(ctx context.Context, track *webrtc.TrackRemote) {
	packets := make(chan packet, 64)
	l.owner.work.Go(func() { l.receive(ctx, track, packets) })
	l.turn.Lock()
	defer l.turn.Unlock()
	l.intake.began = false
	timer := time.NewTimer(missing)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case p, ok := <-packets:
			if !ok {
				return
			}
			l.intake.take(p)
		case <-timer.C:
			if l.isMuted() {
				l.intake.began = false // what comes after is a new beginning
			}
			l.intake.wait(l.owner.config.Now())
		}
		l.count()
		timer.Reset(missing)
	}
}

// receive reads packets off the network. It ends with its track.
func (l *listener) receive(ctx context.Context, track *webrtc.TrackRemote, to chan<- packet) {
	defer close(to)
	rate := bucket{burst: mostPackets, every: time.Second / mostPackets}
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		now := l.owner.config.Now()
		if len(p.Payload) > 0 && !isFiller(p.Payload) {
			l.owner.seen(now)
		}
		if !rate.take(now) {
			continue
		}
		select {
		case to <- packet{p, now}:
		case <-ctx.Done():
			return
		}
	}
}

// isFiller reports the silence that the media server itself puts into a track that it mutes or closes: the packet of no sound, filled up
// with zeros. Encoders send it without those. It is no sign of the user, who may have vanished 20 s before.
func isFiller(payload []byte) bool {
	rest, ok := bytes.CutPrefix(payload, []byte{0xf8, 0xff, 0xfe})
	return ok && len(rest) > 0 && len(bytes.Trim(rest, "\x00")) == 0
}

func (l *listener) count() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.Heard, l.counts.Lost, l.counts.Late = l.intake.heard, l.intake.lost, l.intake.late
}

func (l *listener) stats(s *Stats) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Heard, s.Lost, s.Late, s.Missed = l.counts.Heard, l.counts.Lost, l.counts.Late, l.missed
}

// close is called when nobody hears any more.
func (l *listener) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.frames)
	}
}
