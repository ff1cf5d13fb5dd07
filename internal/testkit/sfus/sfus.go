// Package sfus runs a media server for tests. The test program starts itself again as the child process.
package sfus

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
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

// TakeTCPPort listens on a port until release is called. After that it stays free, unless somebody asks for this very
// port: it is none of those that systems hand out.
func TakeTCPPort(t testing.TB) (port int, release func()) {
	t.Helper()
	return takePort(t, func(port string) (io.Closer, error) { return net.Listen("tcp", ":"+port) })
}

// TakeUDPPort is TakeTCPPort for UDP on loopback.
func TakeUDPPort(t testing.TB) (port int, release func()) {
	t.Helper()
	return takePort(t, func(port string) (io.Closer, error) { return net.ListenPacket("udp", "127.0.0.1:"+port) })
}

func takePort(t testing.TB, listen func(port string) (io.Closer, error)) (port int, release func()) {
	t.Helper()
	for range 100 {
		port = 10_000 + rand.IntN(20_000)
		if l, err := listen(strconv.Itoa(port)); err == nil {
			release = sync.OnceFunc(func() { _ = l.Close() })
			t.Cleanup(release)
			return port, release
		}
	}
	t.Fatal("no port is free")
	return 0, nil
}
