//go:build novoice || (darwin && !cgo)

// Package sfu replaces the media server in a program that was built without it.
package sfu

import (
	"context"
	"os"

	"parley/internal/voice/rtc"
)

// Available reports whether this program contains the media server.
const Available = false

// Serve always fails.
func Serve(context.Context, *os.File, *os.File, *os.File) error { return rtc.ErrNoMediaServer }
