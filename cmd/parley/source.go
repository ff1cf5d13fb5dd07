package main

import (
	"strconv"

	"parley/internal/api/admin"
)

// sourcesCmd holds the commands on sources.
type sourcesCmd struct {
	List sourceListCmd `cmd:"" help:"List an agent's sources, newest first, and why some have failed."`
}

type sourceListCmd struct {
	Agent string `required:"" placeholder:"ID" help:"Agent whose sources they are."`
	Limit int    `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *sourceListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is not a number of sources", c.Limit)
	}
	list, err := runAdmin(p, admin.ListSources, admin.SourceQuery{AgentID: c.Agent, Limit: c.Limit})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(list)
	}
	var rows [][]string
	for _, s := range list {
		status := s.Status
		if s.Answers && s.Status == "failed" {
			status += ", earlier version answers"
		}
		rows = append(rows, []string{
			s.ID,
			s.Type,
			orDash(s.Name),
			status,
			strconv.FormatInt(s.Size, 10),
			formatDay(&s.UpdatedAt),
			orDash(s.Reason),
		})
	}
	return p.printTable("SOURCE\tTYPE\tNAME\tSTATUS\tBYTES\tUPDATED\tREASON", "No sources.", rows)
}
