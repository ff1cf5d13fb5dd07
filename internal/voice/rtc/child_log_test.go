package rtc

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// The media server's lines appear in the server's log with their levels and fields, and its last output is kept.
func TestChildLogIsMerged(t *testing.T) {
	var out bytes.Buffer
	s := &childLog{log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, piece := range []string{`{"time":"2026-01-01T00:00:00Z","level":"WARN","msg":"slow","room":"r",`,
		`"n":3}` + "\n" + `{"level":"DEBUG","msg":"fine"}` + "\npanic: ", "oh\ngoroutine 1", "\n"} {
		if _, err := s.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	log := out.String()
	for _, want := range []string{`level=WARN msg=slow of="media server" n=3 room=r`,
		`level=DEBUG msg=fine of="media server"`} {
		if !strings.Contains(log, want) {
			t.Errorf("%s lacks %s", log, want)
		}
	}
	if strings.Contains(log, "2026-01-01") || strings.Contains(log, "panic") {
		t.Error(log)
	}
	if got := s.String(); got != "panic: oh\ngoroutine 1" {
		t.Errorf("%q", got)
	}
}

func TestChildLogIsBounded(t *testing.T) {
	s := &childLog{log: slog.New(slog.DiscardHandler)}
	for range 100 {
		if _, err := s.Write(bytes.Repeat([]byte("x"), 10_000)); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.partialLine) > maxLineBytes || len(s.lastOutput) > maxLastOutputBytes {
		t.Error(len(s.partialLine), len(s.lastOutput))
	}
}
