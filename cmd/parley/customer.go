package main

import (
	"parley/internal/admin"
)

// customerCmd are the commands on customers.
type customerCmd struct {
	List customerListCmd `cmd:"" help:"List an agent's customers, newest first."`
}

type customerListCmd struct {
	Agent string `required:"" placeholder:"ID" help:"Agent whose customers they are."`
	Limit int    `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *customerListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return misused("--limit: %d is not a number of customers", c.Limit)
	}
	list, err := call(p, admin.ListCustomers, admin.CustomersOf{AgentID: c.Agent, Limit: c.Limit})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(list)
	}
	var rows [][]string
	for _, who := range list {
		rows = append(rows, []string{who.ID, orDash(who.Email), orDash(who.Name), orDash(who.Phone), orDash(who.ExternalID), day(&who.CreatedAt)})
	}
	return p.table("CUSTOMER\tE-MAIL\tNAME\tPHONE\tUSER\tSINCE", "No customers.", rows)
}
