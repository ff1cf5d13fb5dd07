package rtc_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	lksdk "github.com/livekit/server-sdk-go/v2"
	"go.uber.org/goleak"

	"github.com/livekit/protocol/logger"

	"parley/internal/rig/sfus"
	"parley/internal/voice/rtc"
)

func TestMain(m *testing.M) {
	sfus.Child()
	if len(os.Args) == 2 && os.Args[1] == "parent" {
		parent()
	}
	lksdk.SetLogger(logger.GetDiscardLogger())
	status := m.Run()
	// The SDK's clients take seconds to close their transports, so that leftovers are told and do not fail.
	if err := goleak.Find(); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

// parent is a server that runs a media server, prints where, and stays until it is killed.
func parent() {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	s := &rtc.Server{Exe: exe, Child: rtc.ChildConfig{Loopback: true}, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	address, err := s.Address(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Println(s.PID(), address)
	select {}
}
