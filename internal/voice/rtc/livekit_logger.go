//go:build !novoice

package rtc

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"

	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/logger/zaputil"
	lksdk "github.com/livekit/server-sdk-go/v2"
)

// The transports below the SDK write to a logger that it has for all rooms, by itself standard error: dozens of lines
// for each session. It is set before anything can read it.
var _ = silenceSDKLog()

func silenceSDKLog() bool {
	lksdk.SetLogger(logger.GetDiscardLogger())
	return true
}

// LiveKitLogger lets LiveKit's libraries write into our log, with less noise and without tokens. Its information and
// its warnings, which concern one participant, are for those who look for faults in it: they have debug level.
type LiveKitLogger struct {
	Log        *slog.Logger
	ErrorLevel func(message string) slog.Level // of what it calls an error; nil for debug level
}

func (l LiveKitLogger) write(level slog.Level, msg string, pairs []any) {
	ctx := context.Background()
	if !l.Log.Enabled(ctx, level) {
		return
	}
	clean := make([]any, len(pairs))
	for i, v := range pairs {
		clean[i] = removeTokens(fmt.Sprint(v))
	}
	l.Log.Log(ctx, level, removeTokens(msg), clean...)
}

// tokenPattern matches tokens, which LiveKit writes into its lines.
var tokenPattern = regexp.MustCompile(`[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}`)

func removeTokens(text string) string { return tokenPattern.ReplaceAllString(text, "(token)") }

func withCause(msg string, err error) string {
	if err == nil {
		return msg
	}
	return msg + ": " + err.Error()
}

// Debugw drops the line: there is one for each packet of signalling.
func (l LiveKitLogger) Debugw(string, ...any) {}

// Infow logs at debug level.
func (l LiveKitLogger) Infow(msg string, pairs ...any) { l.write(slog.LevelDebug, msg, pairs) }

// Warnw logs at debug level.
func (l LiveKitLogger) Warnw(msg string, err error, pairs ...any) {
	l.write(slog.LevelDebug, withCause(msg, err), pairs)
}

// Errorw logs at ErrorLevel.
func (l LiveKitLogger) Errorw(msg string, err error, pairs ...any) {
	level, msg := slog.LevelDebug, withCause(msg, err)
	if l.ErrorLevel != nil {
		level = l.ErrorLevel(msg)
	}
	l.write(level, msg, pairs)
}

// WithValues adds attributes.
func (l LiveKitLogger) WithValues(pairs ...any) logger.Logger {
	return LiveKitLogger{l.Log.With(pairs...), l.ErrorLevel}
}

// WithUnlikelyValues adds attributes that are not often needed.
func (l LiveKitLogger) WithUnlikelyValues(pairs ...any) logger.UnlikelyLogger {
	return logger.NewUnlikelyLogger(l, pairs...)
}

// WithDeferredValues changes nothing: it does not wait for values that come later.
func (l LiveKitLogger) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	return l, zaputil.NoOpDeferrer{}
}

// WithName changes nothing, nor do the others.
func (l LiveKitLogger) WithName(string) logger.Logger { return l }

// WithComponent changes nothing.
func (l LiveKitLogger) WithComponent(string) logger.Logger { return l }

// WithCallDepth changes nothing.
func (l LiveKitLogger) WithCallDepth(int) logger.Logger { return l }

// WithItemSampler changes nothing.
func (l LiveKitLogger) WithItemSampler() logger.Logger { return l }

// WithoutSampler changes nothing.
func (l LiveKitLogger) WithoutSampler() logger.Logger { return l }
