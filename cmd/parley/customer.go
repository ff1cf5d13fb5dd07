package main

import (
	"parley/internal/api/admin"
)

// customerCmd holds the commands on customers.
type customerCmd struct {
	List customerListCmd `cmd:"" help:"List an agent's customers, newest first."`
}

type customerListCmd struct {
	Agent string `required:"" placeholder:"ID" help:"Agent whose customers they are."`
	Limit int    `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *customerListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is not a number of customers", c.Limit)
	}
	list, err := runAdmin(p, admin.ListCustomers, admin.CustomerQuery{AgentID: c.Agent, Limit: c.Limit})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(list)
	}
	var rows [][]string
	for _, who := range list {
		rows = append(rows, []string{
			who.ID,
			orDash(who.Email),
			orDash(who.Name),
			orDash(who.Phone),
			orDash(who.ExternalID),
			formatDay(&who.CreatedAt),
		})
	}
	return p.printTable("CUSTOMER\tE-MAIL\tNAME\tPHONE\tUSER\tSINCE", "No customers.", rows)
}
