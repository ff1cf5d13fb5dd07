package server_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
	"github.com/thesyncim/gopus"

	"parley/internal/testkit"
	"parley/internal/voice/rtc"
)

// voiceClient is a customer's client in a session's room. Its microphone sends silence while the customer does not
// speak.
type voiceClient struct {
	t            *testing.T
	room         *lksdk.Room
	track        *lksdk.LocalTrack
	stop         context.CancelFunc
	work         sync.WaitGroup
	disconnected chan struct{} // closed when the room is over

	mu              sync.Mutex
	speech          []int16       // at 48 kHz, that it says
	hasEcho         bool          // its microphone hears the agent from the loudspeaker
	spokeAt         time.Time     // when the last voice was sent
	silenceSent     time.Duration // of silence that was sent since
	startedAt       time.Time     // when it began to speak
	lastHeardAt     time.Time     // when the agent was heard last
	firstHeardAt    time.Time     // when the agent was heard first after spoke, or began
	segmentIDs      []string
	lines           map[string]string // of the transcript, by segment
	lineHistory     []string          // all that its lines ever were
	agentAttributes map[string]string // its attributes
}

// joinRoom joins a room.
func joinRoom(t *testing.T, address, token string) *voiceClient {
	t.Helper()
	c := &voiceClient{t: t, lines: map[string]string{}, agentAttributes: map[string]string{},
		disconnected: make(chan struct{})}
	look := func(p lksdk.Participant) {
		if p.Kind() == lksdk.ParticipantAgent {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.agentAttributes = p.Attributes()
		}
	}
	c.room = lksdk.NewRoom(&lksdk.RoomCallback{
		OnDisconnected:         sync.OnceFunc(func() { close(c.disconnected) }),
		OnParticipantConnected: func(p *lksdk.RemoteParticipant) { look(p) },
		ParticipantCallback: lksdk.ParticipantCallback{
			OnAttributesChanged: func(_ map[string]string, p lksdk.Participant) { look(p) },
			OnTrackSubscribed: func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
				go c.trackAgentAudio(track)
			},
		},
	})
	requireNoError(t, c.room.RegisterTextStreamHandler(rtc.TopicTranscript, func(r *lksdk.TextStreamReader, _ string) {
		text := r.ReadAll()
		c.mu.Lock()
		defer c.mu.Unlock()
		id := r.Info.Attributes["lk.segment_id"]
		if _, known := c.lines[id]; !known {
			c.segmentIDs = append(c.segmentIDs, id)
		}
		c.lines[id] = text
		c.lineHistory = append(c.lineHistory, text)
	}))
	// whose client outlives the room by seconds
	requireNoError(t, c.room.JoinWithToken(address, token, lksdk.WithDisableTURN()))
	for _, p := range c.room.GetRemoteParticipants() {
		look(p)
	}
	return c
}

func requireNoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// trackAgentAudio records when the agent can be heard.
func (c *voiceClient) trackAgentAudio(track *webrtc.TrackRemote) {
	d, err := gopus.NewDecoder(gopus.DefaultDecoderConfig(rtc.InputRate, 1))
	if err != nil {
		c.t.Error(err)
		return
	}
	pcm := make([]int16, 5760)
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		n, err := d.DecodeInt16(p.Payload, pcm)
		if err != nil || len(p.Payload) == 0 {
			continue
		}
		c.addEcho(pcm[:n])
		for _, v := range pcm[:n] {
			if v > 300 || v < -300 {
				c.mu.Lock()
				if c.lastHeardAt = time.Now(); c.firstHeardAt.IsZero() {
					c.firstHeardAt = c.lastHeardAt
				}
				c.mu.Unlock()
				break
			}
		}
	}
}

// addEcho mixes what the loudspeaker plays into the microphone, 12 dB less loud.
func (c *voiceClient) addEcho(pcm []int16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hasEcho {
		for _, v := range pcm {
			c.speech = append(c.speech, v/4, v/4, v/4)
		}
	}
}

// publishMicrophone opens the microphone.
func (c *voiceClient) publishMicrophone() {
	c.t.Helper()
	var err error
	c.track, err = lksdk.NewLocalTrack(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48_000,
		Channels: 2})
	requireNoError(c.t, err)
	_, err = c.room.LocalParticipant.PublishTrack(c.track,
		&lksdk.TrackPublicationOptions{Source: livekit.TrackSource_MICROPHONE})
	requireNoError(c.t, err)
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.work.Go(func() { c.sendFrames(ctx) })
}

func (c *voiceClient) sendFrames(ctx context.Context) {
	e, err := gopus.NewEncoder(gopus.EncoderConfig{SampleRate: 48_000, Channels: 1, Application: gopus.ApplicationVoIP})
	if err != nil {
		c.t.Error(err)
		return
	}
	beat := time.NewTicker(20 * time.Millisecond)
	defer beat.Stop()
	for next := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		for ; !next.After(time.Now()); next = next.Add(20 * time.Millisecond) { // on a busy machine several are due at once
			if c.sendFrame(e) != nil {
				return
			}
		}
	}
}

