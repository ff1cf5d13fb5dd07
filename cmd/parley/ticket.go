package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/api/admin"
)

type ticketCmd struct {
	List   ticketListCmd   `cmd:"" help:"List an agent's tickets, the one that changed last first."`
	Show   ticketShowCmd   `cmd:"" help:"Show a ticket with all that was said in it and that happened to it."`
	Open   ticketOpenCmd   `cmd:"" help:"Open a ticket for a customer."`
	Change ticketChangeCmd `cmd:"" help:"Change a ticket's status, assignee, team or priority."`
	Reply  ticketReplyCmd  `cmd:"" help:"Write to the customer of a ticket."`
	Note   ticketNoteCmd   `cmd:"" help:"Write a note that only the team sees."`

	Targets ticketTargetsCmd `cmd:"" help:"List within how much working time tickets are to be replied to and resolved."`
	Target  ticketTargetCmd  `cmd:"" help:"Set within how much working time tickets of a priority are due."`
}

type ticketListCmd struct {
	AgentID    string   `name:"agent" placeholder:"ID" help:"Agent whose tickets they are; the only one when left out."`
	Categories []string `name:"status" placeholder:"CATEGORY" help:"@ticket-status"`
	Channels   []string `name:"channel" placeholder:"NAME" help:"Only those of these channels, such as api."`
	Assignee   string   `placeholder:"EMAIL" help:"Only those of this member; \"none\" is those that nobody has."`
	Team       string   `placeholder:"TEAM" help:"@ticket-team"`
	Customer   string   `placeholder:"EMAIL" help:"Only those of this customer."`
	Overdue    bool     `help:"Only those that are overdue, the longest first."`
	Query      string   `name:"find" placeholder:"WORDS" help:"@ticket-find"`
	Limit      int      `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *ticketListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is not a number of tickets", c.Limit)
	}
	if c.Query != "" && (len(c.Categories)+len(c.Channels) > 0 || c.Assignee != "" || c.Team != "" ||
		c.Customer != "" || c.Overdue) {
		return newUsageError("--find goes without --status, --channel, --assignee, --team, --customer and --overdue")
	}
	agent, err := p.agentOrOnly(c.AgentID)
	if err != nil {
		return err
	}
	c.AgentID = agent
	return printAdmin(p, admin.ListTickets, admin.TicketQuery(*c), p.printTickets)
}

func (p *process) printTickets(list []admin.Ticket) error {
	return printRows(p, "TICKET\tSUBJECT\tSTATUS\tPRIORITY\tTEAM\tASSIGNEE\tCUSTOMER\tCHANNEL\tUPDATED",
		"No tickets.", list, func(t admin.Ticket) []string {
			customer := cmp.Or(t.Customer.Email, t.Customer.Name, t.Customer.ExternalID, "-")
			return []string{strconv.FormatInt(t.Number, 10), clipText(t.Subject), t.Status, t.Priority,
				orDash(t.Team), orDash(t.Assignee), customer, t.Channel, formatDay(&t.UpdatedAt)}
		})
}

type ticketTargetsCmd struct {
	Agent string `only:"" placeholder:"ID" help:"Agent whose targets they are."`
}

func (c *ticketTargetsCmd) Run(p *process) error {
	return printAdmin(p, admin.ListSLATargets, admin.AgentRef{ID: c.Agent}, p.printTargets)
}

func (p *process) printTargets(list []parley.SLATarget) error {
	return printRows(p, "PRIORITY\tFIRST REPLY\tRESOLUTION", "No targets.", list, func(t parley.SLATarget) []string {
		return []string{t.Priority, formatMinutes(t.FirstReplyMinutes), formatMinutes(t.ResolutionMinutes)}
	})
}

func formatMinutes(n int) string {
	if n == 0 {
		return "-"
	}
	return strings.TrimSuffix((time.Duration(n) * time.Minute).String(), "0s")
}

type ticketTargetCmd struct {
	Agent      string         `only:"" placeholder:"ID" help:"Agent whose target it is."`
	Priority   string         `arg:"" enum:"${priority}" help:"Priority of the tickets: ${enum}."`
	FirstReply *time.Duration `placeholder:"TIME" help:"Working time until a member replies, such as 30m; 0s: no target."`
	Resolution *time.Duration `placeholder:"TIME" help:"Working time until it is closed, such as 16h; 0s: no target."`
}

func (c *ticketTargetCmd) Run(p *process) error {
	if c.FirstReply == nil && c.Resolution == nil {
		return newUsageError("nothing to change: give --first-reply or --resolution")
	}
	for _, target := range []*time.Duration{c.FirstReply, c.Resolution} {
		if target != nil && *target%time.Minute != 0 {
			return newUsageError("a target is in whole minutes, not %s", *target)
		}
	}
	list, err := runAdmin(p, admin.ListSLATargets, admin.AgentRef{ID: c.Agent})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(t parley.SLATarget) bool { return t.Priority == c.Priority })
	if i < 0 {
		i, list = len(list), append(list, parley.SLATarget{Priority: c.Priority})
	}
	if c.FirstReply != nil {
		list[i].FirstReplyMinutes = int(*c.FirstReply / time.Minute)
	}
	if c.Resolution != nil {
		list[i].ResolutionMinutes = int(*c.Resolution / time.Minute)
	}
	return printAdmin(p, admin.ReplaceSLATargets, admin.SLATargets{AgentID: c.Agent, Targets: list}, p.printTargets)
}

type ticketOpenCmd struct {
	AgentID     string `name:"agent" only:"" placeholder:"ID" help:"Agent whose ticket it is."`
	Subject     string `required:"" placeholder:"TEXT" help:"What it is about, 1 to 500 characters."`
	Description string `required:"" placeholder:"TEXT" help:"The customer's first message, 1 to 10,000 characters."`
	Email       string `required:"" placeholder:"EMAIL" help:"Customer's e-mail address."`
	Name        string `placeholder:"TEXT" help:"Name of a customer who is not known yet."`
	Category    string `placeholder:"CATEGORY" help:"Category whose default status it takes; new when left out."`
	Status      string `placeholder:"STATUS" help:"Status: its id, key or label."`
	Assignee    string `placeholder:"EMAIL" help:"@ticket-assignee"`
	Team        string `placeholder:"TEAM" help:"Team that gets it: its id, key or name; the rules decide when left out."`
	Priority    string `default:"none" enum:"${priority}" help:"How urgent it is: ${enum} (${default})."`
}

func (c *ticketOpenCmd) Run(p *process) error {
	return printAdmin(p, admin.OpenTicket, admin.NewTicket(*c), asList(p.printTickets))
}

type ticketRef struct {
	AgentID string `name:"agent" only:"" placeholder:"ID" help:"Agent whose ticket it is."`
	Number  int64  `arg:"" help:"Number of the ticket."`
}

type ticketChangeCmd struct {
	ticketRef
	Category string `placeholder:"CATEGORY" help:"Category whose default status it takes."`
	Status   string `placeholder:"STATUS" help:"Status: its id, key or label."`
	Assignee string `placeholder:"EMAIL" help:"Member who gets it; \"none\" is nobody."`
	Team     string `placeholder:"TEAM" help:"Team that gets it: its id, key or name; \"none\" is no team."`
	Priority string `placeholder:"NAME" help:"How urgent it is: none, low, normal, high or urgent."`
}

func (c *ticketChangeCmd) Run(p *process) error {
	in := admin.TicketChange{
		TicketRef: admin.TicketRef(c.ticketRef),
		Category:  c.Category,
		Status:    c.Status,
		Assignee:  c.Assignee,
		Team:      c.Team,
		Priority:  c.Priority,
	}
	if in == (admin.TicketChange{TicketRef: in.TicketRef}) {
		return newUsageError("nothing to change: give --category, --status, --assignee, --team or --priority")
	}
	return printAdmin(p, admin.ChangeTicket, in, asList(p.printTickets))
}

type ticketReplyCmd struct {
	ticketRef
	Text   string `arg:"" help:"What to say; Markdown."`
	Member string `required:"" placeholder:"EMAIL" help:"Member of the account who says it."`
}

func (c *ticketReplyCmd) Run(p *process) error {
	return p.writeTicketMessage(c.ticketRef, "reply", c.Member, c.Text)
}

type ticketNoteCmd struct {
	ticketRef
	Text   string `arg:"" help:"What to note; Markdown."`
	Member string `required:"" placeholder:"EMAIL" help:"Member of the account who notes it."`
}

func (c *ticketNoteCmd) Run(p *process) error {
	return p.writeTicketMessage(c.ticketRef, "note", c.Member, c.Text)
}

func (p *process) writeTicketMessage(t ticketRef, kind, member, text string) error {
	in := admin.NewTicketMessage{TicketRef: admin.TicketRef(t), Type: kind, Member: member, Text: text}
	return printAdminJSON(p, admin.WriteTicket, in, "")
}

type ticketShowCmd struct{ ticketRef }

func (c *ticketShowCmd) Run(p *process) error {
	t, err := c.readAll(p)
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(t)
	}
	return p.printTicketDetails(t)
}

// readAll reads a ticket with all its messages, page by page.
func (c *ticketShowCmd) readAll(p *process) (admin.TicketDetails, error) {
	in := admin.TicketDetailsQuery{TicketRef: admin.TicketRef(c.ticketRef), Limit: 200}
	t, err := runAdmin(p, admin.ShowTicket, in)
	pages := [][]admin.TicketMessage{t.Messages}
	for err == nil && t.HasEarlier {
		var page admin.TicketDetails
		in.Before = pages[len(pages)-1][0].Seq
		page, err = runAdmin(p, admin.ShowTicket, in)
		t.HasEarlier, pages = page.HasEarlier, append(pages, page.Messages)
	}
	slices.Reverse(pages)
	t.Messages = slices.Concat(pages...)
	return t, err
}

func (p *process) printTicketDetails(t admin.TicketDetails) error {
	fmt.Fprintf(p.stdout, "Ticket %d: %s\n", t.Number, t.Subject)
	p.printLine("status", "%s (%s)", t.Status, t.Category)
	p.printLine("priority", "%s", t.Priority)
	p.printLine("team", "%s", orDash(t.Team))
	p.printLine("assignee", "%s", orDash(t.Assignee))
	p.printLine("customer", "%s", orDash(strings.TrimSpace(t.Customer.Name+" "+t.Customer.Email)))
	p.printLine("channel", "%s", t.Channel)
	p.printIfSet("talk", t.ConversationID)
	for _, m := range t.Messages {
		fmt.Fprintf(p.stdout, "\n%s  %s\n", formatDay(&m.CreatedAt), formatAuthor(m))
		if m.Event != nil {
			fmt.Fprintf(p.stdout, "  %s\n", formatEvent(m.Event))
		}
		if m.Text != "" {
			fmt.Fprintf(p.stdout, "  %s\n", strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n  "))
		}
		for _, file := range m.Files {
			fmt.Fprintf(p.stdout, "  file: %s\n", file.Name)
		}
	}
	return nil
}

// formatAuthor returns the author of a message and, for a note, that it is one.
func formatAuthor(m admin.TicketMessage) string {
	author := m.From
	if m.From == "agent" {
		author = "team"
	}
	if name := cmp.Or(m.Name, m.Email); name != "" {
		author += " (" + name + ")"
	}
	if m.Type == "note" {
		author += ", note"
	}
	return author
}

func formatEvent(e *parley.TicketEvent) string {
	text := strings.ReplaceAll(e.Kind, "_", " ")
	for _, fact := range []struct{ name, value string }{
		{"from", e.StatusFrom}, {"to", e.StatusTo}, {"from", e.AssignedFrom}, {"to", e.AssignedTo},
		{"from", e.From}, {"to", e.To}, {"by", e.DoneBy}, {"because", e.Reason},
	} {
		if fact.value != "" {
			text += " " + fact.name + " " + fact.value
		}
	}
	return text
}

type customerCmd struct {
	List customerListCmd `cmd:"" help:"List an agent's customers, newest first."`
}

type customerListCmd struct {
	AgentID string `name:"agent" only:"" placeholder:"ID" help:"Agent whose customers they are."`
	Limit   int    `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *customerListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is not a number of customers", c.Limit)
	}
	return printAdmin(p, admin.ListCustomers, admin.CustomerQuery(*c), p.printCustomers)
}

func (p *process) printCustomers(list []admin.Customer) error {
	row := func(c admin.Customer) []string {
		since := formatDay(&c.CreatedAt)
		return []string{c.ID, orDash(c.Email), orDash(c.Name), orDash(c.Phone), orDash(c.ExternalID), since}
	}
	return printRows(p, "CUSTOMER\tE-MAIL\tNAME\tPHONE\tUSER\tSINCE", "No customers.", list, row)
}
