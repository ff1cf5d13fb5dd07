package rtc

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/livekit/protocol/logger"
	lksdk "github.com/livekit/server-sdk-go/v2"
)

// The transports below the SDK write to a logger that it has for all rooms, by itself standard error: dozens of lines
// for each session. It is set before anything can read it.
var _ = silenceSDKLog()

func silenceSDKLog() bool {
	lksdk.SetLogger(logger.GetDiscardLogger())
	return true
}

// sdkLogger lets the SDK write into our log, with less noise: its information is for those who look for faults in it,
// and of what it calls errors most are a normal leave-taking. The agent's token, which it writes into its lines, stays
// out.
type sdkLogger struct {
	log   *slog.Logger
	token string
}

var _ logger.Logger = sdkLogger{}

func (l sdkLogger) write(msg string, err error, pairs []any) {
	if !l.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	clean := make([]any, 0, len(pairs)+2)
	for _, v := range pairs {
		clean = append(clean, removeTokens(l.token, fmt.Sprint(v)))
	}
	if err != nil {
		clean = append(clean, "err", removeTokens(l.token, err.Error()))
	}
	l.log.Debug("livekit: "+msg, clean...)
}

// tokenPattern matches tokens: the agent has its own and those with which the server renews it.
var tokenPattern = regexp.MustCompile(`[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}`)

// removeTokens replaces the tokens in a text.
func removeTokens(token, text string) string {
	if token != "" {
		text = strings.ReplaceAll(text, token, "(token)")
	}
	return tokenPattern.ReplaceAllString(text, "(token)")
}

// Debugw drops the line: there is one for each packet of signalling.
func (l sdkLogger) Debugw(string, ...any) {}

// Infow logs at debug level.
func (l sdkLogger) Infow(msg string, pairs ...any) { l.write(msg, nil, pairs) }

// Warnw logs at debug level.
func (l sdkLogger) Warnw(msg string, err error, pairs ...any) { l.write(msg, err, pairs) }

// Errorw logs at debug level: what ends a session is reported as an event.
func (l sdkLogger) Errorw(msg string, err error, pairs ...any) { l.write(msg, err, pairs) }

// WithValues adds attributes.
func (l sdkLogger) WithValues(pairs ...any) logger.Logger {
	return sdkLogger{l.log.With(pairs...), l.token}
}

// WithUnlikelyValues adds attributes that are not often needed.
func (l sdkLogger) WithUnlikelyValues(pairs ...any) logger.UnlikelyLogger {
	return logger.NewUnlikelyLogger(l, pairs...)
}

// WithName changes nothing, nor do the others.
func (l sdkLogger) WithName(string) logger.Logger { return l }

// WithComponent changes nothing.
func (l sdkLogger) WithComponent(string) logger.Logger { return l }

// WithCallDepth changes nothing.
func (l sdkLogger) WithCallDepth(int) logger.Logger { return l }

// WithItemSampler changes nothing.
func (l sdkLogger) WithItemSampler() logger.Logger { return l }

// WithoutSampler changes nothing.
func (l sdkLogger) WithoutSampler() logger.Logger { return l }

// WithDeferredValues changes nothing: it does not wait for values that come later.
func (l sdkLogger) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	return l, noValues{}
}

type noValues struct{}

// Resolve ignores the values.
func (noValues) Resolve(...any) {}

// Reset does nothing.
func (noValues) Reset() {}
