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

// lines is LiveKit's log as we want it. What it warns of concerns one participant, and a stranger's bad token is among that: to
// us this is for debugging, like its news of every join. What it calls an error we warn of, for the other rooms go on, unless it
// comes with the usual end of a session.
type lines struct {
	log *slog.Logger
}

var _ logger.Logger = (*lines)(nil)

// usual is in errors that come with hang-ups and refusals.
var usual = []string{
	"error reading data channel", "dtls timeout", "error closing", "use of closed", "closed pipe", "EOF", "context canceled",
	"could not handle signal", "signal connection closed", "exceeded its max participants", "closed by media", "room does not exist",
}

// token matches what LiveKit repeats when a token is refused.
var token = regexp.MustCompile(`[\w-]{8,}\.[\w-]{8,}\.[\w-]*`)

func (l *lines) say(level slog.Level, msg string, err error, pairs []any) {
	ctx := context.Background()
	if !l.log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, len(pairs)/2+1)
	for i := 0; i+1 < len(pairs); i += 2 {
		attrs = append(attrs, slog.String(fmt.Sprint(pairs[i]), safe(fmt.Sprint(pairs[i+1]))))
	}
	if err != nil {
		msg += ": " + err.Error()
	}
	if isUsual(msg) {
		level = slog.LevelDebug
	}
	l.log.LogAttrs(ctx, level, safe(msg), attrs...)
}

func safe(text string) string { return token.ReplaceAllString(text, "***") }

func isUsual(text string) bool {
	return slices.ContainsFunc(usual, func(u string) bool { return strings.Contains(text, u) })
}

func (l *lines) Debugw(string, ...any) {}

func (l *lines) Infow(msg string, pairs ...any) { l.say(slog.LevelDebug, msg, nil, pairs) }

func (l *lines) Warnw(msg string, err error, pairs ...any) { l.say(slog.LevelDebug, msg, err, pairs) }

func (l *lines) Errorw(msg string, err error, pairs ...any) { l.say(slog.LevelWarn, msg, err, pairs) }

func (l *lines) WithValues(pairs ...any) logger.Logger {
	return &lines{log: l.log.With(pairs...)}
}

func (l *lines) WithUnlikelyValues(pairs ...any) logger.UnlikelyLogger {
	return logger.NewUnlikelyLogger(l, pairs...)
}

func (l *lines) WithName(string) logger.Logger { return l }

func (l *lines) WithComponent(string) logger.Logger { return l }

func (l *lines) WithCallDepth(int) logger.Logger { return l }

func (l *lines) WithItemSampler() logger.Logger { return l }

func (l *lines) WithoutSampler() logger.Logger { return l }

func (l *lines) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	return l, zaputil.NoOpDeferrer{}
}
