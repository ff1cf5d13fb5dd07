package rtc_test

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
	"github.com/thesyncim/gopus"

	"parley/internal/voice/rtc"
)

// transcriptLine is a segment of the transcript as the user's client gets it.
type transcriptLine struct{ id, final, text, from string }

// userClient is a customer's client: it sends a tone and records everything that comes.
type userClient struct {
	t     *testing.T
	room  *lksdk.Room
	track *lksdk.LocalTrack
	pub   *lksdk.LocalTrackPublication

	mu           sync.Mutex
	lines        []transcriptLine
	attributes   map[string]string // the agent's
	faults       []string
	heardSamples []int16 // what was heard, without the silence
	lastHeardAt  time.Time
	changed      chan struct{}
}

func (u *userClient) update(f func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	f()
	close(u.changed)
	u.changed = make(chan struct{})
}

// waitUntil waits until a condition on what was recorded holds.
func (u *userClient) waitUntil(what string, ok func() bool) {
	u.t.Helper()
	deadline := time.After(15 * time.Second)
	for {
		u.mu.Lock()
		done, changed := ok(), u.changed
		u.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			u.t.Fatalf("no %s; attributes %v, lines %v", what, u.attributes, u.lines)
		}
	}
}

func newUser(t *testing.T, address, token string) *userClient {
	t.Helper()
	u := &userClient{t: t, attributes: map[string]string{}, changed: make(chan struct{})}
	agent := func(p lksdk.Participant) {
		if p.Identity() == "agent" {
			u.update(func() { u.attributes = p.Attributes() })
		}
	}
	u.room = lksdk.NewRoom(&lksdk.RoomCallback{
		OnParticipantConnected: func(p *lksdk.RemoteParticipant) { agent(p) },
		ParticipantCallback: lksdk.ParticipantCallback{
			OnAttributesChanged: func(_ map[string]string, p lksdk.Participant) { agent(p) },
			OnTrackSubscribed: func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
				go u.decodeTrack(track)
			},
			OnDataPacket: func(d lksdk.DataPacket, _ lksdk.DataReceiveParams) {
				if d, ok := d.(*lksdk.UserDataPacket); ok && d.Topic == rtc.TopicFault {
					u.update(func() { u.faults = append(u.faults, string(d.Payload)) })
				}
			},
		},
	})
	t.Cleanup(u.room.Disconnect)
	requireNoError(t, u.room.RegisterTextStreamHandler(rtc.TopicTranscript, func(r *lksdk.TextStreamReader, from string) {
		text := r.ReadAll()
		u.update(func() {
			u.lines = append(u.lines, transcriptLine{r.Info.Attributes["lk.segment_id"],
				r.Info.Attributes["lk.transcription_final"], text, from})
		})
	}))
	// whose client outlives the room by seconds
	requireNoError(t, u.room.JoinWithToken(address, token, lksdk.WithDisableTURN()))
	if p := u.room.GetParticipantByIdentity("agent"); p != nil {
		agent(p)
	}
	return u
}

func requireNoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// decodeTrack decodes what the agent says.
func (u *userClient) decodeTrack(track *webrtc.TrackRemote) {
	d, err := gopus.NewDecoder(gopus.DefaultDecoderConfig(rtc.InputRate, 1))
	if err != nil {
		u.t.Error(err)
		return
	}
	pcm := make([]int16, 5760)
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		if n, err := d.DecodeInt16(p.Payload, pcm); err == nil && len(p.Payload) > 0 {
			u.update(func() {
				if isLoud(pcm[:n]) {
					u.heardSamples, u.lastHeardAt = append(u.heardSamples, pcm[:n]...), time.Now()
				}
			})
		}
	}
}

func isLoud(pcm []int16) bool {
	return slices.ContainsFunc(pcm, func(v int16) bool { return v > 300 || v < -300 })
}

// publishMicrophone opens the microphone.
func (u *userClient) publishMicrophone() {
	u.t.Helper()
	var err error
	u.track, err = lksdk.NewLocalTrack(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48_000,
		Channels: 2})
	requireNoError(u.t, err)
	u.pub, err = u.room.LocalParticipant.PublishTrack(u.track,
		&lksdk.TrackPublicationOptions{Source: livekit.TrackSource_MICROPHONE})
	requireNoError(u.t, err)
}

// speakUntilDone sends a pitch through the microphone until the context is done.
func (u *userClient) speakUntilDone(ctx context.Context, pitch float64) {
	e, err := gopus.NewEncoder(gopus.EncoderConfig{SampleRate: 48_000, Channels: 1, Application: gopus.ApplicationVoIP})
	requireNoError(u.t, err)
	beat := time.NewTicker(20 * time.Millisecond)
	defer beat.Stop()
	packet := make([]byte, 1275)
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		size, err := e.EncodeInt16(sine(pitch, n*960, 960, 48_000), packet)
		requireNoError(u.t, err)
		requireNoError(u.t,
			u.track.WriteSample(media.Sample{Data: slices.Clone(packet[:size]), Duration: 20 * time.Millisecond}, nil))
	}
}

