package rtc_test

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pion/webrtc/v4/pkg/media"

	"parley/internal/testkit/check"
	"parley/internal/testkit/voicecaller"
	"parley/internal/voice/rtc"
)

// maxWait only guards against waiting without end.
const maxWait = time.Minute

// userClient is a customer's client: it sends a tone and records everything that comes.
type userClient struct {
	voicecaller.Caller
	t *testing.T

	mu           sync.Mutex
	lines        []voicecaller.Line
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
func (u *userClient) waitUntil(condition string, ok func() bool) {
	u.t.Helper()
	deadline := time.After(maxWait)
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
			u.t.Fatalf("no %s; attributes %v, lines %v", condition, u.attributes, u.lines)
		}
	}
}

func newUser(t *testing.T, address, token string) *userClient {
	t.Helper()
	u := &userClient{t: t, attributes: map[string]string{}, changed: make(chan struct{})}
	u.OnAttributes = func(attributes map[string]string) { u.update(func() { u.attributes = attributes }) }
	u.OnFault = func(message string) { u.update(func() { u.faults = append(u.faults, message) }) }
	u.OnLine = func(line voicecaller.Line) { u.update(func() { u.lines = append(u.lines, line) }) }
	u.OnSound = func(pcm []int16) {
		u.update(func() {
			if voicecaller.IsLoud(pcm) {
				u.heardSamples, u.lastHeardAt = append(u.heardSamples, pcm...), time.Now()
			}
		})
	}
	u.Join(t, address, token)
	return u
}

// speakUntilDone sends a pitch through the microphone until the context is done.
func (u *userClient) speakUntilDone(ctx context.Context, pitch float64) {
	e, err := voicecaller.NewEncoder()
	check.Must(u.t, err)
	beat := time.NewTicker(20 * time.Millisecond)
	defer beat.Stop()
	packet, began := make([]byte, 1275), time.Now()
	for n := 0; ; n++ {
		// on a busy machine several frames are due at once
		for time.Since(began) < time.Duration(n)*rtc.FrameTime {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
			}
		}
		size, err := e.EncodeInt16(sine(pitch, n*960, 960, 48_000), packet)
		check.Must(u.t, err)
		check.Must(u.t,
			u.Track.WriteSample(media.Sample{Data: slices.Clone(packet[:size]), Duration: 20 * time.Millisecond}, nil))
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

func sine(pitch float64, from, count, rate int) []int16 {
	pcm := make([]int16, count)
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*pitch*float64(from+i)/float64(rate)))
	}
	return pcm
}

// pitchShare returns how much of a pitch, a multiple of 50 Hz, there is in samples of 16 kHz; 1 for a sine as above. It
// is the mean of frames of 20 ms, for a lost packet shifts those behind it.
func pitchShare(pcm []int16, pitch float64) (share float64) {
	const frame = rtc.InputRate / 50
	for part := range slices.Chunk(pcm, frame) {
		var re, im float64
		for i, v := range part {
			s, c := math.Sincos(2 * math.Pi * pitch * float64(i) / rtc.InputRate)
			re, im = re+float64(v)*c, im+float64(v)*s
		}
		share += math.Hypot(re, im) * 2 / 8000
	}
	return share / float64(max(1, len(pcm)))
}

// joinAgent creates a room and joins it as an agent that receives "user-1". It leaves with the test.
func joinAgent(t *testing.T, s *rtc.Server, room string, change ...func(*rtc.Config)) *rtc.Participant {
	t.Helper()
	openRoom(t, s, room)
	address, err := s.Address(t.Context())
	check.Must(t, err)
	c := rtc.Config{URL: address, UserIdentity: "user-1", ServerIsLocal: true, Now: time.Now, Log: discardLogger(),
		Token: s.AgentToken(rtc.JoinGrant{Room: room, Identity: "agent", ExpiresAt: time.Now().Add(time.Minute)})}
	for _, f := range change {
		f(&c)
	}
	p, err := rtc.Join(t.Context(), c)
	check.Must(t, err)
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
	line string
	done chan<- struct{}
}

func (l *lineNotifier) Enabled(context.Context, slog.Level) bool { return true }

func (l *lineNotifier) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *lineNotifier) Handle(_ context.Context, r slog.Record) error {
	if r.Message == l.line {
		l.done <- struct{}{}
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
	case <-time.After(maxWait):
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
		case <-time.After(maxWait):
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
		case <-time.After(maxWait):
			t.Fatalf("seen only %v", seen)
		}
	}
}
