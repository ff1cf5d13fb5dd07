package rtc

import (
	"errors"
	"io"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
)

const (
	longestText  = 32 << 10 // bytes of a typed message; what is longer is refused
	longestChunk = 15_000   // bytes of a piece of a text stream: LiveKit's own measure
)

// SetState shows what the agent is doing.
func (p *Participant) SetState(s State) {
	p.out.put(func() { p.room.LocalParticipant.SetAttributes(map[string]string{AttributeState: string(s)}) })
}

// Fault tells the client of a problem.
func (p *Participant) Fault(message string) {
	p.out.put(func() {
		// A client that has gone hears of nothing.
		_ = p.room.LocalParticipant.PublishDataPacket(lksdk.UserData([]byte(message)), lksdk.WithDataPublishTopic(TopicFault),
			lksdk.WithDataPublishReliable(true), lksdk.WithDataPublishDestination([]string{p.config.User}))
	})
}

// Transcript shows a segment.
func (p *Participant) Transcript(s Segment) {
	p.out.put(func() {
		for _, part := range p.stream(s, p.config.Now().UnixMilli()) {
			if p.room.LocalParticipant.PublishDataPacket(part, lksdk.WithDataPublishReliable(true),
				lksdk.WithDataPublishDestination([]string{p.config.User})) != nil {
				return
			}
		}
	})
}

// part is a packet that is built here: the SDK's own text streams cannot name the speaker.
type part struct{ *livekit.DataPacket }

// ToProto gives the packet.
func (p part) ToProto() *livekit.DataPacket { return p.DataPacket }

// stream makes a text stream of a segment: a header, the text, a trailer. What the user said comes from the user: the server lets
// agents name another participant as the sender.
func (p *Participant) stream(s Segment, now int64) []part {
	id, length := uuid.NewString(), uint64(len(s.Text))
	final := "false"
	if s.Final {
		final = "true"
	}
	attributes := map[string]string{attributeID: s.ID, attributeFinal: final}
	parts := []part{{&livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{
		StreamId: id, Topic: TopicTranscript, MimeType: "text/plain", Timestamp: now, TotalLength: &length, Attributes: attributes,
		ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}},
	}}}}}
	for i, text := range chunks(s.Text) {
		parts = append(parts, part{&livekit.DataPacket{Value: &livekit.DataPacket_StreamChunk{StreamChunk: &livekit.DataStream_Chunk{
			StreamId: id, ChunkIndex: uint64(i), Content: []byte(text),
		}}}})
	}
	parts = append(parts, part{&livekit.DataPacket{Value: &livekit.DataPacket_StreamTrailer{StreamTrailer: &livekit.DataStream_Trailer{StreamId: id}}}})
	if s.User {
		for _, one := range parts {
			one.ParticipantIdentity = p.config.User
		}
	}
	return parts
}

// chunks cuts a text between characters.
func chunks(text string) []string {
	var list []string
	for len(text) > longestChunk {
		n := longestChunk
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		list, text = append(list, text[:n]), text[n:]
	}
	if text != "" {
		list = append(list, text)
	}
	return list
}

// read takes a typed message. A stream is read to its end even when it is too long: what is not read would be kept.
func (p *Participant) read(stream *lksdk.TextStreamReader, from string) {
	var text []byte
	long := false
	for piece := make([]byte, 4096); ; {
		n, err := stream.Read(piece)
		if long = long || len(text)+n > longestText; !long {
			text = append(text, piece[:n]...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return
		}
	}
	switch {
	case from != p.config.User:
	case long:
		p.Fault("The message is too long.")
	case len(text) > 0 && utf8.Valid(text):
		now := p.config.Now()
		p.seen(now)
		p.happened.put(Event{Kind: EventText, At: now, Text: string(text)})
	}
}
