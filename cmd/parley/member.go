package main

import (
	"parley/internal/api/admin"
)

type memberAddCmd struct {
	Account string `required:"" placeholder:"ID" help:"Account whose team it is."`
	Email   string `required:"" help:"E-mail address."`
	Name    string `required:"" help:"Name of the person."`
	Role    string `default:"agent" enum:"owner,admin,agent" help:"Role: ${enum} (${default})."`
}

func (c *memberAddCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.AddMember, admin.NewMember{AccountID: c.Account, Email: c.Email, Name: c.Name, Role: c.Role})
	if err != nil {
		return err
	}
	return p.printJSON(out)
}

type memberListCmd struct {
	Account string `placeholder:"ID" help:"Only members of this account."`
}

func (c *memberListCmd) Run(p *process) error {
	list, err := runAdmin(p, admin.ListMembers, admin.AccountFilter{AccountID: c.Account})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(list)
	}
	return p.printMembers(list)
}

func (p *process) printMembers(list []admin.Member) error {
	var rows [][]string
	for _, m := range list {
		rows = append(rows, []string{m.UserID, m.AccountID, m.Email, m.Name, m.Role, formatDay(&m.CreatedAt)})
	}
	return p.printTable("USER\tACCOUNT\tE-MAIL\tNAME\tROLE\tADDED", "No members.", rows)
}
