//go:build !novoice

package rtc

import (
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/webrtc/v4"
	"google.golang.org/protobuf/proto"
)

// Limits of what a user may send as data. A browser is under the control of its user: what exceeds them is dropped.
const (
	maxTextBytes  = 32 << 10         // bytes of a typed message; a longer one is refused
	maxStreams    = 4                // messages that are being received at once; one more drops the oldest
	maxTextAge    = 30 * time.Second // a message that takes longer is dropped
	textBurst     = 10               // messages at once, and then one every textInterval
	textInterval  = time.Second
	faultInterval = 2 * time.Second // between two refusals that are reported
)

// dataReceiver receives the data that the user sends. The SDK's own reader is not used: it starts a goroutine for each
// stream, keeps it as long as the stream is open, and crashes at a trailer with attributes.
type dataReceiver struct {
	userIdentity string
	now          func() time.Time
	onText       func(text string)
	onBye        func()
	onRefuse     func(reason string)

	mu         sync.Mutex
	streams    []*textStream // open ones, oldest first
	textLimit  rateLimit
	faultLimit rateLimit
}

// textStream is a typed message that is being received.
type textStream struct {
	id        string
	startedAt time.Time
	text      []byte
	chunks    uint64
	isTooLong bool
}

func newDataReceiver(user string, now func() time.Time) *dataReceiver {
	return &dataReceiver{userIdentity: user, now: now, textLimit: rateLimit{burst: textBurst, interval: textInterval},
		faultLimit: rateLimit{burst: 2, interval: faultInterval}}
}

// The labels of the channels on which LiveKit sends data.
const (
	reliableChannel = "_reliable"
	lossyChannel    = "_lossy"
)

// watchChannels reads the data channels of a connection. It is called before any of them is open.
func (r *dataReceiver) watchChannels(c *webrtc.PeerConnection) {
	if c == nil {
		return
	}
	c.OnDataChannel(func(d *webrtc.DataChannel) {
		if label := d.Label(); label == reliableChannel || label == lossyChannel {
			d.OnMessage(func(m webrtc.DataChannelMessage) { r.handlePacket(m.Data) })
		}
	})
}

// handlePacket handles a packet. Everything but the user's typed messages and farewells is ignored.
func (r *dataReceiver) handlePacket(data []byte) {
	p := &livekit.DataPacket{}
	if proto.Unmarshal(data, p) != nil || p.GetParticipantIdentity() != r.userIdentity {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch v := p.GetValue().(type) {
	case *livekit.DataPacket_User:
		if v.User.GetTopic() == TopicBye {
			r.onBye()
		}
	case *livekit.DataPacket_StreamHeader:
		r.beginStream(v.StreamHeader)
	case *livekit.DataPacket_StreamChunk:
		r.appendChunk(v.StreamChunk)
	case *livekit.DataPacket_StreamTrailer:
		r.endStream(v.StreamTrailer.GetStreamId())
	}
}

func (r *dataReceiver) beginStream(h *livekit.DataStream_Header) {
	if h.GetTopic() != TopicText || h.GetTextHeader() == nil {
		return
	}
	r.dropStream(h.GetStreamId())
	if len(r.streams) == maxStreams {
		r.streams = slices.Delete(r.streams, 0, 1)
	}
	r.streams = append(r.streams,
		&textStream{id: h.GetStreamId(), startedAt: r.now(), isTooLong: h.GetTotalLength() > maxTextBytes})
}

// appendChunk appends a chunk. A message that lacks one is dropped.
func (r *dataReceiver) appendChunk(c *livekit.DataStream_Chunk) {
	s := r.findStream(c.GetStreamId())
	switch {
	case s == nil || c.GetChunkIndex() < s.chunks:
		return
	case c.GetChunkIndex() > s.chunks:
		r.dropStream(s.id)
		return
	}
	s.chunks++
	if s.isTooLong = s.isTooLong || len(s.text)+len(c.GetContent()) > maxTextBytes; s.isTooLong {
		s.text = nil
		return
	}
	s.text = append(s.text, c.GetContent()...)
}

func (r *dataReceiver) endStream(id string) {
	s := r.findStream(id)
	r.dropStream(id)
	switch {
	case s == nil || len(s.text) == 0 && !s.isTooLong || !utf8.Valid(s.text):
	case s.isTooLong:
		r.refuseText("The message is too long.")
	case !r.textLimit.allow(r.now()):
		r.refuseText("These are too many messages at once: the last ones were not read.")
	default:
		r.onText(string(s.text))
	}
}

func (r *dataReceiver) refuseText(reason string) {
	if r.faultLimit.allow(r.now()) {
		r.onRefuse(reason)
	}
}

// findStream returns an open stream that is not too old, or nil.
func (r *dataReceiver) findStream(id string) *textStream {
	for _, s := range r.streams {
		if s.id == id && r.now().Sub(s.startedAt) < maxTextAge {
			return s
		}
	}
	return nil
}

func (r *dataReceiver) dropStream(id string) {
	r.streams = slices.DeleteFunc(r.streams, func(s *textStream) bool { return s.id == id })
}

// rateLimit limits how often something happens: so many times at once, and then once every so often.
type rateLimit struct {
	burst     int
	interval  time.Duration
	usedUntil time.Time // up to when the time is used
}

// allow reports whether it may happen now.
func (r *rateLimit) allow(now time.Time) bool {
	if earliest := now.Add(-time.Duration(r.burst) * r.interval); r.usedUntil.Before(earliest) {
		r.usedUntil = earliest
	}
	next := r.usedUntil.Add(r.interval)
	if next.After(now) {
		return false
	}
	r.usedUntil = next
	return true
}
