package main

import (
	"fmt"
	"strings"

	"parley"
	"parley/internal/api/admin"
)

type ticketShowCmd struct{ ticketRef }

func (c *ticketShowCmd) Run(p *process) error {
	t, err := runAdmin(p, admin.ShowTicket, c.adminRef())
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(t)
	}
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
		for _, name := range m.Files {
			fmt.Fprintf(p.stdout, "  file: %s\n", name)
		}
	}
	return nil
}

// formatAuthor names who wrote a message and what it is.
func formatAuthor(m admin.TicketMessage) string {
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

// formatEvent tells an event in words.
func formatEvent(e *parley.TicketEvent) string {
	text := strings.ReplaceAll(e.Kind, "_", " ")
	for _, fact := range []struct{ name, value string }{{"from", e.StatusFrom}, {"to", e.StatusTo}, {"from", e.AssignedFrom}, {"to", e.AssignedTo},
		{"from", e.From}, {"to", e.To}, {"by", e.DoneBy}, {"because", e.Reason}} {
		if fact.value != "" {
			text += " " + fact.name + " " + fact.value
		}
	}
	return text
}
