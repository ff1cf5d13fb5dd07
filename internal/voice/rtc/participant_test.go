package rtc_test

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"parley/internal/testkit/check"
	"parley/internal/testkit/sfus"
	"parley/internal/testkit/voicecaller"
	"parley/internal/voice/rtc"
)

func serverAddress(t *testing.T, s *rtc.Server) string {
	t.Helper()
	a, err := s.Address(t.Context())
	check.Must(t, err)
	return a
}

// waitForPitch waits until a fifth of a second of a pitch has come in one piece.
func waitForPitch(t *testing.T, p *rtc.Participant, pitch float64) {
	t.Helper()
	const whole = rtc.InputRate / 5
	deadline := time.After(maxWait)
	for pcm := []int16(nil); len(pcm) < whole || pitchShare(pcm, pitch) < 0.6; {
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

func sineStream(pitch float64, length time.Duration) <-chan []int16 {
	pcm := make(chan []int16, 1)
	pcm <- sine(pitch, 0, int(length.Seconds()*rtc.OutputRate), rtc.OutputRate)
	close(pcm)
	return pcm
}

func TestAgentAndUserTalk(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := joinAgent(t, s, "talk")
	t.Logf("joined in %v", p.Stats().JoinTime)
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("talk")))
	requireEvents(t, p, rtc.EventJoined)
	u.waitUntil("state before any was set", func() bool { return u.attributes[rtc.AttributeState] == "initializing" })
	u.PublishMicrophone()
	requireEvents(t, p, rtc.EventMicOn)

	t.Run("the agent hears", func(t *testing.T) { testAgentHears(t, p, u) })
	t.Run("the user hears", func(t *testing.T) { testUserHears(t, p, u) })
	t.Run("a cut is heard at once", func(t *testing.T) { testCut(t, p, u) })
	t.Run("words", func(t *testing.T) { testText(t, p, u) })
	t.Run("mute", func(t *testing.T) { testMute(t, p, u) })
	t.Run("the end", func(t *testing.T) { testEnd(t, p, u) })
	t.Logf("%+v", p.Stats())
}

func testAgentHears(t *testing.T, p *rtc.Participant, u *userClient) {
	began := time.Now()
	u.speakDuring(440, func() { waitForPitch(t, p, 440) })
	if before := p.LastMedia(); before.Before(began) {
		t.Errorf("last media %v", before)
	}
}

func testUserHears(t *testing.T, p *rtc.Participant, u *userClient) {
	p.Play(rtc.Clip{ID: "1", PCM: sineStream(700, time.Second)})
	if e := requireEvents(t, p, rtc.EventStarted); e.ID != "1" {
		t.Errorf("%+v", e)
	}
	if e := requireEvents(t, p, rtc.EventEnded); e.ID != "1" || !e.Complete || e.Played != time.Second {
		t.Errorf("%+v", e)
	}
	u.waitUntil("sound", func() bool { return len(u.heardSamples) >= rtc.InputRate*9/10 })
	u.mu.Lock()
	defer u.mu.Unlock()
	if got := pitchShare(u.heardSamples[rtc.InputRate/4:rtc.InputRate*3/4], 700); got < 0.6 {
		t.Errorf("%.2f of the tone was received", got)
	}
}

func testCut(t *testing.T, p *rtc.Participant, u *userClient) {
	p.Play(rtc.Clip{ID: "2", PCM: sineStream(700, 2*maxWait)})
	requireEvents(t, p, rtc.EventStarted)
	began := time.Now()
	u.waitUntil("sound", func() bool { return u.lastHeardAt.After(began) })
	at := p.Stop()
	if e := requireEvents(t, p, rtc.EventEnded); e.Complete || e.Position != at || at.ID != "2" ||
		at.Played >= 2*maxWait {
		t.Errorf("%+v, cut at %v", e, at)
	}
	u.update(func() { u.heardSamples = nil })
	p.Play(rtc.Clip{ID: "3", PCM: sineStream(300, time.Second)})
	requireEvents(t, p, rtc.EventStarted, rtc.EventEnded)
	u.waitUntil("the next clip", func() bool { return len(u.heardSamples) >= rtc.InputRate*9/10 })
	u.mu.Lock()
	defer u.mu.Unlock()
	last := u.heardSamples[len(u.heardSamples)-rtc.InputRate/2:]
	if old, next := pitchShare(last, 700), pitchShare(last, 300); old > 0.1 || next < 0.6 {
		t.Errorf("%.2f of what was cut, %.2f of what follows", old, next)
	}
}

