//go:build !novoice

package rtc

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
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
	muted       atomic.Bool
	reportedOn  atomic.Bool // what was reported last: whether there is a microphone that is not muted
	hasReported bool        // whether anything was reported
	cancel      context.CancelFunc
	unsubscribe func() // asks the server to stop sending the track
	stats       Stats  // of what was received
	closed      bool
}

func (r *audioReceiver) init(codec opus, owner *Participant) {
	r.participant, r.frames = owner, make(chan Frame, maxQueuedFrames)
	r.buffer = &jitterBuffer{codec: codec, onFrame: r.putFrame}
}

// Audio returns the user's voice.
func (p *Participant) Audio() <-chan Frame { return p.receiver.frames }

// putFrame passes a frame on, and drops the oldest if nobody reads them.
func (r *audioReceiver) putFrame(f Frame) {
	for {
		select {
		case r.frames <- f:
			return
		default:
		}
		select {
		case <-r.frames:
			r.mu.Lock()
			r.stats.Dropped++
			r.mu.Unlock()
		default:
		}
	}
}

// attach begins to read a track. A second one replaces the first, which drop unsubscribes. muted is called when its
// result is needed, since the server reports changes at any time and in any order.
func (r *audioReceiver) attach(track *webrtc.TrackRemote, sid string, muted func() bool, drop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.cancel != nil {
		r.cancel()
		if r.trackID != sid { // otherwise it is the same one, on a new connection
			r.participant.work.Go(r.unsubscribe)
		}
	}
	ctx, cancel := context.WithCancel(r.participant.ctx)
	r.trackID, r.cancel, r.unsubscribe = sid, cancel, drop
	r.muted.Store(muted())
	r.participant.work.Go(func() { r.decodeTrack(ctx, track) })
	r.reportMicrophone()
}

func (r *audioReceiver) detach(sid string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if sid != r.trackID {
		return
	}
	r.cancel()
	r.trackID, r.cancel, r.unsubscribe = "", nil, nil
	r.reportMicrophone()
}

// updateMuted reads whether the track is muted.
func (r *audioReceiver) updateMuted(sid string, muted func() bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if sid == r.trackID {
		r.muted.Store(muted())
		r.reportMicrophone()
	}
}

// reportMicrophone reports whether there is a microphone that is not muted, if that has changed, and for the first one
// in any case: it may have been muted before it was attached.
func (r *audioReceiver) reportMicrophone() {
	if on := r.trackID != "" && !r.muted.Load(); r.reportedOn.Swap(on) != on || !r.hasReported {
		r.hasReported = true
		kind := EventMicOff
		if on {
			kind = EventMicOn
		}
		r.participant.sendEvent(kind)
	}
}

// decodeTrack decodes a track into frames until it ends.
func (r *audioReceiver) decodeTrack(ctx context.Context, track *webrtc.TrackRemote) {
	packets := make(chan rtpPacket, 64)
	r.participant.work.Go(func() { r.readPackets(ctx, track, packets) })
	r.readMu.Lock()
	defer r.readMu.Unlock()
	r.buffer.hasStarted = false
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
			r.buffer.addPacket(p)
		case <-timer.C:
			if r.muted.Load() {
				r.buffer.hasStarted = false // what comes afterwards starts over
			}
			r.buffer.handleIdle(r.participant.config.Now())
		}
		r.updateStats()
		timer.Reset(packetTimeout)
	}
}

// readPackets reads the packets of a track until it ends.
func (r *audioReceiver) readPackets(ctx context.Context, track *webrtc.TrackRemote, to chan<- rtpPacket) {
	defer close(to)
	rate := rateLimit{burst: maxPacketsPerSecond, interval: time.Second / maxPacketsPerSecond}
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		now := r.participant.config.Now()
		if len(p.Payload) > 0 && !isFiller(p.Payload) {
			r.participant.setLastMedia(now)
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

func (r *audioReceiver) updateStats() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Received, r.stats.Concealed, r.stats.Late = r.buffer.received, r.buffer.concealed, r.buffer.late
}

func (r *audioReceiver) currentStats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// close closes the channel of frames, when no track is read any more.
func (r *audioReceiver) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.frames)
	}
}
