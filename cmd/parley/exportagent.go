package main

import (
	"fmt"

	"parley/internal/api/admin"
	"parley/internal/manifest"
)

type exportAgentCmd struct {
	ID string `arg:"" name:"agentid" help:"Agent to export."`
}

func (c *exportAgentCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.ExportAgent, admin.AgentRef{ID: c.ID})
	if err != nil {
		return err
	}
	for _, what := range out.LeftOut {
		fmt.Fprintf(p.stderr, "left out: %s\n", what)
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	text, err := manifest.Write(out.Document)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.stdout, text)
	return err
}
