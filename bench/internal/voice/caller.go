package voice

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

	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/internal/voice/rtc"
)

// receivedPacket is a packet of the agent's speech.
type receivedPacket struct {
	receivedAt time.Time
	peak       int // of its sound; -1 if nobody listens
}

// voiceClient is a customer's client in a session's room: a microphone that never stops, and the received packets.
type voiceClient struct {
	*agentListener // where it listens
	room           *lksdk.Room
	track          *lksdk.LocalTrack
	onPacket       func(receivedPacket) // called where it only counts
	stop           context.CancelFunc
	work           sync.WaitGroup

	mu          sync.Mutex
	sending     audioPackets
	next        int
	firstSentAt time.Time // when the first packet of what it sends was sent
	lastSentAt  time.Time // when the last packet of it was sent
}

type calledAgent struct{ Server, Key, Agent string }

// createSession creates a session and returns the customer's token.
func (a calledAgent) createSession(ctx context.Context) (token string, err error) {
	s := &harness.Server{Server: &process.Server{URL: a.Server}, Key: a.Key, Client: apiClient}
	var out struct {
		Data struct{ ParticipantToken string }
	}
	err = s.CallAPI(ctx, http.MethodPost, "/agents/"+a.Agent+"/voice/sessions", map[string]any{}, &out)
	return out.Data.ParticipantToken, err
}

var apiClient = load.NewClient()

// startCall creates a session, joins its room and opens the microphone, which sends the packets. Where came is nil the
// caller decodes what it receives.
func startCall(ctx context.Context, to calledAgent, sends audioPackets,
	came func(receivedPacket)) (*voiceClient, error) {
	token, err := to.createSession(ctx)
	if err != nil {
		return nil, err
	}
	c := &voiceClient{sending: sends, onPacket: came}
	if came == nil {
		if c.agentListener, err = newAgentListener(); err != nil {
			return nil, err
		}
	}
	c.room = lksdk.NewRoom(&lksdk.RoomCallback{ParticipantCallback: lksdk.ParticipantCallback{
		OnTrackSubscribed: func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
			c.work.Go(func() { c.readTrack(track) })
		}}})
	if err := c.room.RegisterTextStreamHandler(rtc.TopicTranscript, func(r *lksdk.TextStreamReader, _ string) {
		_ = r.ReadAll()
	}); err != nil {
		return nil, err
	}
	if err := c.room.JoinWithToken(strings.Replace(to.Server, "http", "ws", 1), token, lksdk.WithDisableTURN(),
		lksdk.WithLogger(logger.GetDiscardLogger())); err != nil {
		return nil, err
	}
	if err := c.publishMicrophone(); err != nil {
		c.room.Disconnect()
		return nil, err
	}
	return c, nil
}

func (c *voiceClient) publishMicrophone() (err error) {
	if c.track, err = lksdk.NewLocalTrack(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: micRate,
		Channels: 2}); err != nil {
		return err
	}
	if _, err = c.room.LocalParticipant.PublishTrack(c.track,
		&lksdk.TrackPublicationOptions{Source: livekit.TrackSource_MICROPHONE}); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.work.Go(func() { c.sendPackets(ctx) })
	return nil
}

func (c *voiceClient) sendPackets(ctx context.Context) {
	for beat := time.Tick(rtc.FrameTime); ; {
		select {
		case <-ctx.Done():
			return
		case <-beat:
		}
		if c.track.WriteSample(media.Sample{Data: c.nextPacket(time.Now()), Duration: rtc.FrameTime}, nil) != nil {
			return
		}
	}
}

func (c *voiceClient) nextPacket(now time.Time) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.sending[c.next%len(c.sending)]
	c.next++
	if c.lastSentAt = now; c.firstSentAt.IsZero() {
		c.firstSentAt = now
	}
	return p
}

