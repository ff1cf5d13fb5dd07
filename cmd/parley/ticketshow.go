package main

import (
	"fmt"
	"strings"

	"parley"
	"parley/internal/admin"
)

type ticketShowCmd struct{ ticketRef }

func (c *ticketShowCmd) Run(p *process) error {
	t, err := call(p, admin.ShowTicket, c.ref())
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(t)
	}
	fmt.Fprintf(p.stdout, "Ticket %d: %s\n", t.Number, t.Subject)
	p.line("status", "%s (%s)", t.Status, t.Category)
	p.line("priority", "%s", t.Priority)
	p.line("team", "%s", orDash(t.Team))
	p.line("assignee", "%s", orDash(t.Assignee))
	p.line("customer", "%s", orDash(strings.TrimSpace(t.Customer.Name+" "+t.Customer.Email)))
	p.line("channel", "%s", t.Channel)
	p.known("talk", t.ConversationID)
	for _, m := range t.Messages {
		fmt.Fprintf(p.stdout, "\n%s  %s\n", day(&m.CreatedAt), speaker(m))
		if m.Event != nil {
			fmt.Fprintf(p.stdout, "  %s\n", happened(m.Event))
		}
		if m.Text != "" {
			fmt.Fprintf(p.stdout, "  %s\n", strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n  "))
		}
		for _, name := range m.Files {
			fmt.Fprintf(p.stdout, "  file: %s\n", name)
		}
	}
	return nil
}

// speaker names who wrote a message and what it is.
func speaker(m admin.TicketMessage) string {
	who := m.From
	if m.From == "agent" {
		who = "team"
	}
	if name := m.Name; name != "" {
		who += " (" + name + ")"
	} else if m.Email != "" {
		who += " (" + m.Email + ")"
	}
	if m.Type == "note" {
		who += ", note"
	}
	return who
}

// happened tells an event in words.
func happened(e *parley.TicketEvent) string {
	text := strings.ReplaceAll(e.Kind, "_", " ")
	for _, fact := range []struct{ name, value string }{{"from", e.StatusFrom}, {"to", e.StatusTo}, {"from", e.AssignedFrom}, {"to", e.AssignedTo},
		{"from", e.From}, {"to", e.To}, {"by", e.DoneBy}, {"because", e.Reason}} {
		if fact.value != "" {
			text += " " + fact.name + " " + fact.value
		}
	}
	return text
}
