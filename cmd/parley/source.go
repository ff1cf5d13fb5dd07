package main

import (
	"strconv"

	"parley/internal/admin"
)

// sourcesCmd are the commands on sources.
type sourcesCmd struct {
	List sourceListCmd `cmd:"" help:"List an agent's sources, newest first, and why some have failed."`
}

type sourceListCmd struct {
	Agent string `required:"" placeholder:"ID" help:"Agent whose sources they are."`
	Limit int    `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *sourceListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return misused("--limit: %d is not a number of sources", c.Limit)
	}
	list, err := call(p, admin.ListSources, admin.SourcesOf{AgentID: c.Agent, Limit: c.Limit})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(list)
	}
	var rows [][]string
	for _, s := range list {
		status := s.Status
		if s.Answers && s.Status == "failed" {
			status += ", earlier version answers"
		}
		rows = append(rows, []string{s.ID, s.Type, orDash(s.Name), status, strconv.FormatInt(s.Size, 10), day(&s.UpdatedAt), orDash(s.Reason)})
	}
	return p.table("SOURCE\tTYPE\tNAME\tSTATUS\tBYTES\tUPDATED\tREASON", "No sources.", rows)
}
