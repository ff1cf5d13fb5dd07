// Command voiceroom is for tests of the browser library: the demo page of voice sessions with rooms of a real media
// server, in which an agent is that only repeats. It prints its address as JSON and runs until its input ends.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"parley"
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
	page, err := widget.New(media.ClientURL)
	if err != nil {
		return err
	}
	rooms := &roomServer{media: media, log: log, ctx: ctx}
	page.EnableSessions(rooms)
	server := &http.Server{ReadHeaderTimeout: time.Second,
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

// roomServer answers a request for a session with a room of its own. The request's expiresIn is for how many seconds
// its token is good, a minute by default; the room exists for a minute in any case.
type roomServer struct {
	media *rtc.Server
	log   *slog.Logger
	ctx   context.Context // of the program
}

func (s *roomServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ask := struct{ ExpiresIn int }{60}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	session, conversation := parley.NewUUID(), parley.NewUUID()
	t := &echoAgent{roomServer: s, room: "chatbot-agent-" + conversation + "-" + session, user: "user-" + session}
	now := time.Now()
	if err := s.media.CreateRoom(r.Context(),
		rtc.Room{Name: t.room, EmptyTimeout: time.Minute, DepartureTimeout: 20 * time.Second}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	go t.run(now.Add(time.Minute))
	_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{
		"participantToken": s.media.UserToken(rtc.JoinGrant{Room: t.room, Identity: t.user,
			ExpiresAt: now.Add(time.Duration(ask.ExpiresIn) * time.Second)}), "sessionId": session, "roomName": t.room,
		"maxDurationSeconds": 60, "conversationId": conversation, "userId": t.user,
	}})
}
