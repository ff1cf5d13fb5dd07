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

// childLog takes what the media server writes to its standard error: lines of slog's JSON go into our log as they are, and the
// last of the others, which are what a program says when it breaks, is kept.
type childLog struct {
	log *slog.Logger

	mu          sync.Mutex
	partialLine []byte // a line without its end
	lastOutput  []byte
}

const (
	maxLineBytes       = 64 << 10
	maxLastOutputBytes = 2 << 10
)

// Write takes any piece of the output. It does not fail.
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

// logLine logs one line under the time we have read it at.
func (s *childLog) logLine(line []byte) {
	fields := map[string]any{}
	if json.Unmarshal(line, &fields) != nil {
		s.lastOutput = append(append(s.lastOutput, line...), '\n')
		s.lastOutput = s.lastOutput[max(0, len(s.lastOutput)-maxLastOutputBytes):]
		return
	}
	var level slog.Level
	name, _ := fields[slog.LevelKey].(string)
	_ = level.UnmarshalText([]byte(name)) // info, when it is none
	text, _ := fields[slog.MessageKey].(string)
	attrs := []slog.Attr{slog.String("of", "media server")}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != slog.LevelKey && key != slog.MessageKey && key != slog.TimeKey {
			attrs = append(attrs, slog.Any(key, fields[key]))
		}
	}
	s.log.LogAttrs(context.Background(), level, text, attrs...)
}

// String returns the last words that were no lines of a log.
func (s *childLog) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(s.lastOutput), "?"))
}
