package rtc_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

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

// collect takes frames for a time, without those that were made up.
func collect(p *rtc.Participant, length time.Duration) (pcm []int16) {
	for len(pcm) < int(length.Seconds()*rtc.HearRate) {
		select {
		case f, ok := <-p.Audio():
			if !ok {
				return pcm
			}
			if !f.Concealed {
				pcm = append(pcm, f.PCM...)
			}
		case <-time.After(5 * time.Second):
			return pcm
		}
	}
	return pcm
}

func spoken(pitch float64, length time.Duration) <-chan []int16 {
	pcm := make(chan []int16, 1)
	pcm <- sine(pitch, 0, int(length.Seconds()*rtc.SpeakRate), rtc.SpeakRate)
	close(pcm)
	return pcm
}

func await(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen")
		}
	}
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
		u.says(440, func() {
			pcm := collect(p, time.Second)
			if got := share(pcm[len(pcm)/2:], 440); got < 0.6 {
				t.Errorf("%.2f of the tone came", got)
			}
		})
		if p.LastMedia().IsZero() || time.Since(p.LastMedia()) > 3*time.Second {
			t.Errorf("last media %v", p.LastMedia())
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
		u.until("sound", func() bool { return u.lastHeard.After(began.Add(200 * time.Millisecond)) })
		at := p.Stop()
		cut := time.Now()
		if e := expect(t, p, rtc.EventEnded); e.Whole || e.Position != at || at.ID != "2" || at.Played > 5*time.Second {
			t.Errorf("%+v, cut at %v", e, at)
		}
		p.Play(rtc.Clip{ID: "3", PCM: spoken(300, 20*time.Millisecond)})
		expect(t, p, rtc.EventStarted, rtc.EventEnded)
		u.mu.Lock()
		defer u.mu.Unlock()
		if late := u.lastHeard.Sub(cut); late > 100*time.Millisecond {
			t.Errorf("sound came %v after the cut", late)
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
		u.pub.SetMuted(false)
		expect(t, p, rtc.EventMicOn)
		u.says(440, func() { collect(p, 200*time.Millisecond) })
	})
	t.Run("the end", func(t *testing.T) {
		began := time.Now()
		p.End(context.Background(), "max_duration")
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the end took %v", took)
		}
		u.until("reason", func() bool { return u.attributes[rtc.AttributeReason] == "max_duration" })
		for range p.Audio() {
		}
		for e := range p.Events() {
			t.Errorf("after the end: %+v", e)
		}
	})
	t.Logf("%+v", p.Stats())
}

// A client whose connection breaks leaves and comes back; that is no end.
func TestWhoComesBackHasNotLeft(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := enter(t, s, "back")
	u := newUser(t, address(t, s), s.UserToken(pass("back")))
	u.publish()
	expect(t, p, rtc.EventJoined, rtc.EventMicOn)
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
	u.says(440, func() {
		if pcm := collect(p, 500*time.Millisecond); share(pcm[len(pcm)/2:], 440) < 0.6 {
			t.Error("the user is not heard any more")
		}
	})
	u.room.Simulate(lksdk.SimulateSignalReconnect)
	u.says(440, func() {
		if pcm := collect(p, time.Second); share(pcm[len(pcm)/2:], 440) < 0.6 {
			t.Error("the user is not heard any more")
		}
	})
}

// An agent whose own connection breaks goes on talking and hearing when it is restored.
func TestTheAgentComesBack(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := enter(t, s, "agent")
	u := newUser(t, address(t, s), s.UserToken(pass("agent")))
	u.publish()
	expect(t, p, rtc.EventJoined, rtc.EventMicOn)
	for n, how := range []lksdk.SimulateScenario{lksdk.SimulateSignalReconnect, lksdk.SimulateNodeFailure} {
		p.Simulate(how)
		await(t, func() bool { return p.Stats().Reconnect > n })
		u.says(440, func() {
			if pcm := collect(p, time.Second); share(pcm[len(pcm)/2:], 440) < 0.6 {
				t.Errorf("case %d: the user is not heard any more", n)
			}
		})
		p.Play(rtc.Clip{ID: "1", PCM: spoken(700, 5*time.Second)})
		began := time.Now()
		u.until("sound", func() bool { return u.lastHeard.After(began) })
		p.Stop()
	}
	for {
		select {
		case e := <-p.Events():
			if e.Kind == rtc.EventLeft || e.Kind == rtc.EventLost {
				t.Fatalf("%+v", e)
			}
			continue
		default:
		}
		break
	}
}

func TestWhoStaysAwayHasLeft(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := enter(t, s, "away", func(c *rtc.Config) { c.Grace = 300 * time.Millisecond })
	u := newUser(t, address(t, s), s.UserToken(pass("away")))
	away := func() time.Duration {
		at := expect(t, p, rtc.EventAway).At
		return expect(t, p, rtc.EventLeft).At.Sub(at)
	}
	u.publish()
	expect(t, p, rtc.EventJoined, rtc.EventMicOn)
	u.room.Disconnect()
	expect(t, p, rtc.EventMicOff)
	if after := away(); after < 290*time.Millisecond || after > 2*time.Second {
		t.Errorf("left %v after having gone", after)
	}
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
