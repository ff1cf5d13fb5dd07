package notice

import (
	"context"
	"fmt"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/jobs"
	"parley/internal/mail"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Preferences are the names under which people say which mails they get. Who has said nothing gets them.
var Preferences = map[mail.Kind]string{mail.CustomerWaits: "mailWaiting", mail.TicketAssigned: "mailAssigned"}

// mePage is where people choose which mails they get, below the console.
const mePage = "/me"

// runWaitsJob has those mailed who could answer a customer, if nobody does by now.
func (s *Service) runWaitsJob(ctx context.Context, j jobs.Job) error {
	t, err := jobs.DecodePayload[thread](j)
	if err != nil {
		return err
	}
	c, err := s.DB.Conversation(ctx, t.ref(j.AccountID))
	if err != nil || !isWaiting(c) {
		return ignoreGone(err)
	}
	users, err := s.answerers(ctx, c)
	if err != nil {
		return ignoreGone(err)
	}
	return s.enqueueMembers(ctx, j.AccountID, t, mail.CustomerWaits, users...)
}

// isWaiting reports whether nobody answers in a conversation that was handed to people.
func isWaiting(c *parley.Conversation) bool {
	return c.Status == parley.ConversationTakenOver && c.ClaimedBy == ""
}

// answerers returns who could answer: the member who has the ticket of the conversation, or else all whose role lets
// them.
func (s *Service) answerers(ctx context.Context, c *parley.Conversation) (users []parley.UserID, err error) {
	ticket, err := s.DB.TicketOfConversation(ctx, c.Ref())
	if err != nil && !parley.IsCode(err, parley.CodeTicketNotFound) {
		return nil, err
	}
	if err == nil && ticket.AssigneeID != "" {
		return []parley.UserID{ticket.AssigneeID}, nil
	}
	members, err := s.DB.Members(ctx, c.AccountID)
	for _, m := range members {
		if access.May(m.Role, parley.PermissionConversationsWrite) {
			users = append(users, m.User.ID)
		}
	}
	return users, err
}

// runTicketJob has the member mailed to whom somebody else has assigned a ticket.
func (s *Service) runTicketJob(ctx context.Context, j jobs.Job) error {
	t, err := jobs.DecodePayload[thread](j)
	if err != nil {
		return err
	}
	ticket, err := s.DB.TicketOfConversation(ctx, t.ref(j.AccountID))
	if err != nil {
		return ignoreGone(err)
	}
	if to := ticket.AssigneeID; to == "" || string(to) == t.DoneBy || !ticket.Category.IsOpen() {
		return nil
	}
	if t.DoneBy == "" { // it was opened
		if hasTaken, err := s.hasTaken(ctx, ticket); err != nil || hasTaken {
			return err
		}
	}
	return s.enqueueMembers(ctx, j.AccountID, t, mail.TicketAssigned, ticket.AssigneeID)
}

// hasTaken reports whether a ticket is its assignee's because they have taken the conversation over.
func (s *Service) hasTaken(ctx context.Context, t *parley.Ticket) (bool, error) {
	page, err := s.DB.TicketMessages(ctx, t.ConversationRef(), store.TicketMessagesRequest{Descending: true,
		PageRequest: parley.PageRequest{Limit: newestEvents}, Types: []string{store.MessageTypeEvent}, SkipsTotal: true})
	for _, m := range page.Items {
		if m.Event != nil && (m.Event.Kind == "escalated" || m.Event.Kind == "assign") {
			return m.Event.DoneBy == string(t.AssigneeID), err
		}
	}
	return false, err
}

const newestEvents = 10 // of a ticket that are looked at

// enqueueMembers writes down a mail for each of the members.
func (s *Service) enqueueMembers(ctx context.Context, account parley.AccountID, t thread, kind mail.Kind,
	users ...parley.UserID) error {
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		for _, user := range users {
			t.Kind, t.User = kind, user
			key := strings.Join([]string{string(kind), string(user), string(t.Conversation)}, "/")
			if err := s.Queue.Enqueue(ctx, tx.SQL(), newJob(memberJob, key, account, t)); err != nil {
				return err
			}
		}
		return nil
	})
}

