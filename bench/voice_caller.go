package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"

	"parley/internal/voice/rtc"
)

// reception is a packet of the agent's speech.
type reception struct {
	at   time.Time
	peak int // of its sound; -1 where nobody listens
}

// caller is a customer's client in a session's room: a microphone that never stops, and what comes back.
type caller struct {
	*hearer // where it listens
	room    *lksdk.Room
	track   *lksdk.LocalTrack
	came    func(reception) // called where it only counts
	stop    context.CancelFunc
	work    sync.WaitGroup

	mu    sync.Mutex
	sends packets
	next  int
	first time.Time // when the first packet of what it sends was sent
	last  time.Time // when the last packet of it was sent
}

// callee is the agent that is called.
type callee struct{ Server, Key, Agent string }

// begin asks for a session and gives the customer's token.
func (t callee) begin(ctx context.Context) (token string, err error) {
	s := &server{child: &child{url: t.Server}, key: t.Key, client: apiClient}
	var out struct {
		Data struct{ ParticipantToken string }
	}
	err = s.call(ctx, http.MethodPost, "/agents/"+t.Agent+"/voice/sessions", map[string]any{}, &out)
	return out.Data.ParticipantToken, err
}

var apiClient = newClient()

// dial begins a session, joins its room and opens the microphone, which sends what sends says. Where came is nil the caller listens.
func dial(ctx context.Context, to callee, sends packets, came func(reception)) (*caller, error) {
	token, err := to.begin(ctx)
	if err != nil {
		return nil, err
	}
	c := &caller{sends: sends, came: came}
	if came == nil {
		if c.hearer, err = newHearer(); err != nil {
			return nil, err
		}
	}
	c.room = lksdk.NewRoom(&lksdk.RoomCallback{ParticipantCallback: lksdk.ParticipantCallback{
		OnTrackSubscribed: func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
			c.work.Go(func() { c.listen(track) })
		}}})
	if err := c.room.RegisterTextStreamHandler(rtc.TopicTranscript, func(r *lksdk.TextStreamReader, _ string) { _ = r.ReadAll() }); err != nil {
		return nil, err
	}
	if err := c.room.JoinWithToken(strings.Replace(to.Server, "http", "ws", 1), token, lksdk.WithDisableTURN(), lksdk.WithLogger(logger.GetDiscardLogger())); err != nil {
		return nil, err
	}
	if err := c.publish(); err != nil {
		c.room.Disconnect()
		return nil, err
	}
	return c, nil
}

func (c *caller) publish() (err error) {
	if c.track, err = lksdk.NewLocalTrack(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: micRate, Channels: 2}); err != nil {
		return err
	}
	if _, err = c.room.LocalParticipant.PublishTrack(c.track, &lksdk.TrackPublicationOptions{Source: livekit.TrackSource_MICROPHONE}); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.work.Go(func() { c.send(ctx) })
	return nil
}

// send sends a packet every 20 ms.
func (c *caller) send(ctx context.Context) {
	beat := time.NewTicker(rtc.FrameTime)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		if c.track.WriteSample(media.Sample{Data: c.packet(time.Now()), Duration: rtc.FrameTime}, nil) != nil {
			return
		}
	}
}

func (c *caller) packet(now time.Time) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.sends[c.next%len(c.sends)]
	c.next++
	if c.last = now; c.first.IsZero() {
		c.first = now
	}
	return p
}

// says sends a sound for a time, and then silence. It gives when its first and its last packet were sent.
func (c *caller) says(ctx context.Context, s *sounds, sound packets, length time.Duration) (first, last time.Time) {
	c.change(sound)
	pause(ctx, length)
	return c.change(s.silence)
}

// change sends another sound, and tells of the one before.
func (c *caller) change(to packets) (first, last time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, last = c.first, c.last
	c.sends, c.next, c.first = to, 0, time.Time{}
	return first, last
}

// writes sends a message as browsers do, in one go. The SDK's own way waits for the first part to be acknowledged, which takes 200 ms.
func (c *caller) writes(text string) {
	id, length := uuid.NewString(), uint64(len(text))
	for _, p := range []*livekit.DataPacket{
		{Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{StreamId: id, Topic: rtc.TopicText, MimeType: "text/plain",
			Timestamp: time.Now().UnixMilli(), TotalLength: &length, ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}}}}},
		{Value: &livekit.DataPacket_StreamChunk{StreamChunk: &livekit.DataStream_Chunk{StreamId: id, Content: []byte(text)}}},
		{Value: &livekit.DataPacket_StreamTrailer{StreamTrailer: &livekit.DataStream_Trailer{StreamId: id}}},
	} {
		// What does not arrive is not answered, and counts as that.
		_ = c.room.LocalParticipant.PublishDataPacket(packet{p}, lksdk.WithDataPublishReliable(true))
	}
}

// packet is one that is built here.
type packet struct{ *livekit.DataPacket }

// ToProto gives the packet.
func (p packet) ToProto() *livekit.DataPacket { return p.DataPacket }

// openingSilence is the packet of silence that LiveKit itself sends at the beginning of a track.
var openingSilence = []byte{0xf8, 0xff, 0xfe}

// listen takes the agent's packets. What LiveKit sends to keep the way open has no content.
func (c *caller) listen(track *webrtc.TrackRemote) {
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		now := time.Now()
		switch {
		case len(p.Payload) == 0, bytes.Equal(p.Payload, openingSilence):
		case c.came != nil:
			c.came(reception{now, -1})
		default:
			select {
			case c.heard <- reception{now, c.loudest(p.Payload)}:
			default: // nobody has listened for minutes
			}
		}
	}
}

var errSilence = errors.New("the agent was not heard")

// hears waits for the next packet after a moment, and is in vain after a while.
func (c *caller) hears(ctx context.Context, after time.Time, within time.Duration) (reception, error) {
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	for {
		select {
		case a := <-c.heard:
			if a.at.After(after) {
				return a, nil
			}
		case <-ctx.Done():
			return reception{}, errSilence
		}
	}
}

// quiet waits until the agent has been silent for a while.
func (c *caller) quiet(ctx context.Context, length time.Duration) error {
	for {
		select {
		case <-c.heard:
		case <-time.After(length):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// record gives what comes until a moment.
func (c *caller) record(ctx context.Context, until time.Time) (list []reception) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	for {
		select {
		case a := <-c.heard:
			list = append(list, a)
		case <-timer.C:
			return list
		case <-ctx.Done():
			return list
		}
	}
}

// leaves hangs up as the browser library does: it says so first.
func (c *caller) leaves() {
	// One who cannot say so is gone all the same.
	_ = c.room.LocalParticipant.PublishDataPacket(lksdk.UserData(nil), lksdk.WithDataPublishTopic(rtc.TopicBye), lksdk.WithDataPublishReliable(true))
	time.Sleep(50 * time.Millisecond) // the packet is on its way
	c.stop()
	c.room.Disconnect()
	c.work.Wait()
}
