//go:build !novoice

// Package sfu is the LiveKit server, embedded: `parley sfu` runs it as a child process of the server.
package sfu

import (
	_ "github.com/livekit/livekit-server/pkg/config"
	_ "github.com/livekit/livekit-server/pkg/routing"
	_ "github.com/livekit/livekit-server/pkg/service"
	_ "github.com/livekit/livekit-server/pkg/telemetry/prometheus"
	_ "github.com/livekit/protocol/logger"
)