// runMemberJob mails a member, unless it is not true any more, or they do not want it.
func (s *Service) runMemberJob(ctx context.Context, j jobs.Job) error {
	t, err := jobs.DecodePayload[thread](j)
	if err != nil {
		return err
	}
	profile, err := s.recipient(ctx, j.AccountID, t)
	if err != nil || profile == nil {
		return ignoreGone(err)
	}
	facts, err := s.memberFacts(ctx, j.AccountID, t)
	if err != nil || facts == nil {
		return ignoreGone(err)
	}
	facts.Email = profile.Email
	m, err := mail.ComposeNotice(t.Kind, profile.Locale, *facts, s.ConsoleURL+mePage)
	if err != nil {
		return err
	}
	notice := store.MailNotice{Conversation: t.ref(j.AccountID), Recipient: string(t.User), Kind: string(t.Kind)}
	return s.sendOnce(ctx, j, notice, m)
}

// recipient returns the member who is to get a mail, nil where they do not want it.
func (s *Service) recipient(ctx context.Context, account parley.AccountID, t thread) (*parley.Profile, error) {
	m, err := s.DB.Member(ctx, account, t.User, parley.CodeMemberNotFound)
	if err != nil || !access.May(m.Role, parley.PermissionConversationsWrite) {
		return nil, err
	}
	profile, err := s.DB.Profile(ctx, t.User)
	if err != nil {
		return nil, err
	}
	if wanted, isSet := profile.Notifications[Preferences[t.Kind]]; isSet && !wanted {
		return nil, nil
	}
	return profile, nil
}

// memberFacts returns what a member is told, nil where it is not true any more.
func (s *Service) memberFacts(ctx context.Context, account parley.AccountID, t thread) (*mail.Facts, error) {
	ref := t.ref(account)
	agent, isWithheld, err := s.findAgent(ctx, ref.AgentRef)
	if err != nil {
		return nil, err
	}
	c, err := s.DB.Conversation(ctx, ref)
	if err != nil {
		return nil, err
	}
	facts := &mail.Facts{Agent: agent.Name, Link: s.ConsoleURL + "/inbox/" + string(c.ID), Quote: c.Title}
	switch {
	case t.Kind == mail.TicketAssigned:
		ticket, err := s.DB.TicketOfConversation(ctx, ref)
		if err != nil || ticket.AssigneeID != t.User || !ticket.Category.IsOpen() {
			return nil, err
		}
		facts.Link = fmt.Sprintf("%s/tickets/%s/%d", s.ConsoleURL, agent.ID, ticket.Number)
		facts.Quote = ticket.Subject
	case !isWaiting(c):
		return nil, nil
	}
	if isWithheld {
		facts.Quote = ""
	}
	return facts, nil
}

// findAgent returns an agent, and whether nothing that was written to it may be mailed.
func (s *Service) findAgent(ctx context.Context, ref parley.AgentRef) (*parley.Agent, bool, error) {
	agent, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return nil, false, err
	}
	account, err := s.DB.Account(ctx, ref.Account)
	if err != nil {
		return nil, false, err
	}
	return agent, agent.Redact || account.HIPAA, nil
}

// sendOnce sends a mail about a conversation. Where its recipient has got another one just now, the job comes back
// later, and looks then whether there is still something to tell.
func (s *Service) sendOnce(ctx context.Context, j jobs.Job, n store.MailNotice, m mail.Message) error {
	next, err := s.DB.ClaimMailNotice(ctx, n, s.Now(), quietTime)
	if err != nil {
		return ignoreGone(err)
	}
	if !next.IsZero() {
		return s.Queue.Enqueue(ctx, s.DB.SQL(), later(newJob(j.Kind, j.Key, j.AccountID, j.Payload), next))
	}
	if err := s.send(ctx, m, mail.Kind(n.Kind)); err != nil {
		return err
	}
	return s.DB.NoteMailSent(ctx, n, s.Now())
}
