package rtc

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/pion/webrtc/v4"
)

const (
	maxQueuedFrames = 50                    // frames that wait for their reader: one second
	packetTimeout   = 25 * time.Millisecond // after this long without a packet the buffer handles the gap

	maxPacketsPerSecond = 400 // the shortest packets of Opus are of 2.5 ms
)

// audioReceiver turns the user's audio track into frames.
type audioReceiver struct {
	participant *Participant
	buffer      *jitterBuffer
	frames      chan Frame
	readMu      sync.Mutex // locked by the track that is being read: one ends before the next begins

	mu          sync.Mutex
	trackID     string // of the track; empty for none
	muted       bool
	reportedOn  bool // what was reported last
	hasReported bool // whether anything was reported
	cancel      context.CancelFunc
	unsubscribe func() // asks the server to stop sending the track
	stats       Stats  // of what was received
	closed      bool
}

func (l *audioReceiver) init(codec opus, owner *Participant) {
	l.participant, l.frames = owner, make(chan Frame, maxQueuedFrames)
	l.buffer = &jitterBuffer{codec: codec, onFrame: l.putFrame}
}

// Audio returns the user's voice.
func (p *Participant) Audio() <-chan Frame { return p.receiver.frames }

// putFrame passes a frame on, and drops the oldest if nobody reads them.
func (l *audioReceiver) putFrame(f Frame) {
	for {
		select {
		case l.frames <- f:
			return
		default:
		}
		select {
		case <-l.frames:
			l.mu.Lock()
			l.stats.Dropped++
			l.mu.Unlock()
		default:
		}
	}
}

// attach begins to read a track. A second one replaces the first, which drop unsubscribes. muted is called when its
// result is needed, since the server reports changes at any time and in any order.
func (l *audioReceiver) attach(track *webrtc.TrackRemote, sid string, muted func() bool, drop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if l.cancel != nil {
		l.cancel()
		if l.trackID != sid { // otherwise it is the same one, on a new connection
			l.participant.work.Go(l.unsubscribe)
		}
	}
	ctx, cancel := context.WithCancel(l.participant.ctx)
	l.trackID, l.muted, l.cancel, l.unsubscribe = sid, muted(), cancel, drop
	l.participant.work.Go(func() { l.decodeTrack(ctx, track) })
	l.reportMicrophone()
}

func (l *audioReceiver) detach(sid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sid != l.trackID {
		return
	}
	l.cancel()
	l.trackID, l.cancel, l.unsubscribe = "", nil, nil
	l.reportMicrophone()
}

// updateMuted reads whether the track is muted.
func (l *audioReceiver) updateMuted(sid string, muted func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sid == l.trackID {
		l.muted = muted()
		l.reportMicrophone()
	}
}

// reportMicrophone reports whether there is a microphone that is not muted, if that has changed, and for the first one
// in any case: it may have been muted before it was attached.
func (l *audioReceiver) reportMicrophone() {
	if on := l.trackID != "" && !l.muted; on != l.reportedOn || !l.hasReported {
		l.reportedOn, l.hasReported = on, true
		kind := EventMicOff
		if on {
			kind = EventMicOn
		}
		l.participant.sendEvent(kind)
	}
}

// isOn reports whether there is a microphone that is not muted.
func (l *audioReceiver) isOn() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reportedOn
}

func (l *audioReceiver) isMuted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.muted
}

// decodeTrack decodes a track into frames until it ends.
func (l *audioReceiver) decodeTrack(ctx context.Context, track *webrtc.TrackRemote) {
	packets := make(chan rtpPacket, 64)
	l.participant.work.Go(func() { l.readPackets(ctx, track, packets) })
	l.readMu.Lock()
	defer l.readMu.Unlock()
	l.buffer.hasStarted = false
	timer := time.NewTimer(packetTimeout)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case p, ok := <-packets:
			if !ok {
				return
			}
			l.buffer.addPacket(p)
		case <-timer.C:
			if l.isMuted() {
				l.buffer.hasStarted = false // what comes afterwards starts anew
			}
			l.buffer.handleIdle(l.participant.config.Now())
		}
		l.updateStats()
		timer.Reset(packetTimeout)
	}
}

// readPackets reads the packets of a track until it ends.
func (l *audioReceiver) readPackets(ctx context.Context, track *webrtc.TrackRemote, to chan<- rtpPacket) {
	defer close(to)
	rate := rateLimit{burst: maxPacketsPerSecond, interval: time.Second / maxPacketsPerSecond}
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		now := l.participant.config.Now()
		if len(p.Payload) > 0 && !isFiller(p.Payload) {
			l.participant.setLastMedia(now)
		}
		if !rate.allow(now) {
			continue
		}
		select {
		case to <- rtpPacket{p, now}:
		case <-ctx.Done():
			return
		}
	}
}

// isFiller reports whether a packet is the silence that the media server itself adds to a track that it mutes or
// closes: a packet without sound, padded with zeros. Encoders send it without padding. It is no sign of the user, who
// may have vanished 20 s before.
func isFiller(payload []byte) bool {
	rest, ok := bytes.CutPrefix(payload, []byte{0xf8, 0xff, 0xfe})
	return ok && len(rest) > 0 && len(bytes.Trim(rest, "\x00")) == 0
}

func (l *audioReceiver) updateStats() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Received, l.stats.Concealed, l.stats.Late = l.buffer.received, l.buffer.concealed, l.buffer.late
}

func (l *audioReceiver) currentStats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// close closes the channel of frames, when no track is read any more.
func (l *audioReceiver) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.frames)
	}
}
