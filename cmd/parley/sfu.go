//go:build !novoice

package main

import (
	"os"

	"parley/internal/voice/sfu"
)

// mediaServer says whether this program can be the media server of voice sessions.
const mediaServer = true

// sfuCmd is not for people: the server runs it for voice sessions, and talks to it through its standard streams.
type sfuCmd struct{}

func (sfuCmd) Run(p *process) error { return sfu.Serve(p, os.Stdin, os.Stdout, os.Stderr) }
