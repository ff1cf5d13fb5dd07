package rtc_test

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"parley/internal/rig/sfus"
	"parley/internal/voice/rtc"
)

func address(t *testing.T, s *rtc.Server) string {
	t.Helper()
	a, err := s.Address(t.Context())
	check(t, err)
	return a
}

// hears waits until a fifth of a second of a pitch has come in one piece.
func hears(t *testing.T, p *rtc.Participant, pitch float64) {
	t.Helper()
	const whole = rtc.HearRate / 5
	deadline := time.After(15 * time.Second)
	for pcm := []int16(nil); len(pcm) < whole || share(pcm, pitch) < 0.6; {
		select {
		case f := <-p.Audio():
			if pcm = append(pcm, f.PCM...); f.Concealed {
				pcm = nil
			}
			pcm = pcm[max(0, len(pcm)-whole):]
		case <-deadline:
			t.Fatalf("%v Hz are not heard", pitch)
		}
	}
}

func spoken(pitch float64, length time.Duration) <-chan []int16 {
	pcm := make(chan []int16, 1)
	pcm <- sine(pitch, 0, int(length.Seconds()*rtc.SpeakRate), rtc.SpeakRate)
	close(pcm)
	return pcm
}

func TestAgentAndUserTalk(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := enter(t, s, "talk")
	t.Logf("joined in %v", p.Stats().JoinTime)
	u := newUser(t, address(t, s), s.UserToken(pass("talk")))
	expect(t, p, rtc.EventJoined)
	u.until("state before any was set", func() bool { return u.attributes[rtc.AttributeState] == "initializing" })
	u.publish()
	expect(t, p, rtc.EventMicOn)

	t.Run("the agent hears", func(t *testing.T) {
		began := time.Now()
		u.says(440, func() { hears(t, p, 440) })
		if before := p.LastMedia(); before.Before(began) {
			t.Errorf("last media %v", before)
		}
	})
	t.Run("the user hears", func(t *testing.T) {
		p.Play(rtc.Clip{ID: "1", PCM: spoken(700, time.Second)})
		if e := expect(t, p, rtc.EventStarted); e.ID != "1" {
			t.Errorf("%+v", e)
		}
		if e := expect(t, p, rtc.EventEnded); e.ID != "1" || !e.Whole || e.Played != time.Second {
			t.Errorf("%+v", e)
		}
		u.until("sound", func() bool { return len(u.loud) >= rtc.HearRate*9/10 })
		u.mu.Lock()
		defer u.mu.Unlock()
		if got := share(u.loud[rtc.HearRate/4:rtc.HearRate*3/4], 700); got < 0.6 {
			t.Errorf("%.2f of the tone came", got)
		}
	})
	t.Run("a cut is heard at once", func(t *testing.T) {
		p.Play(rtc.Clip{ID: "2", PCM: spoken(700, 30*time.Second)})
		expect(t, p, rtc.EventStarted)
		began := time.Now()
		u.until("sound", func() bool { return u.lastHeard.After(began) })
		at := p.Stop()
		if e := expect(t, p, rtc.EventEnded); e.Whole || e.Position != at || at.ID != "2" || at.Played > 25*time.Second {
			t.Errorf("%+v, cut at %v", e, at)
		}
		u.note(func() { u.loud = nil })
		p.Play(rtc.Clip{ID: "3", PCM: spoken(300, time.Second)})
		expect(t, p, rtc.EventStarted, rtc.EventEnded)
		u.until("the next clip", func() bool { return len(u.loud) >= rtc.HearRate*9/10 })
		u.mu.Lock()
		defer u.mu.Unlock()
		last := u.loud[len(u.loud)-rtc.HearRate/2:]
		if old, next := share(last, 700), share(last, 300); old > 0.1 || next < 0.6 {
			t.Errorf("%.2f of what was cut, %.2f of what follows", old, next)
		}
	})
	t.Run("words", func(t *testing.T) {
		long := strings.Repeat("Ünï ", 6000) // more than a chunk
		p.SetState(rtc.Thinking)
		p.Transcript(rtc.Segment{ID: "a", User: true, Text: "Where is"})
		p.Transcript(rtc.Segment{ID: "a", User: true, Text: "Where is my order?", Final: true})
		p.Transcript(rtc.Segment{ID: "b", Text: long, Final: true})
		p.Fault("No ears.")
		u.until("words", func() bool {
			return len(u.lines) == 3 && len(u.faults) == 1 && u.attributes[rtc.AttributeState] == "thinking"
		})
		slices.SortFunc(u.lines, func(a, b line) int { return len(a.text) - len(b.text) })
		want := []line{{"a", "false", "Where is", "user-1"}, {"a", "true", "Where is my order?", "user-1"}, {"b", "true", long, "agent"}}
		if !slices.Equal(u.lines, want) || u.faults[0] != "No ears." {
			t.Errorf("%v, %v", u.lines[:2], u.faults)
		}
		u.writes("Hello, agent.")
		if e := expect(t, p, rtc.EventText); e.Text != "Hello, agent." {
			t.Errorf("%+v", e)
		}
		u.writes(strings.Repeat("spam ", 10_000))
		u.until("refusal", func() bool { return len(u.faults) == 2 })
	})
	t.Run("mute", func(t *testing.T) {
		u.pub.SetMuted(true)
		expect(t, p, rtc.EventMicOff)
		muted := time.Now()
		if p.LastMedia().Before(muted) {
			t.Error("a muted user who is there is not seen")
		}
		u.pub.SetMuted(false)
		expect(t, p, rtc.EventMicOn)
		unmuted := time.Now()
		if p.LastMedia().After(unmuted) {
			t.Error("a user is seen who could be heard and is not")
		}
		u.says(640, func() { hears(t, p, 640) })
	})
	t.Run("the end", func(t *testing.T) {
		p.End(context.Background(), "max_duration")
		u.until("reason", func() bool { return u.attributes[rtc.AttributeReason] == "max_duration" })
		for range p.Audio() {
		}
		for e := range p.Events() {
			t.Errorf("after the end: %+v", e)
		}
	})
	t.Logf("%+v", p.Stats())
}

