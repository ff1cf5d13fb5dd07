package main

import (
	"fmt"

	"parley/internal/api/admin"
)

type memberAddCmd struct {
	Account string `required:"" placeholder:"ID" help:"Account whose team it is."`
	Email   string `required:"" help:"E-mail address."`
	Name    string `required:"" help:"Name of the person."`
	Role    string `default:"agent" enum:"owner,admin,agent" help:"Role: ${enum} (${default})."`
}

func (c *memberAddCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.AddMember, admin.NewMember{
		AccountID: c.Account,
		Email:     c.Email,
		Name:      c.Name,
		Role:      c.Role,
	})
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

// memberRef names a member of an account.
type memberRef struct {
	Account string `required:"" placeholder:"ID" help:"Account whose team it is."`
	User    string `required:"" xor:"member" placeholder:"ID" help:"Member, by the user id."`
	Email   string `required:"" xor:"member" help:"Member, by the e-mail address."`
}

func (r memberRef) adminRef() admin.MemberRef {
	return admin.MemberRef{AccountID: r.Account, UserID: r.User, Email: r.Email}
}

type memberChangeCmd struct {
	memberRef
	Role string `required:"" enum:"owner,admin,agent" help:"Role from now on: ${enum}."`
}

func (c *memberChangeCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.ChangeMember, admin.MemberChange{MemberRef: c.adminRef(), Role: c.Role})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	return p.printMembers([]admin.Member{out})
}

type memberRemoveCmd struct {
	memberRef
	Reassign bool `help:"Give each of their open tickets to whom its team picks, in place of nobody."`
}

func (c *memberRemoveCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.RemoveMember, admin.MemberRemoval{MemberRef: c.adminRef(), Reassign: c.Reassign})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	fmt.Fprintf(p.stdout, "Removed %s (%s) from the account and from %s.\n", out.Email, out.UserID,
		formatCount(out.Teams, "team", "teams"))
	if out.Unassigned+out.Reassigned > 0 {
		fmt.Fprintf(p.stdout, "Of their open tickets, %d went to others of the team, and %d have nobody now.\n",
			out.Reassigned, out.Unassigned)
	}
	for _, r := range out.Rules {
		fmt.Fprintf(p.stdout,
			"The rule %s of the agent %s names them. Its tickets go to its team, or else to the default team.\n", r.Key,
			r.AgentID)
	}
	return nil
}
