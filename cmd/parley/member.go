package main

import (
	"parley/internal/admin"
)

type memberAddCmd struct {
	Account string `required:"" placeholder:"ID" help:"Account whose team it is."`
	Email   string `required:"" help:"E-mail address."`
	Name    string `required:"" help:"Name of the person."`
	Role    string `default:"agent" enum:"owner,admin,agent" help:"Role: ${enum} (${default})."`
}

func (c *memberAddCmd) Run(p *process) error {
	out, err := call(p, admin.AddMember, admin.NewMember{AccountID: c.Account, Email: c.Email, Name: c.Name, Role: c.Role})
	if err != nil {
		return err
	}
	return p.print(out)
}

type memberListCmd struct {
	Account string `placeholder:"ID" help:"Only members of this account."`
}

func (c *memberListCmd) Run(p *process) error {
	list, err := call(p, admin.ListMembers, admin.OfAccount{AccountID: c.Account})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(list)
	}
	return p.members(list)
}

func (p *process) members(list []admin.Member) error {
	var rows [][]string
	for _, m := range list {
		rows = append(rows, []string{m.UserID, m.AccountID, m.Email, m.Name, m.Role, day(&m.CreatedAt)})
	}
	return p.table("USER\tACCOUNT\tE-MAIL\tNAME\tROLE\tADDED", "No members.", rows)
}
