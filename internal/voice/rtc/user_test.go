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

// line is a segment of the transcript as the user's client gets it.
type line struct{ id, final, text, from string }

// user is a customer's client: it speaks a tone and notes all that comes.
type user struct {
	t     *testing.T
	room  *lksdk.Room
	track *lksdk.LocalTrack
	pub   *lksdk.LocalTrackPublication

	mu         sync.Mutex
	lines      []line
	attributes map[string]string // the agent's
	faults     []string
	loud       []int16 // what was heard, without the silence
	lastHeard  time.Time
	changed    chan struct{}
}

func (u *user) note(f func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	f()
	close(u.changed)
	u.changed = make(chan struct{})
}

// until waits until what was noted is as it should be.
func (u *user) until(what string, ok func() bool) {
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

func newUser(t *testing.T, address, token string) *user {
	t.Helper()
	u := &user{t: t, attributes: map[string]string{}, changed: make(chan struct{})}
	agent := func(p lksdk.Participant) {
		if p.Identity() == "agent" {
			u.note(func() { u.attributes = p.Attributes() })
		}
	}
	u.room = lksdk.NewRoom(&lksdk.RoomCallback{
		OnParticipantConnected: func(p *lksdk.RemoteParticipant) { agent(p) },
		ParticipantCallback: lksdk.ParticipantCallback{
			OnAttributesChanged: func(_ map[string]string, p lksdk.Participant) { agent(p) },
			OnTrackSubscribed: func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
				go u.listen(track)
			},
			OnDataPacket: func(d lksdk.DataPacket, _ lksdk.DataReceiveParams) {
				if d, ok := d.(*lksdk.UserDataPacket); ok && d.Topic == rtc.TopicFault {
					u.note(func() { u.faults = append(u.faults, string(d.Payload)) })
				}
			},
		},
	})
	t.Cleanup(u.room.Disconnect)
	check(t, u.room.RegisterTextStreamHandler(rtc.TopicTranscript, func(r *lksdk.TextStreamReader, from string) {
		text := r.ReadAll()
		u.note(func() {
			u.lines = append(u.lines, line{r.Info.Attributes["lk.segment_id"], r.Info.Attributes["lk.transcription_final"], text, from})
		})
	}))
	check(t, u.room.JoinWithToken(address, token, lksdk.WithDisableTURN())) // whose client outlives the room by seconds
	if p := u.room.GetParticipantByIdentity("agent"); p != nil {
		agent(p)
	}
	return u
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listen decodes what the agent says.
func (u *user) listen(track *webrtc.TrackRemote) {
	d, err := gopus.NewDecoder(gopus.DefaultDecoderConfig(rtc.HearRate, 1))
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
			u.note(func() {
				if loud(pcm[:n]) {
					u.loud, u.lastHeard = append(u.loud, pcm[:n]...), time.Now()
				}
			})
		}
	}
}

func loud(pcm []int16) bool {
	return slices.ContainsFunc(pcm, func(v int16) bool { return v > 300 || v < -300 })
}

// publish opens the microphone.
func (u *user) publish() {
	u.t.Helper()
	var err error
	u.track, err = lksdk.NewLocalTrack(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48_000, Channels: 2})
	check(u.t, err)
	u.pub, err = u.room.LocalParticipant.PublishTrack(u.track, &lksdk.TrackPublicationOptions{Source: livekit.TrackSource_MICROPHONE})
	check(u.t, err)
}

// speak hums a pitch into the microphone until the context is done.
func (u *user) speak(ctx context.Context, pitch float64) {
	e, err := gopus.NewEncoder(gopus.EncoderConfig{SampleRate: 48_000, Channels: 1, Application: gopus.ApplicationVoIP})
	check(u.t, err)
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
		check(u.t, err)
		check(u.t, u.track.WriteSample(media.Sample{Data: slices.Clone(packet[:size]), Duration: 20 * time.Millisecond}, nil))
	}
}

// says speaks a pitch while f runs.
func (u *user) says(pitch float64, f func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() { u.speak(ctx, pitch) })
	defer wait.Wait()
	defer cancel()
	f()
}

func (u *user) writes(text string) {
	u.room.LocalParticipant.SendText(text, lksdk.StreamTextOptions{Topic: rtc.TopicText})
}

func sine(pitch float64, from, count, rate int) []int16 {
	pcm := make([]int16, count)
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*pitch*float64(from+i)/float64(rate)))
	}
	return pcm
}

// share gives how much of a pitch there is in samples of 16 kHz; 1 for a sine as above.
func share(pcm []int16, pitch float64) float64 {
	var re, im float64
	for i, v := range pcm {
		s, c := math.Sincos(2 * math.Pi * pitch * float64(i) / rtc.HearRate)
		re, im = re+float64(v)*c, im+float64(v)*s
	}
	return math.Hypot(re, im) * 2 / 8000 / float64(max(1, len(pcm)))
}

// enter opens a room and lets an agent in who hears "user-1". It leaves with the test.
func enter(t *testing.T, s *rtc.Server, room string, change ...func(*rtc.Config)) *rtc.Participant {
	t.Helper()
	open(t, s, room)
	address, err := s.Address(t.Context())
	check(t, err)
	c := rtc.Config{URL: address, User: "user-1", Near: true, Now: time.Now, Log: quiet(),
		Token: s.AgentToken(rtc.Pass{Room: room, Identity: "agent", Until: time.Now().Add(time.Minute)})}
	for _, f := range change {
		f(&c)
	}
	p, err := rtc.Join(t.Context(), c)
	check(t, err)
	t.Cleanup(func() { p.End(context.Background(), "test") })
	return p
}

// enterWatched is enter for an agent that tells whenever its connection is restored.
func enterWatched(t *testing.T, s *rtc.Server, room string) (*rtc.Participant, <-chan struct{}) {
	t.Helper()
	back := make(chan struct{}, 8)
	p := enter(t, s, room, func(c *rtc.Config) {
		c.Log = slog.New(&lookout{quiet().Handler(), "the agent is connected again", back})
	})
	return p, back
}

// lookout is a log that tells when a line was written.
type lookout struct {
	slog.Handler
	line string
	seen chan<- struct{}
}

func (l *lookout) Enabled(context.Context, slog.Level) bool { return true }

func (l *lookout) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *lookout) Handle(_ context.Context, r slog.Record) error {
	if r.Message == l.line {
		l.seen <- struct{}{}
	}
	return nil
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// contextUntil gives a context that is done once something is told.
func contextUntil(t *testing.T, told <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		select {
		case <-told:
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// next waits for the next event.
func next(t *testing.T, p *rtc.Participant) rtc.Event {
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

// expect waits for the next events and compares their kinds.
func expect(t *testing.T, p *rtc.Participant, kinds ...rtc.Kind) (last rtc.Event) {
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

// arrives waits for a user with a microphone: whether they hear first or are heard first is chance.
func arrives(t *testing.T, p *rtc.Participant, microphone rtc.Kind) {
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
