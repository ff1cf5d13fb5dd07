// Command voiceroom serves the demo page of voice sessions for tests of the browser library, with rooms of a real media
// server and an agent that only echoes. It prints its address as JSON and runs until its input ends.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
	"parley/internal/widget"
)

func main() {
	sfus.RunIfChild()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	media := &rtc.Server{Executable: exe, Args: []string{sfus.Command}, Child: rtc.ChildConfig{Loopback: true},
		ClientURL: "ws://" + l.Addr().String(), Now: time.Now, Log: log}
	defer media.Close()
	page, err := widget.New(media.ClientURL, httpapi.Site{})
	if err != nil {
		return err
	}
	rooms := &roomServer{media: media, log: log, ctx: ctx}
	page.EnableSessions(rooms)
	server := &http.Server{ReadHeaderTimeout: time.Minute, // only against hanging
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if rtc.IsSignalPath(r.URL.Path) {
				media.Proxy().ServeHTTP(w, r)
				return
			}
			page.ServeHTTP(w, r)
		})}
	defer func() { _ = server.Close() }()
	go func() { _ = server.Serve(l) }()
	fmt.Printf(`{"url":"http://%s"}`+"\n", l.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// sessionTime is for how long a room exists and a user may be away. It only guards against sessions without end: on a
// busy machine a page that is loaded again takes its time.
const sessionTime = 10 * time.Minute

// roomServer answers a request for a session with a new room. The request's expiresIn is for how many seconds its token
// is valid, as long as the room by default.
type roomServer struct {
	media *rtc.Server
	log   *slog.Logger
	ctx   context.Context // of the program
}

func (s *roomServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ask := struct{ ExpiresIn int }{int(sessionTime.Seconds())}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	session, conversation := parley.NewUUID(), parley.NewUUID()
	t := &echoAgent{roomServer: s, room: "chatbot-agent-" + conversation + "-" + session, user: "user-" + session}
	now := time.Now()
	if err := s.media.CreateRoom(r.Context(),
		rtc.Room{Name: t.room, EmptyTimeout: sessionTime, DepartureTimeout: sessionTime}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	go t.run(now.Add(sessionTime))
	_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{
		"participantToken": s.media.UserToken(rtc.JoinGrant{Room: t.room, Identity: t.user,
			ExpiresAt: now.Add(time.Duration(ask.ExpiresIn) * time.Second)}), "sessionId": session, "roomName": t.room,
		"maxDurationSeconds": sessionTime.Seconds(), "conversationId": conversation, "userId": t.user,
	}})
}

// echoAgent is an agent that repeats the text that it receives, with a tone.
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
	p, err := rtc.Join(a.ctx, rtc.Config{URL: address,
		Token:        a.media.AgentToken(rtc.JoinGrant{Room: a.room, Identity: "agent", ExpiresAt: until}),
		UserIdentity: a.user, ServerIsLocal: a.media.IsLocal(), ReconnectGrace: sessionTime, Now: time.Now, Log: a.log})
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

// sayText sends a text word by word, and a tone.
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
