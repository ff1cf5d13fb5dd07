package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"parley/internal/voice/rtc"
)

// talk is an agent that says what it heard: text as text, and each with a tone.
type talk struct {
	*rooms
	room, user string
	said       int
	met, heard bool
}

func (t *talk) run(until time.Time) {
	address, err := t.media.Address(t.ctx)
	if err != nil {
		t.log.Error("no media server", "err", err)
		return
	}
	p, err := rtc.Join(t.ctx, rtc.Config{URL: address, Token: t.media.AgentToken(rtc.Pass{Room: t.room, Identity: "agent", Until: until}), User: t.user, Near: t.media.Near(), Now: time.Now, Log: t.log})
	if err != nil {
		t.log.Error("the agent could not join", "err", err)
		return
	}
	go t.listen(p)
	for e := range p.Events() {
		t.happened(p, e)
	}
}

// listen tells, once, that something is heard.
func (t *talk) listen(p *rtc.Participant) {
	for frame := range p.Audio() {
		var power float64
		for _, s := range frame.PCM {
			power += float64(s) * float64(s)
		}
		if !t.heard && math.Sqrt(power/float64(len(frame.PCM))) > 300 {
			t.heard = true
			p.Transcript(rtc.Segment{ID: "heard", User: true, Text: "(a sound)", Final: true})
		}
	}
}

func (t *talk) happened(p *rtc.Participant, e rtc.Event) {
	switch e.Kind {
	case rtc.EventJoined:
		p.SetState(rtc.Listening)
		if !t.met {
			t.met = true
			t.say(p, "Hello.")
		}
	case rtc.EventText:
		t.answer(p, e.Text)
	case rtc.EventMicOn, rtc.EventMicOff:
		t.said++
		p.Transcript(rtc.Segment{ID: fmt.Sprint("mic", t.said), Text: map[bool]string{true: "You can be heard.", false: "You cannot be heard."}[e.Kind == rtc.EventMicOn], Final: true})
	case rtc.EventEnded:
		p.SetState(rtc.Listening)
	case rtc.EventLeft:
		t.end(p, "client_left")
	case rtc.EventAway, rtc.EventStarted, rtc.EventLost: // nothing to do
	}
}

func (t *talk) answer(p *rtc.Participant, text string) {
	t.said++
	p.Transcript(rtc.Segment{ID: fmt.Sprint("user", t.said), User: true, Text: text, Final: true})
	switch command, rest, _ := strings.Cut(text, ": "); command {
	case "fault":
		p.Fault(rest)
	case "end":
		t.end(p, rest)
	default:
		t.say(p, "You wrote: "+text)
	}
}

// say shows a text as it grows and sounds a tone.
func (t *talk) say(p *rtc.Participant, text string) {
	t.said++
	p.SetState(rtc.Thinking)
	p.SetState(rtc.Speaking)
	id := fmt.Sprint("agent", t.said)
	p.Transcript(rtc.Segment{ID: id, Text: text[:len(text)/2]})
	p.Transcript(rtc.Segment{ID: id, Text: text, Final: true})
	sound := make(chan []int16, 1)
	sound <- tone(700 * time.Millisecond)
	close(sound)
	p.Play(rtc.Clip{ID: id, PCM: sound})
}

func (t *talk) end(p *rtc.Participant, reason string) {
	go func() {
		p.End(t.ctx, reason)
		_ = t.media.End(t.ctx, t.room)
	}()
}

func tone(length time.Duration) []int16 {
	pcm := make([]int16, int(length.Seconds()*rtc.SpeakRate))
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/rtc.SpeakRate))
	}
	return pcm
}
