package main

import (
	"parley/internal/api/admin"
)

type teamJoinCmd struct {
	teamRef
	Member string `required:"" placeholder:"EMAIL" help:"Member of the account."`
	teamFlags
	Away *bool `help:"Give them no tickets; --away=false ends that."`
}

func (c *teamJoinCmd) Run(p *process) error {
	in := admin.TeamMembership{
		TeamMemberRef: admin.TeamMemberRef{TeamRef: c.adminRef(), Member: c.Member},
		MaxOpen:       c.MaxOpen.Opt,
		Away:          c.Away,
	}
	var err error
	if in.Hours, err = c.parseHours(); err != nil {
		return err
	}
	out, err := runAdmin(p, admin.JoinTeam, in)
	if err != nil {
		return err
	}
	return p.printTeam(out)
}

type teamLeaveCmd struct {
	teamRef
	Member string `required:"" placeholder:"EMAIL" help:"Member of the team."`
}

func (c *teamLeaveCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.LeaveTeam, admin.TeamMemberRef{TeamRef: c.adminRef(), Member: c.Member})
	if err != nil {
		return err
	}
	return p.printTeam(out)
}
