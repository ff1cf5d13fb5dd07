package rtc_test

import (
	"bytes"
	"context"
	"fmt"
	"log" //nolint:depguard // the SDK writes to it
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"parley/internal/testkit/check"
	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

func TestMain(m *testing.M) {
	sfus.RunIfChild()
	if len(os.Args) == 2 && os.Args[1] == "parent" {
		runParentProcess()
	}
	var output bytes.Buffer
	log.SetOutput(&output)
	status := m.Run()
	http.DefaultClient.CloseIdleConnections()
	status = check.RequireNoLeaks(status) // the SDK's clients close their transports for seconds after they have returned
	if output.Len() > 0 {
		fmt.Fprintf(os.Stderr, "the SDK writes past our log: %s\n", &output)
		status = 1
	}
	os.Exit(status)
}

// runParentProcess is a server that runs a media server, prints its address, and waits to be killed.
func runParentProcess() {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	s := &rtc.Server{Executable: exe, Child: rtc.ChildConfig{Loopback: true}, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)}
	address, err := s.Address(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Println(s.PID(), address)
	select {}
}