// Who mutes the microphone before the agent hears it is known to be muted, and not taken for one who says nothing.
func TestMutedFromTheBeginning(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	open(t, s, "muted")
	u := newUser(t, address(t, s), s.UserToken(pass("muted")))
	u.publish()
	u.pub.SetMuted(true)
	p := enter(t, s, "muted")
	arrives(t, p, rtc.EventMicOff)
	u.pub.SetMuted(false)
	expect(t, p, rtc.EventMicOn)
	u.says(440, func() { hears(t, p, 440) })
}

// So is who mutes it at once when the agent is there already: whether that was on for a moment is chance.
func TestMutedAtOnce(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := enter(t, s, "muted at once")
	u := newUser(t, address(t, s), s.UserToken(pass("muted at once")))
	expect(t, p, rtc.EventJoined)
	u.publish()
	u.pub.SetMuted(true)
	for first := true; ; first = false {
		e := next(t, p)
		if e.Kind == rtc.EventMicOff {
			break
		}
		if e.Kind != rtc.EventMicOn || !first {
			t.Fatalf("%+v", e)
		}
	}
}

// A client whose connection breaks leaves and comes back; that is no end.
func TestWhoComesBackHasNotLeft(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := enter(t, s, "back")
	u := newUser(t, address(t, s), s.UserToken(pass("back")))
	u.publish()
	arrives(t, p, rtc.EventMicOn)
	u.room.Simulate(lksdk.SimulateNodeFailure)
	seen := map[rtc.Kind]int{}
	for seen[rtc.EventJoined] == 0 || seen[rtc.EventMicOn] == 0 {
		select {
		case e := <-p.Events():
			seen[e.Kind]++
		case <-time.After(20 * time.Second):
			t.Fatalf("the user did not come back: %v", seen)
		}
	}
	if seen[rtc.EventAway] != 1 || seen[rtc.EventLeft] != 0 {
		t.Errorf("%v", seen)
	}
	u.says(440, func() { hears(t, p, 440) })
	u.room.Simulate(lksdk.SimulateSignalReconnect)
	u.says(640, func() { hears(t, p, 640) })
}