// speakDuring sends a pitch while f runs.
func (u *userClient) speakDuring(pitch float64, f func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() { u.speakUntilDone(ctx, pitch) })
	defer wait.Wait()
	defer cancel()
	f()
}

func (u *userClient) sendText(text string) {
	u.room.LocalParticipant.SendText(text, lksdk.StreamTextOptions{Topic: rtc.TopicText})
}

func sine(pitch float64, from, count, rate int) []int16 {
	pcm := make([]int16, count)
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*pitch*float64(from+i)/float64(rate)))
	}
	return pcm
}

// pitchShare returns how much of a pitch there is in samples of 16 kHz; 1 for a sine as above.
func pitchShare(pcm []int16, pitch float64) float64 {
	var re, im float64
	for i, v := range pcm {
		s, c := math.Sincos(2 * math.Pi * pitch * float64(i) / rtc.InputRate)
		re, im = re+float64(v)*c, im+float64(v)*s
	}
	return math.Hypot(re, im) * 2 / 8000 / float64(max(1, len(pcm)))
}

// joinAgent creates a room and joins it as an agent that receives "user-1". It leaves with the test.
func joinAgent(t *testing.T, s *rtc.Server, room string, change ...func(*rtc.Config)) *rtc.Participant {
	t.Helper()
	openRoom(t, s, room)
	address, err := s.Address(t.Context())
	requireNoError(t, err)
	c := rtc.Config{URL: address, UserIdentity: "user-1", ServerIsLocal: true, Now: time.Now, Log: discardLogger(),
		Token: s.AgentToken(rtc.JoinGrant{Room: room, Identity: "agent", ExpiresAt: time.Now().Add(time.Minute)})}
	for _, f := range change {
		f(&c)
	}
	p, err := rtc.Join(t.Context(), c)
	requireNoError(t, err)
	t.Cleanup(func() { p.End(context.Background(), "test") })
	return p
}

// joinAgentNotifyingReconnect is joinAgent with a channel that signals when the agent's connection is restored.
func joinAgentNotifyingReconnect(t *testing.T, s *rtc.Server, room string) (*rtc.Participant, <-chan struct{}) {
	t.Helper()
	back := make(chan struct{}, 8)
	p := joinAgent(t, s, room, func(c *rtc.Config) {
		c.Log = slog.New(&lineNotifier{discardLogger().Handler(), "the agent is connected again", back})
	})
	return p, back
}

// lineNotifier is a log handler that signals when a line was written.
type lineNotifier struct {
	slog.Handler
	line    string
	written chan<- struct{}
}

func (l *lineNotifier) Enabled(context.Context, slog.Level) bool { return true }

func (l *lineNotifier) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *lineNotifier) Handle(_ context.Context, r slog.Record) error {
	if r.Message == l.line {
		l.written <- struct{}{}
	}
	return nil
}

func discardLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

// contextUntilSignal returns a context that is done once there is a signal.
func contextUntilSignal(t *testing.T, signal <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		select {
		case <-signal:
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// nextEvent waits for the next event.
func nextEvent(t *testing.T, p *rtc.Participant) rtc.Event {
	t.Helper()
	select {
	case e, ok := <-p.Events():
		if !ok {
			t.Fatal("no more events")
		}
		return e
	case <-time.After(15 * time.Second):
		t.Fatal("no event")
	}
	return rtc.Event{}
}

// requireEvents waits for the next events and compares their kinds.
func requireEvents(t *testing.T, p *rtc.Participant, kinds ...rtc.Kind) (last rtc.Event) {
	t.Helper()
	for _, kind := range kinds {
		select {
		case e, ok := <-p.Events():
			if !ok || e.Kind != kind {
				t.Fatalf("got %+v (%v), not %v", e, ok, kind)
			}
			last = e
		case <-time.After(15 * time.Second):
			t.Fatalf("no event %v", kind)
		}
	}
	return last
}

// waitForUser waits for a user with a microphone: which of their two directions is connected first is chance.
func waitForUser(t *testing.T, p *rtc.Participant, microphone rtc.Kind) {
	t.Helper()
	seen := map[rtc.Kind]bool{}
	for range 2 {
		select {
		case e, ok := <-p.Events():
			if !ok || seen[e.Kind] || e.Kind != rtc.EventJoined && e.Kind != microphone {
				t.Fatalf("got %+v (%v)", e, ok)
			}
			seen[e.Kind] = true
		case <-time.After(15 * time.Second):
			t.Fatalf("seen only %v", seen)
		}
	}
}
