//go:build !novoice && (!darwin || cgo)

package sfu

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
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
