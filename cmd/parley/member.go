package main

import "parley/internal/api/admin"

type memberAddCmd struct {
	AccountID string `name:"account" required:"" placeholder:"ID" help:"Account whose team it is."`
	Email     string `required:"" help:"E-mail address."`
	Name      string `required:"" help:"Name of the person."`
	Role      string `default:"agent" enum:"${role}" help:"Role: ${enum} (${default})."`
}

func (c *memberAddCmd) Run(p *process) error {
	return printAdminJSON(p, admin.AddMember, admin.NewMember(*c), "")
}

type memberListCmd struct {
	Account string `placeholder:"ID" help:"Only members of this account."`
}

func (c *memberListCmd) Run(p *process) error {
	return printAdmin(p, admin.ListMembers, admin.AccountFilter{AccountID: c.Account}, p.printMembers)
}

func (p *process) printMembers(list []admin.Member) error {
	return printRows(p, "USER\tACCOUNT\tE-MAIL\tNAME\tROLE\tADDED", "No members.", list, func(m admin.Member) []string {
		return []string{m.UserID, m.AccountID, m.Email, m.Name, m.Role, formatDay(&m.CreatedAt)}
	})
}

type memberRef struct {
	AccountID string `name:"account" required:"" placeholder:"ID" help:"Account whose team it is."`
	UserID    string `name:"user" required:"" xor:"member" placeholder:"ID" help:"Member, by the user id."`
	Email     string `required:"" xor:"member" help:"Member, by the e-mail address."`
}

type memberChangeCmd struct {
	memberRef
	Role string `required:"" enum:"${role}" help:"Role from now on: ${enum}."`
}

func (c *memberChangeCmd) Run(p *process) error {
	in := admin.MemberChange{MemberRef: admin.MemberRef(c.memberRef), Role: c.Role}
	return printAdmin(p, admin.ChangeMember, in, asList(p.printMembers))
}

type memberRemoveCmd struct {
	memberRef
	Reassign bool `help:"Give each of their open tickets to whom its team picks, in place of nobody."`
}

func (c *memberRemoveCmd) Run(p *process) error {
	in := admin.MemberRemoval{MemberRef: admin.MemberRef(c.memberRef), Reassign: c.Reassign}
	return printAdmin(p, admin.RemoveMember, in, p.printMemberRemoval)
}

func (p *process) printMemberRemoval(r admin.MemberRemovalResult) error {
	teams := formatCount(r.Teams, "team", "teams")
	err := p.printf("Removed %s (%s) from the account and from %s.\n", r.Email, r.UserID, teams)
	if r.Unassigned+r.Reassigned > 0 {
		err = p.printf("Of their open tickets, %d went to others of the team, and %d have nobody now.\n",
			r.Reassigned, r.Unassigned)
	}
	for _, rule := range r.Rules {
		err = p.printf("The rule %s of the agent %s names them. Its tickets go to its team, or else to the default team.\n",
			rule.Key, rule.AgentID)
	}
	return err
}
