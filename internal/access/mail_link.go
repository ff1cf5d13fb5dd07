package access

import (
	"cmp"
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/limits"
	"parley/internal/mail"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// LinkMail mails links. Each mail is a job, so that a crash loses none and a server that is down is tried again. The
// token of a link that is mailed is made when the mail is, so that no job holds one.
type LinkMail struct {
	Sender mail.Sender
	Queue  *jobs.Queue

	requests  limits.Limiter // of links by one address
	receivers limits.Limiter // of links to one person
}

// The kinds of jobs.
const (
	requestLinkJob = "link.request" // finds who has the address that is its key, and makes a link for them
	mailLinkJob    = "link.mail"    // mails the link whose id is its key
)

// How mails are tried: after 15 s, 30 s, one minute and so on up to an hour, for about three days. A link that is not
// valid any more is not mailed.
const (
	mailBackoff  = 15 * time.Second
	mailAttempts = 80
)

// How many links may be asked for. Neither number depends on whether there is such a person.
const (
	linkRequestWindow = time.Hour
	linksPerAddress   = 20
	linksPerEmail     = 3
)

// NewLinkMail returns what mails links. shared may be nil.
func NewLinkMail(sender mail.Sender, queue *jobs.Queue, shared *limits.Shared) *LinkMail {
	return &LinkMail{Sender: sender, Queue: queue,
		requests: limits.Limiter{Name: "link requests", Limit: linksPerAddress, Window: linkRequestWindow,
			Shared: shared},
		receivers: limits.Limiter{Name: "link receivers", Limit: linksPerEmail, Window: linkRequestWindow,
			Shared: shared},
	}
}

// MailHandlers returns the handlers of the jobs that mail links; nil where the server sends no mail.
func (u *Users) MailHandlers() map[string]jobs.Handler {
	if u.Mail == nil {
		return nil
	}
	return map[string]jobs.Handler{requestLinkJob: u.requestedLinkJob, mailLinkJob: u.mailLinkJob}
}

// isMailed reports whether a link is mailed in place of being shown: where a member makes it and there is mail, and
// where the operator wants it.
func (u *Users) isMailed(by string, wanted bool) (bool, error) {
	if u.Mail == nil && wanted {
		return false, parley.Invalid("mail", "needs a server that sends mail (PARLEY_SMTP_URL)")
	}
	return wanted || u.Mail != nil && by != operatorActor, nil
}

// enqueueMail has the link mailed, and takes its address out of what is shown.
func (u *Users) enqueueMail(ctx context.Context, tx *store.DB, link *IssuedLink) error {
	link.URL, link.IsMailed = "", true
	return u.Mail.Queue.Enqueue(ctx, tx.SQL(), jobs.Job{Kind: mailLinkJob, Key: string(link.ID),
		AccountID: link.AccountID, Backoff: mailBackoff, MaxAttempts: mailAttempts})
}

// RequestLink mails a link for signing in to whoever has the address here. It does the same, and takes the same time,
// where nobody has it. Fails with NOT_FOUND where there is no mail, VALIDATION_INVALID_BODY and
// RATE_LIMIT_TOO_MANY_REQUESTS.
func (u *Users) RequestLink(ctx context.Context, email string, c Client) error {
	if u.Mail == nil {
		return parley.NewErrorf(parley.CodeNotFound, "This server sends no mail.")
	}
	email = strings.ToLower(strings.TrimSpace(email))
	if !isPlausibleEmail(email) {
		return parley.Invalid("email", "must be an e-mail address")
	}
	if err := u.Mail.countRequest(email, c, u.Now()); err != nil {
		return err
	}
	return u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return u.Mail.Queue.Enqueue(ctx, tx.SQL(), jobs.Job{Kind: requestLinkJob, Key: email, Backoff: mailBackoff})
	})
}

// countRequest fails with RATE_LIMIT_TOO_MANY_REQUESTS where too many links were asked for.
func (l *LinkMail) countRequest(email string, c Client, now time.Time) error {
	state := l.requests.Take(NetworkOf(c.Address), now)
	if state.OK {
		state = l.receivers.Take(email, now)
	}
	return state.Err()
}

