package main

import (
	"strconv"

	"parley/internal/api/admin"
)

type sourceCmd struct {
	List sourceListCmd `cmd:"" help:"List an agent's sources, newest first, and why some have failed."`
}

type sourceListCmd struct {
	AgentID string `name:"agent" required:"" placeholder:"ID" help:"Agent whose sources they are."`
	Limit   int    `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *sourceListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is not a number of sources", c.Limit)
	}
	return printAdmin(p, admin.ListSources, admin.SourceQuery(*c), p.printSources)
}

func (p *process) printSources(list []admin.Source) error {
	row := func(s admin.Source) []string {
		status := s.Status
		if s.Answers && s.Status == "failed" {
			status += ", earlier version answers"
		}
		size, updated := strconv.FormatInt(s.Size, 10), formatDay(&s.UpdatedAt)
		return []string{s.ID, s.Type, orDash(s.Name), status, size, updated, orDash(s.Reason)}
	}
	return printRows(p, "SOURCE\tTYPE\tNAME\tSTATUS\tBYTES\tUPDATED\tREASON", "No sources.", list, row)
}