// speakFor sends a sound for a time, and then silence. It returns when its first and its last packet were sent.
func (c *voiceClient) speakFor(ctx context.Context, s *callerSounds, sound audioPackets, length time.Duration) (first,
	last time.Time) {
	c.setSending(sound)
	process.Sleep(ctx, length)
	return c.setSending(s.silence)
}

// setSending switches to another sound, and returns when the first and the last packet of the previous one were sent.
func (c *voiceClient) setSending(to audioPackets) (first, last time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, last = c.firstSentAt, c.lastSentAt
	c.sending, c.next, c.firstSentAt = to, 0, time.Time{}
	return first, last
}

// sendText sends a message as browsers do, in one go. The SDK's own way waits for the first part to be acknowledged,
// which takes 200 ms.
func (c *voiceClient) sendText(text string) {
	id, length := uuid.NewString(), uint64(len(text))
	for _, p := range []*livekit.DataPacket{
		{Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{StreamId: id,
			Topic: rtc.TopicText, MimeType: "text/plain",
			Timestamp: time.Now().UnixMilli(), TotalLength: &length,
			ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}}}}},
		{Value: &livekit.DataPacket_StreamChunk{StreamChunk: &livekit.DataStream_Chunk{StreamId: id, Content: []byte(text)}}},
		{Value: &livekit.DataPacket_StreamTrailer{StreamTrailer: &livekit.DataStream_Trailer{StreamId: id}}},
	} {
		// A message that does not arrive is not answered, and counts as a failure.
		_ = c.room.LocalParticipant.PublishDataPacket(dataPacket{p}, lksdk.WithDataPublishReliable(true))
	}
}

type dataPacket struct{ *livekit.DataPacket }

// ToProto returns the packet.
func (p dataPacket) ToProto() *livekit.DataPacket { return p.DataPacket }

// openingSilence is the packet of silence that LiveKit itself sends at the beginning of a track.
var openingSilence = []byte{0xf8, 0xff, 0xfe}

// readTrack reads the agent's packets. The keep-alive packets of LiveKit have no content.
func (c *voiceClient) readTrack(track *webrtc.TrackRemote) {
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		now := time.Now()
		switch {
		case len(p.Payload) == 0, bytes.Equal(p.Payload, openingSilence):
		case c.onPacket != nil:
			c.onPacket(receivedPacket{now, -1})
		default:
			select {
			case c.packets <- receivedPacket{now, c.packetPeak(p.Payload)}:
			default: // nobody has listened for minutes
			}
		}
	}
}

var errNotHeard = errors.New("the agent was not heard")

// waitForPacket waits for the next packet after a moment, up to a time limit.
func (c *voiceClient) waitForPacket(ctx context.Context, after time.Time,
	within time.Duration) (receivedPacket, error) {
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	for {
		select {
		case a := <-c.packets:
			if a.receivedAt.After(after) {
				return a, nil
			}
		case <-ctx.Done():
			return receivedPacket{}, errNotHeard
		}
	}
}

// waitForSilence waits until the agent has been silent for a while.
func (c *voiceClient) waitForSilence(ctx context.Context, length time.Duration) error {
	for {
		select {
		case <-c.packets:
		case <-time.After(length):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// receivedUntil returns the packets that arrive until a moment.
func (c *voiceClient) receivedUntil(ctx context.Context, until time.Time) (list []receivedPacket) {
	for timeout := time.After(time.Until(until)); ; {
		select {
		case a := <-c.packets:
			list = append(list, a)
		case <-timeout:
			return list
		case <-ctx.Done():
			return list
		}
	}
}

// hangUp hangs up as the browser library does, with a message first.
func (c *voiceClient) hangUp() {
	// A client that cannot send it leaves all the same.
	_ = c.room.LocalParticipant.PublishDataPacket(lksdk.UserData(nil), lksdk.WithDataPublishTopic(rtc.TopicBye),
		lksdk.WithDataPublishReliable(true))
	time.Sleep(50 * time.Millisecond) // the packet is on its way
	c.stop()
	c.room.Disconnect()
	c.work.Wait()
}
