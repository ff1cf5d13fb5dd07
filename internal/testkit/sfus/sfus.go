// Package sfus runs a media server for tests. The test program starts itself again as the child process.
package sfus

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"parley/internal/voice/rtc"
	"parley/internal/voice/sfu"
)

// Command is the argument that makes the program the media server.
const Command = "sfu"

// RunIfChild runs the media server, and does not return, if the program was started as one. TestMain calls it first.
func RunIfChild() {
	if len(os.Args) != 2 || os.Args[1] != Command {
		return
	}
	if err := sfu.Serve(context.Background(), os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Start returns a server with a running child, on loopback and free ports, and stops it when the test ends. The options
// change the server before.
func Start(t testing.TB, options ...func(*rtc.Server)) *rtc.Server {
	t.Helper()
	s := New(t, options...)
	if _, err := s.Address(t.Context()); err != nil {
		t.Fatal("start a media server: ", err)
	}
	return s
}

// New is Start for a child that starts with the first room.
func New(t testing.TB, options ...func(*rtc.Server)) *rtc.Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &rtc.Server{
		Executable: exe, Args: []string{Command}, Child: rtc.ChildConfig{Loopback: true},
		ClientURL: "ws://127.0.0.1:1", Now: time.Now, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, o := range options {
		o(s)
	}
	t.Cleanup(s.Close)
	return s
}
