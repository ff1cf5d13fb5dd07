//go:build !novoice && (!darwin || cgo)

package sfu

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/logger/zaputil"
)

// livekitLogger writes LiveKit's log to ours with other levels. Its warnings concern one participant, such as a
// stranger with a bad token, and are logged at debug level, like its messages about every join. Its errors are logged
// as warnings, since the other rooms go on, unless they belong to the usual end of a session.
type livekitLogger struct {
	log *slog.Logger
}

var _ logger.Logger = (*livekitLogger)(nil)

// usualErrors are parts of errors that belong to hang-ups and refusals.
var usualErrors = []string{
	"error reading data channel", "dtls timeout", "error closing", "use of closed", "closed pipe", "EOF",
	"context canceled",
	"could not handle signal", "signal connection closed", "exceeded its max participants", "closed by media",
	"room does not exist",
}

// tokenPattern matches tokens, which LiveKit repeats when it refuses them.
var tokenPattern = regexp.MustCompile(`[\w-]{8,}\.[\w-]{8,}\.[\w-]*`)

func (l *livekitLogger) write(level slog.Level, msg string, err error, pairs []any) {
	ctx := context.Background()
	if !l.log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, len(pairs)/2+1)
	for i := 0; i+1 < len(pairs); i += 2 {
		attrs = append(attrs, slog.String(fmt.Sprint(pairs[i]), redactTokens(fmt.Sprint(pairs[i+1]))))
	}
	if err != nil {
		msg += ": " + err.Error()
	}
	if isUsualError(msg) {
		level = slog.LevelDebug
	}
	l.log.LogAttrs(ctx, level, redactTokens(msg), attrs...)
}

func redactTokens(text string) string { return tokenPattern.ReplaceAllString(text, "***") }

func isUsualError(text string) bool {
	return slices.ContainsFunc(usualErrors, func(u string) bool { return strings.Contains(text, u) })
}

func (l *livekitLogger) Debugw(string, ...any) {}

func (l *livekitLogger) Infow(msg string, pairs ...any) { l.write(slog.LevelDebug, msg, nil, pairs) }

func (l *livekitLogger) Warnw(msg string, err error, pairs ...any) {
	l.write(slog.LevelDebug, msg, err, pairs)
}

func (l *livekitLogger) Errorw(msg string, err error, pairs ...any) {
	l.write(slog.LevelWarn, msg, err, pairs)
}

func (l *livekitLogger) WithValues(pairs ...any) logger.Logger {
	return &livekitLogger{log: l.log.With(pairs...)}
}

func (l *livekitLogger) WithUnlikelyValues(pairs ...any) logger.UnlikelyLogger {
	return logger.NewUnlikelyLogger(l, pairs...)
}

func (l *livekitLogger) WithName(string) logger.Logger { return l }

func (l *livekitLogger) WithComponent(string) logger.Logger { return l }

func (l *livekitLogger) WithCallDepth(int) logger.Logger { return l }

func (l *livekitLogger) WithItemSampler() logger.Logger { return l }

func (l *livekitLogger) WithoutSampler() logger.Logger { return l }

func (l *livekitLogger) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	return l, zaputil.NoOpDeferrer{}
}
