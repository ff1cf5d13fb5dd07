package access_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/jobs"
	"parley/internal/mail"
)

// outbox keeps the mails that are sent, and can be down.
type outbox struct {
	mu    sync.Mutex
	down  error
	mails []mail.Message
}

func (o *outbox) Send(_ context.Context, m mail.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down != nil {
		return o.down
	}
	o.mails = append(o.mails, m)
	return nil
}

// mailTest is users whose links are mailed.
type mailTest struct {
	*fixture
	outbox *outbox
	runner *jobs.Runner
}

func forEachMailTest(t *testing.T, do func(f *mailTest)) {
	t.Helper()
	forEachStore(t, func(f *fixture) {
		mt := &mailTest{fixture: f, outbox: &outbox{}}
		queue := &jobs.Queue{Now: f.clock.Now}
		f.Users.Mail = access.NewLinkMail(mt.outbox, queue, nil)
		mt.runner = &jobs.Runner{DB: f.DB.SQL(), Queue: queue, Handlers: f.Users.MailHandlers()}
		do(mt)
	})
}

// runDue runs the jobs that are due, and returns the mails that are sent.
func (f *mailTest) runDue() []mail.Message {
	f.Helper()
	f.outbox.mails = nil
	_, err := f.runner.RunDue(f.Context())
	f.Must(err)
	return f.outbox.mails
}

var linkInMail = regexp.MustCompile(`(?m)^http\S+/redeem#(\S{43})$`)

// mailedToken returns the token of the only mail.
func (f *mailTest) mailedToken(mails []mail.Message, to string) string {
	f.Helper()
	if len(mails) != 1 || mails[0].To != to {
		f.Fatalf("%+v", mails)
	}
	found := linkInMail.FindStringSubmatch(mails[0].Text)
	if found == nil {
		f.Fatal(mails[0].Text)
	}
	return found[1]
}

func TestInvitationsOfMembersAreMailed(t *testing.T) {
	forEachMailTest(t, func(f *mailTest) {
		owner := f.setUp()
		account, by := owner.Person.Memberships[0].AccountID, owner.Person.Actor()
		locale := "de"
		_, err := f.Users.UpdateProfile(f.Context(), owner.Person.User.ID, access.ProfileChange{Locale: &locale})
		f.Must(err)
		link, err := f.Users.Invite(f.Context(), access.NewInvitation{AccountID: account, Email: "Bo@shop.example",
			Role: parley.RoleAgent, By: by})
		f.Must(err)
		if !link.IsMailed || link.URL != "" {
			f.Errorf("%+v", link)
		}
		mails := f.runDue()
		token := f.mailedToken(mails, "bo@shop.example")
		if !strings.HasPrefix(mails[0].Subject, "Owner lädt Sie zu Shop ein") {
			f.Errorf("%+v", mails)
		}
		s, err := f.Users.Redeem(f.Context(), access.Redemption{Token: token, Name: "Bo", Password: ownerPassword})
		f.Must(err)
		if s.Person.User.Email != "bo@shop.example" {
			f.Errorf("%+v", s.Person)
		}
		if again := f.runDue(); len(again) > 0 {
			f.Errorf("%+v", again)
		}
	})
}

func TestTheOperatorChoosesMail(t *testing.T) {
	forEachMailTest(t, func(f *mailTest) {
		owner := f.setUp()
		account := owner.Person.Memberships[0].AccountID
		n := access.NewInvitation{AccountID: account, Email: "bo@shop.example", Role: parley.RoleAgent}
		shown, err := f.Users.Invite(f.Context(), n)
		f.Must(err)
		if shown.IsMailed || shown.URL == "" || len(f.runDue()) > 0 {
			f.Errorf("%+v", shown)
		}
		n.Mail = true
		mailed, err := f.Users.Invite(f.Context(), n)
		f.Must(err)
		if !mailed.IsMailed || mailed.URL != "" {
			f.Errorf("%+v", mailed)
		}
		mails := f.runDue()
		f.mailedToken(mails, "bo@shop.example")
		if !strings.HasPrefix(mails[0].Subject, "You are invited to Shop") {
			f.Errorf("%+v", mails)
		}
		f.Users.Mail = nil
		_, err = f.Users.Invite(f.Context(), n)
		f.WantCode(err, parley.CodeInvalidBody, "mail")
	})
}

