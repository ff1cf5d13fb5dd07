package notice

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"parley"
	"parley/internal/jobs"
	"parley/internal/mail"
	"parley/internal/store"
)

// customer is the recipient of mails to the customer of a conversation.
const customer = "customer"

// maxReplies is how many answers one mail holds.
const maxReplies = 20

// runReplyJob mails a customer what members have answered since the customer has written last and was seen last, unless
// they have left no address. Where the first of it is not old enough, it comes back when it is.
func (s *Service) runReplyJob(ctx context.Context, j jobs.Job) error {
	t, err := jobs.DecodePayload[thread](j)
	if err != nil {
		return err
	}
	ref := t.ref(j.AccountID)
	c, err := s.DB.Conversation(ctx, ref)
	if err != nil || c.VisitorID == "" { // whoever has no browser here is told by the program that they use
		return ignoreGone(err)
	}
	replies, err := s.unreadReplies(ctx, c)
	if err != nil || len(replies) == 0 {
		return ignoreGone(err)
	}
	if due := replies[0].CreatedAt.Add(replyDelay); s.Now().Before(due) {
		return s.Queue.Enqueue(ctx, s.DB.SQL(), later(newJob(j.Kind, j.Key, j.AccountID, t), due))
	}
	email, err := s.customerEmail(ctx, ref)
	if err != nil || email == "" {
		return ignoreGone(err)
	}
	agent, isWithheld, err := s.findAgent(ctx, ref.AgentRef)
	if err != nil {
		return ignoreGone(err)
	}
	facts := mail.Facts{Agent: agent.Name, Email: email, Link: s.customerPage(agent, c), Quote: joinTexts(replies)}
	if isWithheld {
		facts.Quote = ""
	}
	m, err := mail.ComposeNotice(mail.CustomerReply, c.EmbedLocale, facts, "")
	if err != nil {
		return err
	}
	return s.sendOnce(ctx, j,
		store.MailNotice{Conversation: ref, Recipient: customer, Kind: string(mail.CustomerReply)}, m)
}

// unreadReplies returns the newest of what members have written since the customer has, and since the customer was
// seen.
func (s *Service) unreadReplies(ctx context.Context, c *parley.Conversation) ([]parley.Message, error) {
	last, err := s.DB.LastUserMessage(ctx, c.Ref())
	if err != nil {
		return nil, err
	}
	after := int64(0)
	if last != nil {
		after = last.Seq
	}
	messages, err := s.DB.RecentMessages(ctx, c.Ref(), 0, maxReplies)
	if err != nil {
		return nil, err
	}
	v, err := s.DB.FindVisitor(ctx, c.AgentRef(), c.VisitorID)
	return slices.DeleteFunc(messages, func(m parley.Message) bool {
		return m.Author != parley.AuthorHuman || m.Seq <= after || v != nil && v.LastSeenAt.After(m.CreatedAt)
	}), err
}

// customerEmail returns the address of the customer of a conversation, empty if it is not known.
func (s *Service) customerEmail(ctx context.Context, ref parley.ConversationRef) (string, error) {
	ticket, err := s.DB.TicketOfConversation(ctx, ref)
	switch {
	case err == nil && ticket.Customer.Email != "":
		return ticket.Customer.Email, nil
	case err != nil && !parley.IsCode(err, parley.CodeTicketNotFound):
		return "", err
	}
	lead, err := s.DB.LeadOfConversation(ctx, ref)
	if err != nil || lead == nil {
		return "", err
	}
	return lead.Email, nil
}

// customerPage returns where the customer goes on. The page that a browser has named is that only where the agent lists
// its host: otherwise strangers could have mails sent with links of their own.
func (s *Service) customerPage(agent *parley.Agent, c *parley.Conversation) string {
	u, err := url.Parse(c.EmbedOrigin)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.User == nil &&
		slices.ContainsFunc(agent.AllowedDomains, func(d string) bool { return strings.EqualFold(d, u.Hostname()) }) {
		return u.String()
	}
	return s.PagesURL + "/" + string(agent.ID) + "/help"
}

// joinTexts returns the texts of messages below each other, or the names of what was sent without one.
func joinTexts(messages []parley.Message) string {
	texts := make([]string, 0, len(messages))
	for i := range messages {
		m := &messages[i]
		if text := cmp.Or(strings.TrimSpace(m.Text()), parley.FileNames(m.Files())); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}
