package house_test

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
	ended chan struct{} // closed when the room is over

	mu     sync.Mutex
	words  []int16       // at 48 kHz, that it says
	echoes bool          // its microphone hears the agent from the loudspeaker
	spoke  time.Time     // when the last voice was sent
	rest   time.Duration // of silence that was sent since
	began  time.Time     // when it began to speak
	loud   time.Time     // when the agent was heard last
	first  time.Time     // when the agent was heard first after spoke, or began
	order  []string
	lines  map[string]string // of the transcript, by segment
	steps  []string          // all that its lines ever were
	agent  map[string]string // its attributes
}

// call joins a room.
func call(t *testing.T, address, token string) *caller {
	t.Helper()
	c := &caller{t: t, lines: map[string]string{}, agent: map[string]string{}, ended: make(chan struct{})}
	look := func(p lksdk.Participant) {
		if p.Kind() == lksdk.ParticipantAgent {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.agent = p.Attributes()
		}
	}
	c.room = lksdk.NewRoom(&lksdk.RoomCallback{
		OnDisconnected:         sync.OnceFunc(func() { close(c.ended) }),
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
		c.steps = append(c.steps, text)
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
		c.echo(pcm[:n])
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

// echo has the microphone hear what the loudspeaker plays, 12 dB less loud.
func (c *caller) echo(pcm []int16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.echoes {
		for _, v := range pcm {
			c.words = append(c.words, v/4, v/4, v/4)
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
	for next := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		for ; !next.After(time.Now()); next = next.Add(20 * time.Millisecond) { // on a busy machine several are due at once
			if c.frame(e) != nil {
				return
			}
		}
	}
}

// frame sends the next 20 ms.
func (c *caller) frame(e *gopus.Encoder) error {
	packet, frame := make([]byte, 1275), make([]int16, 960)
	c.mu.Lock()
	said := copy(frame, c.words)
	c.words = c.words[said:]
	c.rest += 20 * time.Millisecond
	if said > 0 {
		c.spoke, c.rest = time.Now(), 0
	}
	c.mu.Unlock()
	n, err := e.EncodeInt16(frame, packet)
	if err != nil {
		return err
	}
	return c.track.WriteSample(media.Sample{Data: packet[:n], Duration: 20 * time.Millisecond}, nil)
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
	c.t.Helper()
	sound, voice := make([]int16, int(length*48/time.Millisecond)), vowels()
	for i := range sound {
		sound[i] = voice()
	}
	c.says(sound)
	c.finishes()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.first = time.Time{}
}

// says speaks a recording, at 48 kHz.
func (c *caller) says(words []int16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.words, c.began, c.first = words, time.Now(), time.Time{}
}

// finishes awaits the end of what it says.
func (c *caller) finishes() {
	c.t.Helper()
	rig.Eventually(c.t, "the end of what was said", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.words) == 0
	})
}

// rests awaits that it has sent so much silence.
func (c *caller) rests(length time.Duration) {
	c.t.Helper()
	rig.Eventually(c.t, "a rest", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.rest >= length
	})
}

// saw tells whether a line of the transcript was this text once.
func (c *caller) saw(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.steps, text)
}

// hears tells whether the agent was heard since it spoke.
func (c *caller) hears() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.first.IsZero()
}

func (c *caller) writes(text string) {
	c.room.LocalParticipant.SendText(text, lksdk.StreamTextOptions{Topic: rtc.TopicText})
}

// leaves hangs up: it says so, and awaits the end of the room.
func (c *caller) leaves() {
	c.t.Helper()
	_ = c.room.LocalParticipant.PublishDataPacket(lksdk.UserData(nil), lksdk.WithDataPublishTopic(rtc.TopicBye), lksdk.WithDataPublishReliable(true))
	select {
	case <-c.ended:
	case <-time.After(rig.Patience):
		c.t.Error("the room does not end")
	}
	c.gone()
}

// listens awaits that the agent has been heard for a time since the caller has spoken.
func (c *caller) listens(length time.Duration) {
	c.t.Helper()
	rig.Eventually(c.t, "the agent's voice", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return !c.first.IsZero() && c.loud.Sub(c.first) >= length
	})
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
