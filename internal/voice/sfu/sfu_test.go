//go:build !novoice && (!darwin || cgo)

package sfu

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/livekit/livekit-server/pkg/config"
)

// Nobody finds a token in a log, and a stranger cannot fill it.
func TestLogHasNoTokens(t *testing.T) {
	var out bytes.Buffer
	l := newLogger(slog.New(slog.NewTextHandler(&out, nil)))
	const token = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJwYXJsZXkifQ.c2lnbmF0dXJl"
	l.Warnw("error handling request", errors.New("invalid token: "+token), "status", 401)
	l.Infow("joined")
	l.Debugw("packet")
	l.Errorw("error reading data channel", errors.New("dtls timeout"))
	if out.Len() > 0 {
		t.Error(out.String())
	}
	l.WithName("x").WithValues("room", "r").Errorw("broken", errors.New("for "+token), "query", "access_token="+token)
	if log := out.String(); strings.Contains(log, token) ||
		!strings.Contains(log, `level=WARN msg="broken: for (token)" room=r query="access_token=(token)"`) {
		t.Error(log)
	}
}

// LiveKit reads and writes the messages in its settings by the package in deps/protoyaml.
func TestMessagesInSettings(t *testing.T) {
	settings := func(talk string) string {
		return `{"rtc": {"node_ip": "127.0.0.1", "use_external_ip": false, "udp_port": "7882"}, ` +
			`"room": {"room_configurations": {"talk": ` + talk + `}}}`
	}
	conf, err := config.NewConfig(settings(`{"empty_timeout": 30, "maxParticipants": 2}`), true, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	yaml, err := conf.Room.RoomConfigurations["talk"].MarshalYAML()
	if got := fmt.Sprint(yaml); err != nil || got != "map[empty_timeout:30 max_participants:2]" {
		t.Errorf("%s %v", got, err)
	}
	if _, err := config.NewConfig(settings(`{"nothing": 1}`), true, nil, nil); err == nil {
		t.Error("a field that is not there is taken")
	}
}