// An agent whose own connection breaks goes on talking and hearing when it is restored, shows its state again, and does not take the user
// for gone meanwhile.
func TestTheAgentComesBack(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p, back := enterWatched(t, s, "agent")
	u := newUser(t, address(t, s), s.UserToken(pass("agent")))
	u.publish()
	arrives(t, p, rtc.EventMicOn)
	p.SetState(rtc.Thinking)
	for n, how := range []lksdk.SimulateScenario{lksdk.SimulateSignalReconnect, lksdk.SimulateNodeFailure} {
		p.Simulate(how)
		<-back
		if got := p.Stats().Reconnect; got != n+1 {
			t.Errorf("restored %d times, not %d", got, n+1)
		}
		pitch := 440 + 200*float64(n) // none that was heard before
		u.says(pitch, func() { hears(t, p, pitch) })
		u.until("state", func() bool { return u.attributes[rtc.AttributeState] == "thinking" })
		p.Play(rtc.Clip{ID: "1", PCM: spoken(700, 5*time.Second)})
		began := time.Now()
		u.until("sound", func() bool { return u.lastHeard.After(began) })
		p.Stop()
	}
	p.End(context.Background(), "operator")
	for e := range p.Events() {
		if e.Kind == rtc.EventAway || e.Kind == rtc.EventLeft || e.Kind == rtc.EventLost {
			t.Errorf("%+v", e)
		}
	}
}

func TestWhoStaysAwayHasLeft(t *testing.T) {
	t.Parallel()
	const grace = 300 * time.Millisecond
	s := sfus.Start(t)
	p := enter(t, s, "away", func(c *rtc.Config) { c.Grace = grace })
	u := newUser(t, address(t, s), s.UserToken(pass("away")))
	u.publish()
	arrives(t, p, rtc.EventMicOn)
	remove(t, s, "away")
	gone := expect(t, p, rtc.EventAway).At
	expect(t, p, rtc.EventMicOff)
	if left := expect(t, p, rtc.EventLeft).At; left.Before(gone.Add(grace)) {
		t.Errorf("left %v after having gone", left.Sub(gone))
	}
	if at := p.LastMedia(); !at.IsZero() {
		t.Errorf("who never spoke was heard at %v", at)
	}
}

// remove has the media server put the user out of a room: a client that leaves by itself may be gone before its word has come.
func remove(t *testing.T, s *rtc.Server, room string) {
	t.Helper()
	key, secret := s.Credentials()
	c := lksdk.NewRoomServiceClient(strings.Replace(address(t, s), "ws", "http", 1), key, secret)
	_, err := c.RemoveParticipant(t.Context(), &livekit.RoomParticipantIdentity{Room: room, Identity: "user-1"})
	check(t, err)
	http.DefaultClient.CloseIdleConnections()
}

func TestByeIsLeavingAtOnce(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := enter(t, s, "bye")
	u := newUser(t, address(t, s), s.UserToken(pass("bye")))
	expect(t, p, rtc.EventJoined)
	check(t, u.room.LocalParticipant.PublishDataPacket(lksdk.UserData(nil), lksdk.WithDataPublishTopic(rtc.TopicBye), lksdk.WithDataPublishReliable(true)))
	expect(t, p, rtc.EventLeft)
	p.End(context.Background(), "client_left")
	if _, ok := <-p.Events(); ok {
		t.Error("an event after the end")
	}
}

func TestARoomThatIsEndedIsLost(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := enter(t, s, "ended")
	p.Play(rtc.Clip{ID: "1", PCM: spoken(700, time.Minute)})
	expect(t, p, rtc.EventStarted)
	check(t, s.End(t.Context(), "ended"))
	expect(t, p, rtc.EventLost)
	if _, ok := <-p.Events(); ok {
		t.Error("an event after the loss")
	}
	p.End(context.Background(), "error")
}

func TestJoiningFails(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	c := rtc.Config{URL: address(t, s), User: "user-1", Now: time.Now, Log: s.Log,
		Token: s.AgentToken(rtc.Pass{Room: "nowhere", Identity: "agent", Until: time.Now().Add(time.Minute)})}
	var log strings.Builder
	c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if _, err := rtc.Join(t.Context(), c); err == nil || strings.Contains(err.Error(), c.Token) {
		t.Error("joined a room that there is not, or told the token: ", err)
	}
	if strings.Contains(log.String(), c.Token) || !strings.Contains(log.String(), "(token)") {
		t.Error("the token is in the log")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	open(t, s, "nowhere")
	if _, err := rtc.Join(ctx, c); err == nil {
		t.Error("joined although it was called off")
	}
}
