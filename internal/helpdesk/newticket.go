package helpdesk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
)

// NewTicket is what a ticket is made from (interface 4.2).
type NewTicket struct {
	Subject     string                // 1 to 500 characters
	Description string                // 1 to 10,000 characters; the first message
	Email       string                // of the customer, who is found or made by it
	Name        string                // of a customer who is made; at most 255 characters
	StatusID    parley.StatusID       // empty takes the category's default
	Category    parley.StatusCategory // empty is new; not beside StatusID
	Assignee    Assignee
	TeamID      parley.TeamID   // empty for none given
	Priority    string          // empty for none
	Metadata    json.RawMessage // object; nil for {}
}

// The most characters of what a ticket is made from (interface 8).
const (
	MaxSubject     = 500
	MaxDescription = 10_000
	MaxName        = 255
)

// check names every fault. It knows the rules of interface 4.2 but for the form of e-mail addresses and ids, which is the faces'.
func (in *NewTicket) check() error {
	faults := map[string]string{}
	for _, text := range []struct {
		field, text string
		least, most int
	}{{"subject", in.Subject, 1, MaxSubject}, {"description", in.Description, 1, MaxDescription}, {"customer.name", in.Name, 0, MaxName}} {
		if n := utf8.RuneCountInString(text.text); n < text.least || n > text.most {
			faults[text.field] = fmt.Sprintf("must have %d to %d characters", text.least, text.most)
		}
	}
	if in.Email == "" {
		faults["customer.email"] = "is required"
	}
	if in.StatusID != "" && in.Category != "" {
		faults["statusId"], faults["statusCategory"] = "must not be sent with statusCategory", "must not be sent with statusId"
	}
	if in.Category != "" && !slices.Contains(parley.StatusCategories(), in.Category) {
		faults["statusCategory"] = "is not a category of statuses"
	}
	if in.Priority != "" && !slices.Contains(parley.Priorities(), in.Priority) {
		faults["priority"] = "must be one of: " + strings.Join(parley.Priorities(), ", ")
	}
	return invalidError(faults)
}

// invalidError makes the failure that names what is wrong with each field, or nil when nothing is.
func invalidError(faults map[string]string) error {
	if len(faults) == 0 {
		return nil
	}
	e := parley.NewError(parley.CodeInvalidBody)
	e.Details = faults
	return e
}

// stripNUL takes out NUL, which PostgreSQL cannot store.
func stripNUL(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// ticketDraft is a ticket being made, with all that does not come from the database.
type ticketDraft struct {
	NewTicket
	ticket    parley.Ticket
	messageID parley.MessageID
}

func (in *NewTicket) newDraft(account parley.AccountID, agent parley.AgentID, now time.Time) *ticketDraft {
	o := &ticketDraft{NewTicket: *in, messageID: parley.NewMessageID()}
	o.ticket = parley.Ticket{AccountID: account, AgentID: agent, Subject: in.Subject, Description: in.Description, Metadata: in.Metadata, Channel: parley.TicketAPI,
		ConversationID: parley.ConversationID(parley.NewTimedUUID()), Category: in.Category, TeamID: lowerID(in.TeamID), Priority: in.Priority, CreatedAt: now, UpdatedAt: now, LastMessageAt: &now,
		Customer: parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: account, AgentID: agent, Email: in.Email, Name: in.Name, CreatedAt: now, UpdatedAt: now}}
	if o.ticket.Priority == "" {
		o.ticket.Priority = parley.Priorities()[0]
	}
	if o.ticket.Metadata == nil {
		o.ticket.Metadata = json.RawMessage("{}")
	}
	if o.ticket.Category == "" {
		o.ticket.Category = parley.TicketNew
	}
	return o
}
