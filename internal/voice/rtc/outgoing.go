//go:build !novoice

package rtc

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"parley"
)

const maxChunkBytes = 15_000 // bytes of a chunk of a text stream, as LiveKit's clients send them

// SetState shows what the agent is doing.
func (p *Participant) SetState(s State) {
	p.state.Store(s)
	p.outgoing.put(func() { p.showState(s) })
}

func (p *Participant) showState(s State) {
	p.room.LocalParticipant.SetAttributes(map[string]string{AttributeState: string(s)})
}

// showStateAgain shows the current state: what was sent without a connection is lost, and to the server an agent that
// comes back is a new one.
func (p *Participant) showStateAgain() {
	p.outgoing.put(func() {
		if s, ok := p.state.Load().(State); ok {
			p.showState(s)
		}
	})
}

// Fault reports a problem to the client.
func (p *Participant) Fault(message string) {
	// a client that has gone gets nothing
	p.outgoing.put(func() { _ = p.publish(lksdk.UserData([]byte(message)), lksdk.WithDataPublishTopic(TopicFault)) })
}

func (p *Participant) publish(packet lksdk.DataPacket, options ...lksdk.DataPublishOption) error {
	return p.room.LocalParticipant.PublishDataPacket(packet, append(options, lksdk.WithDataPublishReliable(true),
		lksdk.WithDataPublishDestination([]string{p.config.UserIdentity}))...)
}

// Transcript shows a segment.
func (p *Participant) Transcript(s Segment) {
	p.outgoing.put(func() {
		for _, part := range p.textStreamPackets(s, p.config.Now().UnixMilli()) {
			if p.publish(part) != nil {
				return
			}
		}
	})
}

// rawPacket is a packet that is built here, since the SDK's own text streams cannot name the speaker.
type rawPacket struct{ *livekit.DataPacket }

// ToProto returns the packet.
func (p rawPacket) ToProto() *livekit.DataPacket { return p.DataPacket }

// textStreamPackets returns a segment as a text stream: header, text, trailer. What the user said is sent as the user:
// the server lets agents name another participant as the sender.
func (p *Participant) textStreamPackets(s Segment, now int64) []rawPacket {
	speaker := ""
	if s.FromUser {
		speaker = p.config.UserIdentity
	}
	id, length := uuid.NewString(), uint64(len(s.Text))
	parts := []rawPacket{{&livekit.DataPacket{ParticipantIdentity: speaker, Value: &livekit.DataPacket_StreamHeader{
		StreamHeader: &livekit.DataStream_Header{
			StreamId: id, Topic: TopicTranscript, MimeType: "text/plain", Timestamp: now, TotalLength: &length,
			Attributes:    map[string]string{attributeID: s.ID, attributeFinal: strconv.FormatBool(s.Final)},
			ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}},
		}}}}}
	for i, text := range splitChunks(s.Text) {
		chunk := &livekit.DataStream_Chunk{StreamId: id, ChunkIndex: uint64(i), Content: []byte(text)}
		parts = append(parts, rawPacket{&livekit.DataPacket{ParticipantIdentity: speaker,
			Value: &livekit.DataPacket_StreamChunk{StreamChunk: chunk}}})
	}
	trailer := &livekit.DataStream_Trailer{StreamId: id}
	return append(parts, rawPacket{&livekit.DataPacket{ParticipantIdentity: speaker,
		Value: &livekit.DataPacket_StreamTrailer{StreamTrailer: trailer}}})
}

// splitChunks splits a text between characters.
func splitChunks(text string) []string {
	var list []string
	for len(text) > maxChunkBytes {
		chunk := parley.ClipBytes(text, maxChunkBytes)
		list, text = append(list, chunk), text[len(chunk):]
	}
	if text != "" {
		list = append(list, text)
	}
	return list
}

// orderedQueue passes values on in order, without blocking put.
type orderedQueue[T any] struct {
	mu     sync.Mutex
	queue  []T
	wakeup chan struct{}
	closed bool
}

func newOrderedQueue[T any]() *orderedQueue[T] {
	return &orderedQueue[T]{wakeup: make(chan struct{}, 1)}
}

func (q *orderedQueue[T]) put(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.queue = append(q.queue, v)
		q.wake()
	}
}

// close accepts no further values; those in the queue are still passed on.
func (q *orderedQueue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

func (q *orderedQueue[T]) wake() {
	select {
	case q.wakeup <- struct{}{}:
	default:
	}
}

// each calls f for every value until the queue is closed and empty, or f returns false.
func (q *orderedQueue[T]) each(f func(T) bool) {
	for range q.wakeup { // again for what is put while f runs
		q.mu.Lock()
		taken, over := q.queue, q.closed
		q.queue = nil
		q.mu.Unlock()
		for _, v := range taken {
			if !f(v) {
				return
			}
		}
		if over {
			return
		}
	}
}

// deliverEvents sends events to their reader. When the agent has left, it does not wait for a reader that is gone.
func deliverEvents(left context.Context, events *orderedQueue[Event], to chan<- Event) {
	defer close(to)
	events.each(func(e Event) bool {
		select {
		case to <- e:
			return true
		case <-left.Done():
		}
		select {
		case to <- e:
			return true
		case <-time.After(time.Second):
			return false
		}
	})
}
