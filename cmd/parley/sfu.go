package main

import (
	"os"

	"parley/internal/voice/sfu"
)

// sfuCmd is not for people: the server runs it for voice sessions, and talks to it through its standard streams.
type sfuCmd struct{}

func (sfuCmd) Run(p *process) error { return sfu.Serve(p, os.Stdin, os.Stdout, os.Stderr) }
