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

// What a user may send as data. A browser is in the hands of whoever sits before it: what is more than this is dropped.
const (
	longestText = 32 << 10         // bytes of a typed message; what is longer is refused
	mostStreams = 4                // messages that are being sent at once; one more ends the oldest
	oldestText  = 30 * time.Second // a message that takes longer is dropped
	textBurst   = 10               // messages at once, and then one every textEvery
	textEvery   = time.Second
	faultEvery  = 2 * time.Second // between two refusals that are told
)

// inbox takes the data that comes from the user. The SDK's own reading of it is not used: it begins a goroutine for each stream and
// keeps it for as long as the stream is open, and breaks at a trailer with attributes.
type inbox struct {
	user   string
	now    func() time.Time
	said   func(text string)
	bye    func()
	refuse func(why string)

	mu      sync.Mutex
	streams []*stream // that are open, the oldest first
	texts   bucket
	faults  bucket
}

// stream is a typed message that is still coming.
type stream struct {
	id     string
	began  time.Time
	text   []byte
	chunks uint64
	long   bool
}

func newInbox(user string, now func() time.Time) *inbox {
	return &inbox{user: user, now: now, texts: bucket{burst: textBurst, every: textEvery}, faults: bucket{burst: 2, every: faultEvery}}
}

// The labels of the channels on which LiveKit hands data on.
const (
	reliableChannel = "_reliable"
	lossyChannel    = "_lossy"
)

// watch takes the channels of a connection that opens. It is called before any of them is there.
func (b *inbox) watch(c *webrtc.PeerConnection) {
	if c == nil {
		return
	}
	c.OnDataChannel(func(d *webrtc.DataChannel) {
		if label := d.Label(); label == reliableChannel || label == lossyChannel {
			d.OnMessage(func(m webrtc.DataChannelMessage) { b.take(m.Data) })
		}
	})
}

// take takes a packet. All but typed messages and farewells of the user mean nothing here.
func (b *inbox) take(data []byte) {
	p := &livekit.DataPacket{}
	if proto.Unmarshal(data, p) != nil || p.GetParticipantIdentity() != b.user {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch v := p.GetValue().(type) {
	case *livekit.DataPacket_User:
		if v.User.GetTopic() == TopicBye {
			b.bye()
		}
	case *livekit.DataPacket_StreamHeader:
		b.begin(v.StreamHeader)
	case *livekit.DataPacket_StreamChunk:
		b.grow(v.StreamChunk)
	case *livekit.DataPacket_StreamTrailer:
		b.end(v.StreamTrailer.GetStreamId())
	}
}

func (b *inbox) begin(h *livekit.DataStream_Header) {
	if h.GetTopic() != TopicText || h.GetTextHeader() == nil {
		return
	}
	b.drop(h.GetStreamId())
	if len(b.streams) == mostStreams {
		b.streams = slices.Delete(b.streams, 0, 1)
	}
	b.streams = append(b.streams, &stream{id: h.GetStreamId(), began: b.now(), long: h.GetTotalLength() > longestText})
}

// grow adds a piece. Of a message that lacks one nothing is made.
func (b *inbox) grow(c *livekit.DataStream_Chunk) {
	s := b.find(c.GetStreamId())
	switch {
	case s == nil || c.GetChunkIndex() < s.chunks:
		return
	case c.GetChunkIndex() > s.chunks:
		b.drop(s.id)
		return
	}
	s.chunks++
	if s.long = s.long || len(s.text)+len(c.GetContent()) > longestText; s.long {
		s.text = nil
		return
	}
	s.text = append(s.text, c.GetContent()...)
}

func (b *inbox) end(id string) {
	s := b.find(id)
	b.drop(id)
	switch {
	case s == nil || len(s.text) == 0 && !s.long || !utf8.Valid(s.text):
	case s.long:
		b.fault("The message is too long.")
	case !b.texts.take(b.now()):
		b.fault("These are too many messages at once: the last ones were not read.")
	default:
		b.said(string(s.text))
	}
}

func (b *inbox) fault(why string) {
	if b.faults.take(b.now()) {
		b.refuse(why)
	}
}

// find gives an open stream, unless it has become too old.
func (b *inbox) find(id string) *stream {
	for _, s := range b.streams {
		if s.id == id && b.now().Sub(s.began) < oldestText {
			return s
		}
	}
	return nil
}

func (b *inbox) drop(id string) {
	b.streams = slices.DeleteFunc(b.streams, func(s *stream) bool { return s.id == id })
}
