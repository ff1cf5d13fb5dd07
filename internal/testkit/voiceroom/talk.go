package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"parley/internal/voice/rtc"
)

// echoAgent is an agent that repeats what it received: text as text, and each with a tone.
type echoAgent struct {
	*roomServer
	room, user       string
	textCount        int
	hasMet, hasHeard bool
}

func (t *echoAgent) run(until time.Time) {
	address, err := t.media.Address(t.ctx)
	if err != nil {
		t.log.Error("no media server", "err", err)
		return
	}
	p, err := rtc.Join(t.ctx,
		rtc.Config{URL: address, Token: t.media.AgentToken(rtc.JoinGrant{Room: t.room, Identity: "agent",
			ExpiresAt: until}), UserIdentity: t.user, ServerIsLocal: t.media.IsLocal(), Now: time.Now, Log: t.log})
	if err != nil {
		t.log.Error("the agent could not join", "err", err)
		return
	}
	go t.waitForAudio(p)
	for e := range p.Events() {
		t.handleEvent(p, e)
	}
}

// waitForAudio reports, once, that sound arrives.
func (t *echoAgent) waitForAudio(p *rtc.Participant) {
	for frame := range p.Audio() {
		var power float64
		for _, s := range frame.PCM {
			power += float64(s) * float64(s)
		}
		if !t.hasHeard && math.Sqrt(power/float64(len(frame.PCM))) > 300 {
			t.hasHeard = true
			p.Transcript(rtc.Segment{ID: "heard", FromUser: true, Text: "(a sound)", Final: true})
		}
	}
}

func (t *echoAgent) handleEvent(p *rtc.Participant, e rtc.Event) {
	switch e.Kind {
	case rtc.EventJoined:
		p.SetState(rtc.Listening)
		if !t.hasMet {
			t.hasMet = true
			t.sayText(p, "Hello.")
		}
	case rtc.EventText:
		t.answerText(p, e.Text)
	case rtc.EventMicOn, rtc.EventMicOff:
		t.textCount++
		p.Transcript(rtc.Segment{ID: fmt.Sprint("mic", t.textCount), Text: map[bool]string{true: "You can be heard.",
			false: "You cannot be heard."}[e.Kind == rtc.EventMicOn], Final: true})
	case rtc.EventEnded:
		p.SetState(rtc.Listening)
	case rtc.EventLeft:
		t.end(p, "client_left")
	case rtc.EventAway, rtc.EventStarted, rtc.EventLost: // nothing to do
	}
}

func (t *echoAgent) answerText(p *rtc.Participant, text string) {
	t.textCount++
	p.Transcript(rtc.Segment{ID: fmt.Sprint("user", t.textCount), FromUser: true, Text: text, Final: true})
	switch command, rest, _ := strings.Cut(text, ": "); command {
	case "fault":
		p.Fault(rest)
	case "end":
		t.end(p, rest)
	default:
		t.sayText(p, "You wrote: "+text)
	}
}

// sayText sends a growing text and a tone.
func (t *echoAgent) sayText(p *rtc.Participant, text string) {
	t.textCount++
	p.SetState(rtc.Thinking)
	p.SetState(rtc.Speaking)
	id := fmt.Sprint("agent", t.textCount)
	p.Transcript(rtc.Segment{ID: id, Text: text[:len(text)/2]})
	p.Transcript(rtc.Segment{ID: id, Text: text, Final: true})
	sound := make(chan []int16, 1)
	sound <- tone(700 * time.Millisecond)
	close(sound)
	p.Play(rtc.Clip{ID: id, PCM: sound})
}

func (t *echoAgent) end(p *rtc.Participant, reason string) {
	go func() {
		p.End(t.ctx, reason)
		_ = t.media.DeleteRoom(t.ctx, t.room)
	}()
}

func tone(length time.Duration) []int16 {
	pcm := make([]int16, int(length.Seconds()*rtc.OutputRate))
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/rtc.OutputRate))
	}
	return pcm
}