func TestLinksAreMailedOnRequest(t *testing.T) {
	forEachMailTest(t, func(f *mailTest) {
		owner := f.setUp()
		account := owner.Person.Memberships[0].AccountID
		shown, err := f.Users.ResetLink(f.Context(), access.ResetRequest{
			MemberRef: access.MemberRef{AccountID: account, Email: ownerEmail}})
		f.Must(err)
		f.Must(f.Users.RequestLink(f.Context(), " OWNER@shop.example", browser))
		f.Must(f.Users.RequestLink(f.Context(), "nobody@shop.example", browser))
		f.WantCode(f.Users.RequestLink(f.Context(), "nobody", browser), parley.CodeInvalidBody, "email")
		token := f.mailedToken(f.runDue(), ownerEmail)
		_, err = f.Users.CheckLink(f.Context(), f.token(shown.URL)) // a stranger's request does not end it
		f.Must(err)
		s, err := f.Users.Redeem(f.Context(), access.Redemption{Token: token, Password: "a loud evening"})
		f.Must(err)
		f.wantSignedOut(owner.Token)
		f.wantSignedIn(s.Token)
		_, err = f.Users.CheckLink(f.Context(), f.token(shown.URL))
		f.WantCode(err, parley.CodeInvalidLink)

		f.Users.Mail = nil
		f.WantCode(f.Users.RequestLink(f.Context(), ownerEmail, browser), parley.CodeNotFound)
	})
}

func TestRequestsOfLinksAreLimited(t *testing.T) {
	forEachMailTest(t, func(f *mailTest) {
		f.setUp()
		for _, email := range []string{ownerEmail, "nobody@shop.example"} { // known or not
			for range 3 {
				f.Must(f.Users.RequestLink(f.Context(), email, browser))
			}
			err := f.Users.RequestLink(f.Context(), email, access.Client{Address: "198.51.100.7"})
			f.WantCode(err, parley.CodeTooManyRequests)
			if parley.AsError(err).RetryAfter != time.Hour {
				f.Error(parley.AsError(err).RetryAfter)
			}
		}
		for i := range 14 {
			f.Must(f.Users.RequestLink(f.Context(), string(rune('a'+i))+"@shop.example", browser))
		}
		f.WantCode(f.Users.RequestLink(f.Context(), "z@shop.example", browser), parley.CodeTooManyRequests)
		if mails := f.runDue(); len(mails) != 1 {
			f.Errorf("%d mails", len(mails))
		}
		f.clock.Advance(time.Hour)
		f.Must(f.Users.RequestLink(f.Context(), ownerEmail, browser))
	})
}

func TestMailsWaitForAServerThatIsDown(t *testing.T) {
	forEachMailTest(t, func(f *mailTest) {
		owner := f.setUp()
		account := owner.Person.Memberships[0].AccountID
		invite := func(email string) parley.InviteID {
			link, err := f.Users.Invite(f.Context(), access.NewInvitation{AccountID: account, Email: email,
				Role: parley.RoleAgent, Mail: true})
			f.Must(err)
			return link.ID
		}
		f.outbox.down = errors.New("down")
		withdrawn := invite("withdrawn@shop.example")
		invite("bo@shop.example")
		for range 20 {
			f.runDue()
			f.clock.Advance(time.Hour)
		}
		_, err := f.Users.WithdrawInvitation(f.Context(), access.InvitationRef{AccountID: account, ID: withdrawn,
			By: owner.Person.Actor()})
		f.Must(err)
		f.outbox.down = nil
		token := f.mailedToken(f.runDue(), "bo@shop.example")
		state, err := f.Users.CheckLink(f.Context(), token)
		f.Must(err)
		if left := state.ExpiresAt.Sub(f.clock.Now()); left != 7*24*time.Hour {
			f.Error("valid for", left)
		}
		hash := access.Hash(token)
		n, err := f.DB.SQL().Exec(f.Context(), `update jobs set payload = payload where payload like ?`, "%"+hash+"%")
		f.Must(err)
		if n > 0 {
			f.Error("a job holds the link")
		}
	})
}
