package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"parley/internal/api/admin"
)

type memberAddCmd struct {
	AccountID string `name:"account" required:"" placeholder:"ID" help:"Account whose team it is."`
	Email     string `required:"" help:"E-mail address."`
	Name      string `required:"" help:"Name of the person."`
	Role      string `default:"agent" enum:"${role}" help:"Role: ${enum} (${default})."`
}

func (c *memberAddCmd) Run(p *process) error {
	return printAdminJSON(p, admin.AddMember, admin.NewMember(*c), "")
}

type memberInviteCmd struct {
	AccountID string `name:"account" required:"" placeholder:"ID" help:"Account whose team it is."`
	Email     string `required:"" help:"E-mail address."`
	Role      string `default:"agent" enum:"${role}" help:"Role: ${enum} (${default})."`
	Mail      bool   `help:"Have the running server mail the link in place of printing it."`
}

func (c *memberInviteCmd) Run(p *process) error {
	return printAdmin(p, admin.InviteMember, admin.NewInvitation(*c), p.printLink)
}

type memberInvitationsCmd struct {
	AccountID string `name:"account" required:"" placeholder:"ID" help:"Account whose team it is."`
	Link      string `placeholder:"ID" xor:"change" help:"Make a new link of this invitation, in place of the one before."`
	Withdraw  string `placeholder:"ID" xor:"change" help:"End this invitation."`
	Mail      bool   `help:"Have the running server mail the new link in place of printing it."`
}

func (c *memberInvitationsCmd) Run(p *process) error {
	switch {
	case c.Link != "":
		ref := admin.InvitationRef{AccountID: c.AccountID, InvitationID: c.Link}
		return printAdmin(p, admin.RenewInvitation, admin.InvitationLink{InvitationRef: ref, Mail: c.Mail}, p.printLink)
	case c.Withdraw != "":
		ref := admin.InvitationRef{AccountID: c.AccountID, InvitationID: c.Withdraw}
		return printAdmin(p, admin.WithdrawInvitation, ref, func(i admin.Invitation) error {
			return p.printf("The invitation of %s has ended.\n", i.Email)
		})
	}
	return printAdmin(p, admin.ListInvitations, admin.InvitationQuery{AccountID: c.AccountID}, p.printInvitations)
}

func (p *process) printInvitations(list []admin.Invitation) error {
	return printRows(p, "INVITATION\tE-MAIL\tROLE\tINVITED BY\tUNTIL", "No invitations without an answer.", list,
		func(i admin.Invitation) []string {
			return []string{i.ID, i.Email, i.Role, i.InvitedBy, formatDay(&i.ExpiresAt)}
		})
}

type memberLinkCmd struct {
	memberRef
	Mail bool `help:"Have the running server mail the link in place of printing it."`
}

func (c *memberLinkCmd) Run(p *process) error {
	in := admin.NewLink{MemberRef: admin.MemberRef(c.memberRef), Mail: c.Mail}
	return printAdmin(p, admin.LinkMember, in, p.printLink)
}

func (p *process) printLink(l admin.SignInLink) error {
	if l.Mailed {
		return p.printf("A link is mailed to %s.\n", l.Email)
	}
	return p.printf("%s signs in once, until %s, with\n\n  %s\n", l.Email, l.ExpiresAt.UTC().Format(time.RFC3339), l.Link)
}

type memberPasswordCmd struct{ memberRef }

func (c *memberPasswordCmd) Run(p *process) error {
	password, err := p.readPassword()
	if err != nil {
		return err
	}
	in := admin.NewPassword{MemberRef: admin.MemberRef(c.memberRef), Password: password}
	return printAdmin(p, admin.SetMemberPassword, in, func(out admin.ChangedPassword) error {
		return p.printf("Set the password of %s (%s) and ended their sessions.\n", out.Email, out.UserID)
	})
}

// readPassword reads a line of the standard input.
func (p *process) readPassword() (string, error) {
	if isTerminal(os.Stdin) {
		fmt.Fprint(p.stderr, "New password, which shows as you type it: ")
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
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