// sendFrame sends the next 20 ms.
func (c *voiceClient) sendFrame(e *gopus.Encoder) error {
	packet, frame := make([]byte, 1275), make([]int16, 960)
	c.mu.Lock()
	sampleCount := copy(frame, c.speech)
	c.speech = c.speech[sampleCount:]
	c.silenceSent += 20 * time.Millisecond
	if sampleCount > 0 {
		c.spokeAt, c.silenceSent = time.Now(), 0
	}
	c.mu.Unlock()
	n, err := e.EncodeInt16(frame, packet)
	if err != nil {
		return err
	}
	return c.track.WriteSample(media.Sample{Data: packet[:n], Duration: 20 * time.Millisecond}, nil)
}

// newVowelGenerator returns samples of a voice that says "aiaiai", at 48 kHz.
func newVowelGenerator() func() int16 {
	n, phase := 0, 0.0
	return func() int16 {
		at := float64(n) / 48000
		n++
		pitch := 120 + 25*math.Sin(2*math.Pi*1.3*at)
		phase += pitch / 48000
		formant := 600 + 250*math.Sin(4*math.Pi*at)
		v := 0.0
		for h := 1.0; h*pitch < 3500; h++ {
			v += math.Sin(2*math.Pi*h*phase) / (1 + math.Pow((h*pitch-formant)/200, 2)/4) / math.Sqrt(h)
		}
		return int16(3000 * v * (0.65 + 0.35*math.Cos(8*math.Pi*at)))
	}
}

// speakFor speaks for a time.
func (c *voiceClient) speakFor(length time.Duration) {
	c.t.Helper()
	sound, voice := make([]int16, int(length*48/time.Millisecond)), newVowelGenerator()
	for i := range sound {
		sound[i] = voice()
	}
	c.speak(sound)
	c.waitUntilSpoken()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.firstHeardAt = time.Time{}
}

// speak speaks a recording, at 48 kHz.
func (c *voiceClient) speak(words []int16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.speech, c.startedAt, c.firstHeardAt = words, time.Now(), time.Time{}
}

// waitUntilSpoken waits for the end of the speech.
func (c *voiceClient) waitUntilSpoken() {
	c.t.Helper()
	testkit.Eventually(c.t, "the end of what was said", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.speech) == 0
	})
}

// waitForSilence waits until the client has sent so much silence.
func (c *voiceClient) waitForSilence(length time.Duration) {
	c.t.Helper()
	testkit.Eventually(c.t, "a rest", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.silenceSent >= length
	})
}

// sawLine reports whether a line of the transcript was this text once.
func (c *voiceClient) sawLine(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.lineHistory, text)
}

// heardAgent reports whether the agent was heard since the customer spoke.
func (c *voiceClient) heardAgent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.firstHeardAt.IsZero()
}

func (c *voiceClient) sendText(text string) {
	c.room.LocalParticipant.SendText(text, lksdk.StreamTextOptions{Topic: rtc.TopicText})
}

// leaveRoom sends the message that hangs up, and waits for the end of the room.
func (c *voiceClient) leaveRoom() {
	c.t.Helper()
	_ = c.room.LocalParticipant.PublishDataPacket(lksdk.UserData(nil), lksdk.WithDataPublishTopic(rtc.TopicBye),
		lksdk.WithDataPublishReliable(true))
	select {
	case <-c.disconnected:
	case <-time.After(testkit.WaitTimeout):
		c.t.Error("the room does not end")
	}
	c.disconnect()
}

// waitForAgentSpeech waits until the agent has been heard for a time since the caller spoke.
func (c *voiceClient) waitForAgentSpeech(length time.Duration) {
	c.t.Helper()
	testkit.Eventually(c.t, "the agent's voice", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return !c.firstHeardAt.IsZero() && c.lastHeardAt.Sub(c.firstHeardAt) >= length
	})
}

func (c *voiceClient) disconnect() {
	if c.stop != nil {
		c.stop()
		c.work.Wait()
	}
	c.room.Disconnect()
}

// transcript joins the lines.
func (c *voiceClient) transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, id := range c.segmentIDs {
		all = append(all, c.lines[id])
	}
	return strings.Join(all, "|")
}

func (c *voiceClient) waitForTranscript(want string) {
	c.t.Helper()
	testkit.Eventually(c.t, "transcript "+want, func() bool { return c.transcript() == want })
}

func (c *voiceClient) waitForState(want rtc.State) {
	c.t.Helper()
	testkit.Eventually(c.t, "state "+string(want), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.agentAttributes[rtc.AttributeState] == string(want)
	})
}
