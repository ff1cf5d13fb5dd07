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

func (a *echoAgent) run(until time.Time) {
	address, err := a.media.Address(a.ctx)
	if err != nil {
		a.log.Error("no media server", "err", err)
		return
	}
	p, err := rtc.Join(a.ctx,
		rtc.Config{URL: address, Token: a.media.AgentToken(rtc.JoinGrant{Room: a.room, Identity: "agent",
			ExpiresAt: until}), UserIdentity: a.user, ServerIsLocal: a.media.IsLocal(), Now: time.Now, Log: a.log})
	if err != nil {
		a.log.Error("the agent could not join", "err", err)
		return
	}
	go a.waitForAudio(p)
	for e := range p.Events() {
		a.handleEvent(p, e)
	}
}

// waitForAudio reports, once, that sound arrives.
func (a *echoAgent) waitForAudio(p *rtc.Participant) {
	for frame := range p.Audio() {
		var power float64
		for _, s := range frame.PCM {
			power += float64(s) * float64(s)
		}
		if !a.hasHeard && math.Sqrt(power/float64(len(frame.PCM))) > 300 {
			a.hasHeard = true
			p.Transcript(rtc.Segment{ID: "heard", FromUser: true, Text: "(a sound)", Final: true})
		}
	}
}

func (a *echoAgent) handleEvent(p *rtc.Participant, e rtc.Event) {
	switch e.Kind {
	case rtc.EventJoined:
		p.SetState(rtc.Listening)
		if !a.hasMet {
			a.hasMet = true
			a.sayText(p, "Hello.")
		}
	case rtc.EventText:
		a.answerText(p, e.Text)
	case rtc.EventMicOn, rtc.EventMicOff:
		a.textCount++
		p.Transcript(rtc.Segment{ID: fmt.Sprint("mic", a.textCount), Text: map[bool]string{true: "You can be heard.",
			false: "You cannot be heard."}[e.Kind == rtc.EventMicOn], Final: true})
	case rtc.EventEnded:
		p.SetState(rtc.Listening)
	case rtc.EventLeft:
		a.end(p, "client_left")
	case rtc.EventAway, rtc.EventStarted, rtc.EventLost: // nothing to do
	}
}

func (a *echoAgent) answerText(p *rtc.Participant, text string) {
	a.textCount++
	p.Transcript(rtc.Segment{ID: fmt.Sprint("user", a.textCount), FromUser: true, Text: text, Final: true})
	switch command, rest, _ := strings.Cut(text, ": "); command {
	case "fault":
		p.Fault(rest)
	case "end":
		a.end(p, rest)
	default:
		a.sayText(p, "You wrote: "+text)
	}
}

// sayText sends a growing text and a tone.
func (a *echoAgent) sayText(p *rtc.Participant, text string) {
	a.textCount++
	p.SetState(rtc.Thinking)
	p.SetState(rtc.Speaking)
	id := fmt.Sprint("agent", a.textCount)
	p.Transcript(rtc.Segment{ID: id, Text: text[:len(text)/2]})
	p.Transcript(rtc.Segment{ID: id, Text: text, Final: true})
	sound := make(chan []int16, 1)
	sound <- tone(700 * time.Millisecond)
	close(sound)
	p.Play(rtc.Clip{ID: id, PCM: sound})
}

func (a *echoAgent) end(p *rtc.Participant, reason string) {
	go func() {
		p.End(a.ctx, reason)
		_ = a.media.DeleteRoom(a.ctx, a.room)
	}()
}

func tone(length time.Duration) []int16 {
	pcm := make([]int16, int(length.Seconds()*rtc.OutputRate))
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/rtc.OutputRate))
	}
	return pcm
}
