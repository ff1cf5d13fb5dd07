package main

import (
	"fmt"

	"parley/internal/api/admin"
)

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
	fmt.Fprintf(p.stdout, "Removed %s (%s) from the account and from %s.\n", out.Email, out.UserID, formatCount(out.Teams, "team", "teams"))
	if out.Unassigned+out.Reassigned > 0 {
		fmt.Fprintf(p.stdout, "Of their open tickets, %d went to others of the team, and %d have nobody now.\n", out.Reassigned, out.Unassigned)
	}
	for _, r := range out.Rules {
		fmt.Fprintf(p.stdout, "The rule %s of the agent %s names them. Its tickets go to its team, or else to the default team.\n", r.Key, r.AgentID)
	}
	return nil
}
