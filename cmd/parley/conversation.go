package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"parley/internal/api/admin"
)

type conversationsCmd struct {
	List     conversationListCmd   `cmd:"" help:"List an agent's conversations, newest first."`
	Delete   conversationDeleteCmd `cmd:"" help:"Delete conversations for good."`
	End      endCmd                `cmd:"" help:"End a conversation: the customer must start a new one."`
	Takeover takeoverCmd           `cmd:"" help:"Take a conversation over from the agent."`
	Handback handbackCmd           `cmd:"" help:"Give a conversation back to the agent."`
	Reply    replyCmd              `cmd:"" help:"Write to the customer of a conversation that was taken over."`
}

type conversationListCmd struct {
	AgentID string `name:"agent" placeholder:"ID" help:"Agent whose conversations they are; the only one when left out."`
	UserID  string `name:"user" placeholder:"USERID" help:"Only those of this end user."`
	Limit   int    `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *conversationListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is not a number of conversations", c.Limit)
	}
	agent, err := p.agentOrOnly(c.AgentID)
	if err != nil {
		return err
	}
	c.AgentID = agent
	return printAdmin(p, admin.ListConversations, admin.ConversationQuery(*c), p.printConversations)
}

func (p *process) printConversations(list []admin.Conversation) error {
	row := func(c admin.Conversation) []string {
		status := c.Status
		if c.Paused {
			status += ", paused"
		}
		messages, created, last := strconv.Itoa(c.Messages), formatDay(&c.CreatedAt), formatDay(&c.LastActivity)
		return []string{c.ID, c.Source, orDash(c.UserID), status, messages, created, last}
	}
	return printRows(p, "CONVERSATION\tSOURCE\tUSER\tSTATUS\tMESSAGES\tCREATED\tLAST ACTIVITY", "No conversations.",
		list, row)
}

type endCmd struct {
	ID string `arg:"" help:"Conversation to end."`
}

func (c *endCmd) Run(p *process) error { return p.changeState(c.ID, "end") }

type takeoverCmd struct {
	ID string `arg:"" help:"Conversation to take over."`
}

func (c *takeoverCmd) Run(p *process) error { return p.changeState(c.ID, "takeover") }

type handbackCmd struct {
	ID string `arg:"" help:"Conversation to give back."`
}

func (c *handbackCmd) Run(p *process) error { return p.changeState(c.ID, "handback") }

func (p *process) changeState(id, step string) error {
	in := admin.StateChange{ID: id, Step: step}
	return printAdmin(p, admin.MoveConversation, in, func(out admin.Conversation) error {
		return p.printf("Conversation %s is %s.\n", out.ID, out.Status)
	})
}

type replyCmd struct {
	ID     string `arg:"" help:"Conversation that was taken over."`
	Member string `required:"" placeholder:"EMAIL" help:"Member of the team who says it."`
	Text   string `arg:"" help:"What to say."`
}

func (c *replyCmd) Run(p *process) error {
	return printAdminJSON(p, admin.ReplyAsHuman, admin.HumanReply{ID: c.ID, Member: c.Member, Text: c.Text}, "")
}

type conversationDeleteCmd struct {
	IDs    []string `arg:"" optional:"" name:"id" help:"Conversations to delete."`
	Agent  string   `placeholder:"ID" help:"Delete conversations of this agent, with --user or --before."`
	User   string   `placeholder:"USERID" help:"Those of this end user."`
	Before string   `placeholder:"DATE" help:"@conversations-before"`
	Yes    bool     `help:"Do not ask."`
}

func (c *conversationDeleteCmd) Run(p *process) error {
	selection, err := c.selection()
	if err != nil {
		return err
	}
	if !c.Yes {
		if err := p.confirmSelection(selection); err != nil {
			return err
		}
	}
	return printAdmin(p, admin.DeleteConversations, selection, func(out admin.Count) error {
		return p.printf("Deleted %s.\n", formatCount(out.Conversations, "conversation", "conversations"))
	})
}

func (c *conversationDeleteCmd) selection() (admin.Selection, error) {
	selection := admin.Selection{IDs: c.IDs, AgentID: c.Agent, UserID: c.User}
	byFilter := c.Agent != "" || c.User != "" || c.Before != ""
	switch {
	case len(c.IDs) > 0 && byFilter:
		return selection, newUsageError("give ids or --agent, not both")
	case len(c.IDs) == 0 && (c.Agent == "" || c.User == "" && c.Before == ""):
		return selection, newUsageError("say which conversations: their ids, or --agent with --user or --before")
	case c.Before == "":
		return selection, nil
	}
	at, err := time.Parse(time.DateOnly, c.Before)
	if err != nil {
		at, err = time.Parse(time.RFC3339, c.Before)
	}
	if err != nil {
		return selection, newUsageError("--before: %q is not a time such as 2026-01-31 or 2026-01-31T12:00:00Z", c.Before)
	}
	selection.Before = &at
	return selection, nil
}

// confirmSelection says how many conversations would be deleted and asks for a confirmation.
func (p *process) confirmSelection(selection admin.Selection) error {
	count, err := runAdmin(p, admin.CountConversations, selection)
	if err != nil {
		return err
	}
	return p.confirmDelete(formatCount(count.Conversations, "conversation", "conversations"))
}

// confirmDelete asks whether something is to be deleted.
func (p *process) confirmDelete(subject string) error {
	if !isTerminal(os.Stdin) {
		return newUsageError("this would delete %s for good; say --yes", subject)
	}
	fmt.Fprintf(p.stderr, "Delete %s for good? [y/N] ", subject)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil || !strings.EqualFold(strings.TrimSpace(answer), "y") {
		return newUsageError("nothing was deleted; --yes answers for a script")
	}
	return nil
}

// personRef names a person of an account.
type personRef struct {
	Account string `required:"" placeholder:"ID" help:"Account that holds something of the person."`
	Email   string `placeholder:"ADDRESS" help:"E-mail address of the person."`
	User    string `placeholder:"USERID" help:"Id that you have given the person."`
}

func (r personRef) query() (admin.PersonQuery, error) {
	if r.Email == "" && r.User == "" {
		return admin.PersonQuery{}, newUsageError("say who it is: --email, --user or both")
	}
	return admin.PersonQuery{AccountID: r.Account, Email: r.Email, UserID: r.User}, nil
}

type personExportCmd struct{ personRef }

func (c *personExportCmd) Run(p *process) error {
	query, err := c.query()
	if err != nil {
		return err
	}
	out, err := runAdmin(p, admin.ExportPerson, query)
	if err != nil {
		return err
	}
	return p.printJSON(out.Export)
}

// erasureLeaves says what no erasure reaches.
const erasureLeaves = "Backups, archives made before, mails that were sent and what webhooks have told other servers " +
	"still hold what they held."

type personEraseCmd struct {
	personRef
	Yes bool `help:"Do not ask."`
}

func (c *personEraseCmd) Run(p *process) error {
	query, err := c.query()
	if err != nil {
		return err
	}
	if !c.Yes {
		fmt.Fprintln(p.stderr, erasureLeaves)
		if err := p.confirmDelete("all that is held of the person"); err != nil {
			return err
		}
	}
	return printAdmin(p, admin.ErasePerson, query, func(out admin.PersonErased) error {
		rest := ""
		if !out.IsComplete {
			rest = " The rest is erased as soon as no answer and no webhook needs it."
		}
		return p.printf("Erased %s, %s, %s, %s and %s.%s\n%s\n",
			formatCount(out.Conversations, "conversation", "conversations"), formatCount(out.Leads, "lead", "leads"),
			formatCount(out.People, "contact", "contacts"), formatCount(out.Visitors, "visitor", "visitors"),
			formatCount(out.Texts, "further text", "further texts"), rest, erasureLeaves)
	})
}
