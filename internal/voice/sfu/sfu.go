//go:build !novoice && (!darwin || cgo)

// Package sfu is the media server of voice sessions: LiveKit, embedded. Only the command "parley sfu" runs it, in a
// process of its own, since LiveKit changes global state of its process.
package sfu

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/livekit/livekit-server/pkg/config"
	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/telemetry/prometheus"
	"github.com/livekit/protocol/logger"

	"parley/internal/voice/rtc"
)

// Available reports whether this program contains the media server; one that was built with the tag novoice does not.
const Available = true

// Run serves until ctx is done; ready is called with the ports once they answer. Run may be called once in a process.
func Run(ctx context.Context, cfg rtc.ChildConfig, log *slog.Logger, ready func(rtc.ChildReady) error) error {
	logger.SetLogger(newLogger(log), "")
	ports, err := choosePorts(ctx, cfg)
	if err != nil {
		return err
	}
	server, err := newServer(cfg, ports)
	if err != nil {
		return err
	}
	return server.run(ctx, func() error { return ready(ports) })
}

func newServer(cfg rtc.ChildConfig, ports rtc.ChildReady) (*mediaServer, error) {
	text, err := livekitConfig(cfg, ports)
	if err != nil {
		return nil, err
	}
	conf, err := config.NewConfig(text, true, nil, nil)
	if err != nil {
		return nil, err
	}
	node, err := routing.NewLocalNode(conf)
	if err != nil {
		return nil, err
	}
	if err := prometheus.Init(string(node.NodeID()), node.NodeType()); err != nil {
		return nil, err
	}
	server, err := newMediaServer(conf, node)
	if err != nil {
		return nil, fmt.Errorf("open the ports for media: %w", err)
	}
	return server, nil
}

// Serve is the command "parley sfu": it reads its configuration from in, answers on out, and exits at the end of in.
func Serve(ctx context.Context, in, out, stderr *os.File) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	os.Stdout = stderr // libraries that write to it must not fail once nobody reads it any more
	cfg, err := readParentConfig(in, stop)
	if err != nil {
		return err
	}
	level := slog.LevelWarn
	if cfg.Debug {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: level}))
	err = Run(ctx, cfg, log, func(r rtc.ChildReady) error { return writeReady(out, r) })
	if err != nil && ctx.Err() == nil {
		return errors.Join(writeReady(out, rtc.ChildReady{Error: err.Error()}), err)
	}
	return nil
}

// readParentConfig reads the configuration that the parent sends, and calls onEOF at the end of the input: then the
// parent ends this process, or has died.
func readParentConfig(in *os.File, onEOF func()) (cfg rtc.ChildConfig, err error) {
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &cfg)
	}
	if err != nil {
		return cfg, fmt.Errorf("the server runs this, and tells it what to be: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		onEOF()
	}()
	return cfg, nil
}

func writeReady(out *os.File, r rtc.ChildReady) error { return json.NewEncoder(out).Encode(r) }

// newLogger returns LiveKit's logger. Its errors are logged as warnings, since the other rooms go on, unless they
// belong to the usual end of a session.
func newLogger(log *slog.Logger) rtc.LiveKitLogger {
	return rtc.LiveKitLogger{Log: log, ErrorLevel: func(message string) slog.Level {
		if slices.ContainsFunc(usualErrors, func(part string) bool { return strings.Contains(message, part) }) {
			return slog.LevelDebug
		}
		return slog.LevelWarn
	}}
}

// usualErrors are parts of errors that belong to hang-ups and refusals.
var usualErrors = []string{
	"error reading data channel", "dtls timeout", "error closing", "use of closed", "closed pipe", "EOF",
	"context canceled", "could not handle signal", "signal connection closed", "exceeded its max participants",
	"closed by media", "room does not exist",
}
