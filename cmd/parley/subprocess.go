package main

import (
	"os"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/sandbox"
	"parley/internal/voice/sfu"
)

// extractCmd is not for people: the server runs it to read uploaded files, and talks to it over standard input and
// output.
type extractCmd struct {
	Need    sandbox.Need `enum:"all,calls,nothing" default:"all" help:"Fences that a program needs: ${enum}."`
	Program []string     `arg:"" optional:"" passthrough:"" help:"A program to become within the limits, with its arguments; none to read files."`
}

func (c *extractCmd) Run(p *process) error {
	words := c.Program
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) > 0 {
		return sandbox.Become(c.Need, words[0], words[1:])
	}
	return extract.Serve(os.Stdin, p.stdout)
}

// sfuCmd is not for people: the server runs it for voice sessions, and talks to it over standard input and output.
type sfuCmd struct{}

func (sfuCmd) Run(p *process) error { return sfu.Serve(p, os.Stdin, os.Stdout, os.Stderr) }
