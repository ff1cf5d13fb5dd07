package house_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
	"github.com/thesyncim/gopus"

	"parley/internal/rig"
	"parley/internal/voice/rtc"
)

// caller is a customer's client in a session's room. Its microphone sends silence while it does not speak.
type caller struct {
	t     *testing.T
	room  *lksdk.Room
	track *lksdk.LocalTrack
	stop  context.CancelFunc
	work  sync.WaitGroup

	mu     sync.Mutex
	speaks bool
	spoke  time.Time // when the last voice was sent
	began  time.Time // when it began to speak
	loud   time.Time // when the agent was heard last
	first  time.Time // when the agent was heard first after spoke, or began
	order  []string
	lines  map[string]string // of the transcript, by segment
	agent  map[string]string // its attributes
}

// call joins a room.
func call(t *testing.T, address, token string) *caller {
	t.Helper()
	c := &caller{t: t, lines: map[string]string{}, agent: map[string]string{}}
	look := func(p lksdk.Participant) {
		if p.Kind() == lksdk.ParticipantAgent {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.agent = p.Attributes()
		}
	}
	c.room = lksdk.NewRoom(&lksdk.RoomCallback{
		OnParticipantConnected: func(p *lksdk.RemoteParticipant) { look(p) },
		ParticipantCallback: lksdk.ParticipantCallback{
			OnAttributesChanged: func(_ map[string]string, p lksdk.Participant) { look(p) },
			OnTrackSubscribed: func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
				go c.listen(track)
			},
		},
	})
	must(t, c.room.RegisterTextStreamHandler(rtc.TopicTranscript, func(r *lksdk.TextStreamReader, _ string) {
		text := r.ReadAll()
		c.mu.Lock()
		defer c.mu.Unlock()
		id := r.Info.Attributes["lk.segment_id"]
		if _, known := c.lines[id]; !known {
			c.order = append(c.order, id)
		}
		c.lines[id] = text
	}))
	must(t, c.room.JoinWithToken(address, token, lksdk.WithDisableTURN())) // whose client outlives the room by seconds
	for _, p := range c.room.GetRemoteParticipants() {
		look(p)
	}
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listen notes when the agent can be heard.
func (c *caller) listen(track *webrtc.TrackRemote) {
	d, err := gopus.NewDecoder(gopus.DefaultDecoderConfig(rtc.HearRate, 1))
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
		for _, v := range pcm[:n] {
			if v > 300 || v < -300 {
				c.mu.Lock()
				if c.loud = time.Now(); c.first.IsZero() {
					c.first = c.loud
				}
				c.mu.Unlock()
				break
			}
		}
	}
}

// publish opens the microphone.
func (c *caller) publish() {
	c.t.Helper()
	var err error
	c.track, err = lksdk.NewLocalTrack(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48_000, Channels: 2})
	must(c.t, err)
	_, err = c.room.LocalParticipant.PublishTrack(c.track, &lksdk.TrackPublicationOptions{Source: livekit.TrackSource_MICROPHONE})
	must(c.t, err)
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.work.Go(func() { c.send(ctx) })
}

func (c *caller) send(ctx context.Context) {
	e, err := gopus.NewEncoder(gopus.EncoderConfig{SampleRate: 48_000, Channels: 1, Application: gopus.ApplicationVoIP})
	if err != nil {
		c.t.Error(err)
		return
	}
	beat := time.NewTicker(20 * time.Millisecond)
	defer beat.Stop()
	packet, frame := make([]byte, 1275), make([]int16, 960)
	voice := vowels()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		c.mu.Lock()
		speaks := c.speaks
		if speaks {
			c.spoke = time.Now()
		}
		c.mu.Unlock()
		for i := range frame {
			if frame[i] = 0; speaks {
				frame[i] = voice()
			}
		}
		n, err := e.EncodeInt16(frame, packet)
		if err == nil {
			err = c.track.WriteSample(media.Sample{Data: append([]byte(nil), packet[:n]...), Duration: 20 * time.Millisecond}, nil)
		}
		if err != nil {
			return
		}
	}
}

// vowels gives samples of somebody who says "aiaiai", at 48 kHz.
func vowels() func() int16 {
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

// voice speaks for a time.
func (c *caller) voice(length time.Duration) {
	set := func(on bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.speaks = on; on {
			c.began = time.Now()
		}
		c.first = time.Time{}
	}
	set(true)
	time.Sleep(length)
	set(false)
}

func (c *caller) writes(text string) {
	c.room.LocalParticipant.SendText(text, lksdk.StreamTextOptions{Topic: rtc.TopicText})
}

// leaves hangs up.
func (c *caller) leaves() {
	_ = c.room.LocalParticipant.PublishDataPacket(lksdk.UserData(nil), lksdk.WithDataPublishTopic(rtc.TopicBye), lksdk.WithDataPublishReliable(true))
	time.Sleep(50 * time.Millisecond) // the packet is on its way
	c.gone()
}

func (c *caller) gone() {
	if c.stop != nil {
		c.stop()
		c.work.Wait()
	}
	c.room.Disconnect()
}

// transcript joins the lines.
func (c *caller) transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, id := range c.order {
		all = append(all, c.lines[id])
	}
	return strings.Join(all, "|")
}

func (c *caller) awaits(want string) {
	c.t.Helper()
	rig.Eventually(c.t, "transcript "+want, func() bool { return c.transcript() == want })
}

func (c *caller) awaitsState(want rtc.State) {
	c.t.Helper()
	rig.Eventually(c.t, "state "+string(want), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.agent[rtc.AttributeState] == string(want)
	})
}