func testText(t *testing.T, p *rtc.Participant, u *userClient) {
	long := strings.Repeat("Ünï ", 6000) // more than a chunk
	p.SetState(rtc.Thinking)
	p.Transcript(rtc.Segment{ID: "a", FromUser: true, Text: "Where is"})
	p.Transcript(rtc.Segment{ID: "a", FromUser: true, Text: "Where is my order?", Final: true})
	p.Transcript(rtc.Segment{ID: "b", Text: long, Final: true})
	p.Fault("No ears.")
	u.waitUntil("words", func() bool {
		return len(u.lines) == 3 && len(u.faults) == 1 && u.attributes[rtc.AttributeState] == "thinking"
	})
	slices.SortFunc(u.lines, func(a, b voicecaller.Line) int { return len(a.Text) - len(b.Text) })
	want := []voicecaller.Line{{ID: "a", Final: "false", Text: "Where is", From: "user-1"},
		{ID: "a", Final: "true", Text: "Where is my order?", From: "user-1"},
		{ID: "b", Final: "true", Text: long, From: "agent"}}
	if !slices.Equal(u.lines, want) || u.faults[0] != "No ears." {
		t.Errorf("%v, %v", u.lines[:2], u.faults)
	}
	u.SendText("Hello, agent.")
	if e := requireEvents(t, p, rtc.EventText); e.Text != "Hello, agent." {
		t.Errorf("%+v", e)
	}
	u.SendText(strings.Repeat("spam ", 10_000))
	u.waitUntil("refusal", func() bool { return len(u.faults) == 2 })
}

func testMute(t *testing.T, p *rtc.Participant, u *userClient) {
	u.Publication.SetMuted(true)
	requireEvents(t, p, rtc.EventMicOff)
	muted := time.Now()
	if p.LastMedia().Before(muted) {
		t.Error("LastMedia is not now for a muted user")
	}
	u.Publication.SetMuted(false)
	requireEvents(t, p, rtc.EventMicOn)
	unmuted := time.Now()
	if p.LastMedia().After(unmuted) {
		t.Error("LastMedia is now for a user who can send sound and does not")
	}
	u.speakDuring(640, func() { waitForPitch(t, p, 640) })
}

func testEnd(t *testing.T, p *rtc.Participant, u *userClient) {
	p.End(context.Background(), "max_duration")
	u.waitUntil("reason", func() bool { return u.attributes[rtc.AttributeReason] == "max_duration" })
	for range p.Audio() {
	}
	for e := range p.Events() {
		t.Errorf("after the end: %+v", e)
	}
}

// A user who mutes the microphone before the agent receives it is known to be muted, and not just silent.
func TestMutedFromTheBeginning(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	openRoom(t, s, "muted")
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("muted")))
	u.PublishMicrophone()
	u.Publication.SetMuted(true)
	p := joinAgent(t, s, "muted")
	waitForUser(t, p, rtc.EventMicOff)
	u.Publication.SetMuted(false)
	requireEvents(t, p, rtc.EventMicOn)
	u.speakDuring(440, func() { waitForPitch(t, p, 440) })
}

// The same holds for a user who mutes it at once after the agent has joined: whether it was on for a moment is chance.
func TestMutedAtOnce(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := joinAgent(t, s, "muted at once")
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("muted at once")))
	requireEvents(t, p, rtc.EventJoined)
	u.PublishMicrophone()
	u.Publication.SetMuted(true)
	for first := true; ; first = false {
		e := nextEvent(t, p)
		if e.Kind == rtc.EventMicOff {
			break
		}
		if e.Kind != rtc.EventMicOn || !first {
			t.Fatalf("%+v", e)
		}
	}
}

// A client whose connection breaks leaves and comes back; that does not end the session.
func TestUserWhoReconnectsHasNotLeft(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := joinAgent(t, s, "back")
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("back")))
	u.PublishMicrophone()
	waitForUser(t, p, rtc.EventMicOn)
	u.Room.Simulate(lksdk.SimulateNodeFailure)
	seen := map[rtc.Kind]int{}
	for seen[rtc.EventJoined] == 0 || seen[rtc.EventMicOn] == 0 {
		select {
		case e := <-p.Events():
			seen[e.Kind]++
		case <-time.After(maxWait):
			t.Fatalf("the user did not reconnect: %v", seen)
		}
	}
	if seen[rtc.EventAway] != 1 || seen[rtc.EventLeft] != 0 {
		t.Errorf("%v", seen)
	}
	u.speakDuring(440, func() { waitForPitch(t, p, 440) })
	u.Room.Simulate(lksdk.SimulateSignalReconnect)
	u.speakDuring(640, func() { waitForPitch(t, p, 640) })
}

// An agent whose own connection breaks continues when it is restored, shows its state again, and does not consider the
// user gone meanwhile.
func TestAgentReconnects(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p, back := joinAgentNotifyingReconnect(t, s, "agent")
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("agent")))
	u.PublishMicrophone()
	waitForUser(t, p, rtc.EventMicOn)
	p.SetState(rtc.Thinking)
	for n, scenario := range []lksdk.SimulateScenario{lksdk.SimulateSignalReconnect, lksdk.SimulateNodeFailure} {
		p.Simulate(scenario)
		check.Receive(t, "the restored connection", back)
		if got := p.Stats().Reconnects; got != n+1 {
			t.Errorf("restored %d times, not %d", got, n+1)
		}
		pitch := 440 + 200*float64(n) // no event from before
		u.speakDuring(pitch, func() { waitForPitch(t, p, pitch) })
		u.waitUntil("state", func() bool { return u.attributes[rtc.AttributeState] == "thinking" })
		p.Play(rtc.Clip{ID: "1", PCM: sineStream(700, 2*maxWait)})
		began := time.Now()
		u.waitUntil("sound", func() bool { return u.lastHeardAt.After(began) })
		p.Stop()
	}
	p.End(context.Background(), "operator")
	for e := range p.Events() {
		if e.Kind == rtc.EventAway || e.Kind == rtc.EventLeft || e.Kind == rtc.EventLost {
			t.Errorf("%+v", e)
		}
	}
}