// requestedLinkJob makes the link that somebody has asked for, if the address is that of a member. Earlier links stay
// valid: whoever knows an address must not be able to end what an admin has just sent.
func (u *Users) requestedLinkJob(ctx context.Context, j jobs.Job) error {
	found, err := u.DB.FindUserByEmail(ctx, j.Key)
	if err != nil || found == nil {
		return err
	}
	link := u.newLink(parley.Invite{Kind: parley.LinkReset, UserID: found.User.ID, Email: found.User.Email,
		InvitedBy: UserActor(found.User.ID)}, resetDuration)
	return u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		memberships, err := tx.AccountMemberships(ctx, found.User.ID)
		if err != nil || len(memberships) == 0 {
			return err
		}
		if err := tx.CreateInvite(ctx, &link.Invite); err != nil {
			return err
		}
		if err := u.enqueueMail(ctx, tx, link); err != nil {
			return err
		}
		return u.audit(ctx, tx, found.User.ID, "link.create", string(link.ID), map[string]any{"email": found.User.Email})
	})
}

// mailLinkJob mails a link with a new token. A mail that was sent and not noted as sent is sent again, and the link in
// the second one is the valid one.
func (u *Users) mailLinkJob(ctx context.Context, j jobs.Job) error {
	link, err := u.DB.Invite(ctx, parley.InviteID(j.Key))
	if err != nil {
		return ignoreInvalidLink(err)
	}
	duration := invitationDuration
	if link.Kind == parley.LinkReset {
		duration = resetDuration
	}
	token, now := newToken(), u.Now()
	link.Hash, link.ExpiresAt, link.Mailed = Hash(token), now.Add(duration), true
	err = u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error { return tx.RenewInvite(ctx, link, now) })
	if err != nil {
		return ignoreInvalidLink(err)
	}
	m, err := u.composeLinkMail(ctx, link, u.ConsoleURL+redeemPage+token)
	if err != nil {
		return err
	}
	err = u.Mail.Sender.Send(ctx, m)
	if mail.IsRefused(err) {
		u.logger().Warn("a link could not be mailed", "link", link.ID, "kind", link.Kind, "error", err)
		return nil
	}
	return err
}

// ignoreInvalidLink returns nil where the link was used, withdrawn or has expired: then there is nothing to mail.
func ignoreInvalidLink(err error) error {
	if parley.IsCode(err, parley.CodeInvalidLink) {
		return nil
	}
	return err
}

// composeLinkMail writes the mail that a link is sent in.
func (u *Users) composeLinkMail(ctx context.Context, link *parley.Invite, address string) (m mail.Message, err error) {
	facts := mail.Facts{Email: link.Email, Link: address}
	if link.Kind == parley.LinkReset {
		return mail.Compose(mail.Reset, u.localeOf(ctx, link.UserID), facts)
	}
	account, err := u.DB.Account(ctx, link.AccountID)
	if err != nil {
		return m, err
	}
	facts.Account = account.Name
	locale := ""
	if id, isUser := strings.CutPrefix(link.InvitedBy, UserActor("")); isUser {
		inviter, err := u.DB.UserCredential(ctx, parley.UserID(id))
		if err != nil {
			return m, err
		}
		facts.Inviter, locale = inviter.User.Name, u.localeOf(ctx, inviter.User.ID)
	}
	invited, err := u.DB.FindUserByEmail(ctx, link.Email)
	if err != nil {
		return m, err
	}
	if invited != nil { // their own language, or else that of who invites them
		locale = cmp.Or(u.localeOf(ctx, invited.User.ID), locale)
	}
	return mail.Compose(mail.Invitation, locale, facts)
}

// localeOf returns the language that a person has chosen, or the empty text.
func (u *Users) localeOf(ctx context.Context, user parley.UserID) string {
	p, err := u.DB.Profile(ctx, user)
	if err != nil {
		return ""
	}
	return p.Locale
}
