package rtc

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
)

// childLog receives the media server's standard error: JSON lines of slog go to our log, and the last of the other
// lines, which a program writes when it crashes, are kept.
type childLog struct {
	log *slog.Logger

	mu          sync.Mutex
	partialLine []byte // a line that is not complete yet
	lastOutput  []byte
}

const (
	maxLineBytes       = 64 << 10
	maxLastOutputBytes = 2 << 10
)

// Write accepts any part of the output and never fails.
func (s *childLog) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.partialLine = append(s.partialLine, b...)
	for {
		line, rest, whole := bytes.Cut(s.partialLine, []byte("\n"))
		if !whole && len(s.partialLine) < maxLineBytes {
			return len(b), nil
		}
		s.partialLine = rest
		s.logLine(line)
	}
}

// logLine logs one line, with the time at which it was read.
func (s *childLog) logLine(line []byte) {
	fields := map[string]any{}
	if json.Unmarshal(line, &fields) != nil {
		s.lastOutput = append(append(s.lastOutput, line...), '\n')
		s.lastOutput = s.lastOutput[max(0, len(s.lastOutput)-maxLastOutputBytes):]
		return
	}
	var level slog.Level
	name, _ := fields[slog.LevelKey].(string)
	_ = level.UnmarshalText([]byte(name)) // an unknown level is info
	text, _ := fields[slog.MessageKey].(string)
	attrs := []slog.Attr{slog.String("of", "media server")}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != slog.LevelKey && key != slog.MessageKey && key != slog.TimeKey {
			attrs = append(attrs, slog.Any(key, fields[key]))
		}
	}
	s.log.LogAttrs(context.Background(), level, text, attrs...)
}

// String returns the last output that was not a log line.
func (s *childLog) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(s.lastOutput), "?"))
}