func TestUserLeavesAfterGrace(t *testing.T) {
	t.Parallel()
	const grace = 3 * time.Second // so that a busy machine has told of the microphone by then
	s := sfus.Start(t)
	p := joinAgent(t, s, "away", func(c *rtc.Config) { c.ReconnectGrace = grace })
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("away")))
	u.PublishMicrophone()
	waitForUser(t, p, rtc.EventMicOn)
	removeUser(t, s, "away")
	awayAt := requireEvents(t, p, rtc.EventAway).At
	requireEvents(t, p, rtc.EventMicOff)
	if left := requireEvents(t, p, rtc.EventLeft).At; left.Before(awayAt.Add(grace)) {
		t.Errorf("left %v after the disconnect", left.Sub(awayAt))
	}
	if at := p.LastMedia(); !at.IsZero() {
		t.Errorf("a user who never spoke was heard at %v", at)
	}
}

// removeUser makes the media server remove the user from a room: a client that leaves by itself may be gone before its
// message has arrived.
func removeUser(t *testing.T, s *rtc.Server, room string) {
	t.Helper()
	key, secret := s.Credentials()
	c := lksdk.NewRoomServiceClient(strings.Replace(serverAddress(t, s), "ws", "http", 1), key, secret)
	_, err := c.RemoveParticipant(t.Context(), &livekit.RoomParticipantIdentity{Room: room, Identity: "user-1"})
	check.Must(t, err)
	http.DefaultClient.CloseIdleConnections()
}

func TestHangUpEndsThePresenceAtOnce(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := joinAgent(t, s, "bye")
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("bye")))
	requireEvents(t, p, rtc.EventJoined)
	check.Must(t, u.Room.LocalParticipant.PublishDataPacket(lksdk.UserData(nil),
		lksdk.WithDataPublishTopic(rtc.TopicBye), lksdk.WithDataPublishReliable(true)))
	requireEvents(t, p, rtc.EventLeft)
	p.End(context.Background(), "client_left")
	if e := check.Receive(t, "the end of the events", p.Events()); e != (rtc.Event{}) {
		t.Error("an event after the end")
	}
}

func TestDeletedRoomIsLost(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := joinAgent(t, s, "ended")
	p.Play(rtc.Clip{ID: "1", PCM: sineStream(700, time.Minute)})
	requireEvents(t, p, rtc.EventStarted)
	check.Must(t, s.DeleteRoom(t.Context(), "ended"))
	requireEvents(t, p, rtc.EventLost)
	if e := check.Receive(t, "the end of the events", p.Events()); e != (rtc.Event{}) {
		t.Error("an event after the loss")
	}
	p.End(context.Background(), "error")
}

func TestJoiningFails(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	c := rtc.Config{URL: serverAddress(t, s), UserIdentity: "user-1", Now: time.Now, Log: s.Log,
		Token: s.AgentToken(rtc.JoinGrant{Room: "nowhere", Identity: "agent", ExpiresAt: time.Now().Add(time.Minute)})}
	var log strings.Builder
	c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if _, err := rtc.Join(t.Context(), c); err == nil || strings.Contains(err.Error(), c.Token) {
		t.Error("joined a missing room, or showed the token: ", err)
	}
	if strings.Contains(log.String(), c.Token) || !strings.Contains(log.String(), "(token)") {
		t.Error("the token is in the log")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	openRoom(t, s, "nowhere")
	if _, err := rtc.Join(ctx, c); err == nil {
		t.Error("joined although it was called off")
	}
}

// Sessions leave no goroutines: even one of each would be as many as there are sessions. The SDK closes connections
// after it has left, and may be waiting for the address of a STUN server.
func TestSessionsLeaveNoGoroutines(t *testing.T) {
	s := sfus.Start(t)
	openRoom(t, s, "many")
	before := runtime.NumGoroutine() // with the connection on which rooms are opened
	const sessions = 20
	defer eventually(t, "the end of all goroutines", func() bool { return runtime.NumGoroutine() < before+sessions })
	for range sessions {
		p := joinAgent(t, s, "many")
		p.Play(rtc.Clip{ID: "1", PCM: sineStream(700, time.Minute)})
		p.SetState(rtc.Speaking)
		p.End(context.Background(), "operator")
	}
}
