package access_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
)

const (
	ownerEmail    = "owner@shop.example"
	ownerPassword = "a quiet morning"
)

var browser = access.Client{Address: "192.0.2.1", UserAgent: "Test\nBrowser " + strings.Repeat("x", 300)}

// token returns the token of a link.
func (f *fixture) token(link string) string {
	f.Helper()
	_, token, ok := strings.Cut(link, "#")
	if !ok || len(token) < 43 {
		f.Fatalf("no link: %s", link)
	}
	return token
}

// setUp makes the first person.
func (f *fixture) setUp() *access.OpenedSession {
	f.Helper()
	link, err := f.Users.SetUpLink(f.Context(), "")
	f.Must(err)
	s, err := f.Users.Redeem(f.Context(), access.Redemption{Token: f.token(link), Name: "Owner", Email: ownerEmail,
		Company: "Shop", Password: ownerPassword, Client: browser})
	f.Must(err)
	return s
}

func (f *fixture) signIn(email, password string) (*access.OpenedSession, error) {
	return f.Users.SignIn(f.Context(), email, password, browser)
}

func (f *fixture) wantSignedIn(token string) *access.SignedIn {
	f.Helper()
	in, err := f.Users.Sessions.Authenticate(f.Context(), token)
	f.Must(err)
	return in
}

func (f *fixture) wantSignedOut(token string) {
	f.Helper()
	_, err := f.Users.Sessions.Authenticate(f.Context(), token)
	f.WantCode(err, parley.CodeSignInRequired)
}

func (f *fixture) actions(account parley.AccountID) string {
	f.Helper()
	_, _, err := f.DB.VerifyAuditChain(f.Context(), account)
	f.Must(err)
	events, err := f.DB.AuditEvents(f.Context(), account, 0, 100)
	f.Must(err)
	var list []string
	for _, e := range events {
		list = append(list, e.Actor+" "+e.Action)
	}
	return strings.Join(list, "\n")
}

func TestFirstPersonMakesTheAccount(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		first, err := f.Users.SetUpLink(f.Context(), "")
		f.Must(err)
		s := f.setUp()
		if s.Person.User.Email != ownerEmail || len(s.Person.Memberships) != 1 ||
			s.Person.Memberships[0].AccountName != "Shop" || s.Person.Memberships[0].Role != parley.RoleOwner {
			f.Errorf("%+v", s.Person)
		}
		if ua := s.Person.Session.UserAgent; strings.Contains(ua, "\n") || len(ua) != 200 {
			f.Errorf("%q", ua)
		}
		_, err = f.Users.Redeem(f.Context(), access.Redemption{Token: f.token(first), Name: "Eve", Email: "eve@x.example",
			Company: "Eve", Password: ownerPassword})
		f.WantCode(err, parley.CodeInvalidLink)
		again, err := f.Users.SetUpLink(f.Context(), "")
		f.Must(err)
		needed, err := f.Users.NeedsSetup(f.Context())
		f.Must(err)
		if again != "" || needed {
			f.Error("a link for the first person, though somebody can sign in:", again)
		}
		m, err := s.Person.Member("")
		f.Must(err)
		actor := access.UserActor(s.Person.User.ID)
		if got, want := f.actions(m.Account), actor+" account.create\n"+actor+" member.add\n"+actor+
			" session.create"; got != want {
			f.Errorf("%s", got)
		}
	})
}

func TestFirstPersonTakesTheOnlyAccount(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		known := f.addMember(a.ID, "owner", parley.RoleAgent) // owner@example.org
		link, err := f.Users.SetUpLink(f.Context(), strings.Repeat("chosen-by-us", 4))
		f.Must(err)
		token := f.token(link)
		state, err := f.Users.CheckLink(f.Context(), token)
		f.Must(err)
		if state.NeedsCompany || state.AccountName != "Acme" || state.Kind != parley.LinkSetup {
			f.Errorf("%+v", state)
		}
		_, err = f.Users.Redeem(f.Context(), access.Redemption{Token: token, Email: "x", Password: "short"})
		f.WantCode(err, parley.CodeInvalidBody, "email", "name", "password")
		s, err := f.Users.Redeem(f.Context(), access.Redemption{Token: token, Name: "Owner", Email: "Owner@example.org",
			Password: ownerPassword})
		f.Must(err)
		if s.Person.User.ID != known || s.Person.Memberships[0].Role != parley.RoleOwner {
			f.Errorf("%+v", s.Person)
		}
	})
}

// TestLinkForTheFirstPersonWorksOnce has several people use it at once, and checks that it expires.
func TestLinkForTheFirstPersonWorksOnce(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		expired, err := f.Users.SetUpLink(f.Context(), "")
		f.Must(err)
		f.clock.Advance(24 * time.Hour)
		use := func(link, email string) error {
			_, err := f.Users.Redeem(f.Context(), access.Redemption{Token: f.token(link), Name: "Owner", Email: email,
				Company: "Shop", Password: ownerPassword})
			return err
		}
		f.WantCode(use(expired, ownerEmail), parley.CodeInvalidLink)
		link, err := f.Users.SetUpLink(f.Context(), "")
		f.Must(err)
		var all sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			all.Go(func() { errs[i] = use(link, string(rune('a'+i))+"@x.example") })
		}
		all.Wait()
		succeeded := 0
		for _, err := range errs {
			if err == nil {
				succeeded++
			} else {
				f.WantCode(err, parley.CodeInvalidLink)
			}
		}
		accounts, err := f.List(f.Context())
		f.Must(err)
		if succeeded != 1 || len(accounts) != 1 {
			f.Errorf("%d people, %d accounts", succeeded, len(accounts))
		}
	})
}

func TestSignInWithAPassword(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		first := f.setUp()
		s, err := f.signIn(" OWNER@shop.example", ownerPassword)
		f.Must(err)
		if s.Token == first.Token || len(s.Token) != 43 {
			f.Error("token:", s.Token)
		}
		f.wantSignedIn(first.Token)
		if in := f.wantSignedIn(s.Token); in.User.ID != first.Person.User.ID {
			f.Errorf("%+v", in)
		}
		for _, token := range []string{"", "x", s.Token + "x", strings.Repeat("x", 43), strings.Repeat("x", 99_999)} {
			f.wantSignedOut(token)
		}
		_, err = f.signIn(ownerEmail, ownerPassword+"!")
		f.WantCode(err, parley.CodeSignInFailed)
		before := f.Users.Passwords.Computations()
		_, err = f.signIn("nobody@shop.example", ownerPassword)
		f.WantCode(err, parley.CodeSignInFailed)
		if n := f.Users.Passwords.Computations() - before; n != 1 {
			f.Errorf("an unknown address costs %d computations", n)
		}
		m, err := s.Person.Member("")
		f.Must(err)
		f.addMember(m.Account, "bo", parley.RoleAgent) // without a password
		_, err = f.signIn("bo@example.org", "")
		f.WantCode(err, parley.CodeSignInFailed)
	})
}

func TestSignInRefusesTooManyGuesses(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.setUp()
		for range 5 {
			_, err := f.signIn(ownerEmail, "wrong")
			f.WantCode(err, parley.CodeSignInFailed)
		}
		before := f.Users.Passwords.Computations()
		_, err := f.signIn(ownerEmail, ownerPassword)
		f.WantCode(err, parley.CodeTooManyRequests)
		if parley.AsError(err).RetryAfter != time.Minute || f.Users.Passwords.Computations() != before {
			f.Error(parley.AsError(err).RetryAfter)
		}
		f.clock.Advance(time.Minute)
		_, err = f.signIn(ownerEmail, ownerPassword)
		f.Must(err)
	})
}

// Wrong guesses are in the audit chain of whose sign-in it was, as of when and where they were made. Those at the
// sign-in of nobody are not.
func TestWrongGuessesAreRecorded(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.setUp()
		m, err := s.Person.Member("")
		f.Must(err)
		before, err := f.DB.LastAuditEvent(f.Context(), m.Account)
		f.Must(err)
		origin, at := parley.Origin{RequestID: "req-1", Address: browser.Address}, f.clock.Now().Truncate(time.Millisecond)
		ctx := parley.WithOrigin(f.Context(), origin)
		for _, email := range []string{ownerEmail, "nobody@shop.example"} {
			_, err = f.Users.SignIn(ctx, email, "wrong", browser)
			f.WantCode(err, parley.CodeSignInFailed)
			_, err = f.Users.SignInWithCode(ctx, email, "aaaa-aaaa-aaaa-aaaa", browser)
			f.WantCode(err, parley.CodeSignInFailed)
		}
		_, err = f.Users.StepUp(ctx, s.Person, "wrong", browser)
		f.WantCode(err, parley.CodeSignInFailed)
		f.clock.Advance(time.Minute)
		for range 2 { // the second time there is nothing left to record
			f.Must(f.Users.RecordRefusals(f.Context()))
		}
		_, _, err = f.DB.VerifyAuditChain(f.Context(), m.Account)
		f.Must(err)
		acts, err := f.DB.AuditEvents(f.Context(), m.Account, before, 10)
		f.Must(err)
		var methods []string
		for _, a := range acts {
			methods = append(methods, a.Details)
			if a.Actor != "unknown" || a.Action != "session.refuse" || a.Subject != string(s.Person.User.ID) ||
				a.Origin != origin || !a.At.Equal(at) {
				f.Errorf("recorded: %+v", a)
			}
		}
		if want := []string{`{"method":"password"}`, `{"method":"recovery-code"}`, `{"method":"password"}`}; !slices.Equal(
			methods, want) {
			f.Errorf("recorded: %v", methods)
		}
	})
}

func TestWebSessionsEnd(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.setUp()
		open := func() string {
			f.Helper()
			s, err := f.signIn(ownerEmail, ownerPassword)
			f.Must(err)
			return s.Token
		}
		unused := open()
		f.clock.Advance(access.DefaultSessionIdle)
		f.wantSignedOut(unused)

		used, begin := open(), f.clock.Now()
		for f.clock.Now().Before(begin.Add(access.DefaultSessionLifetime - 11*time.Hour)) {
			f.clock.Advance(11 * time.Hour)
			if f.clock.Now().Before(begin.Add(access.DefaultSessionLifetime)) {
				f.wantSignedIn(used)
			}
		}
		f.clock.Advance(begin.Add(access.DefaultSessionLifetime).Sub(f.clock.Now()))
		f.wantSignedOut(used)
		f.Must(f.Users.Sessions.Sweep(f.Context()))
		f.Users.Sessions.ClearCache()
		f.wantSignedOut(used)
	})
}

func TestRevokedSessionsEndAtOnce(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.setUp()
		other, err := f.signIn(ownerEmail, ownerPassword)
		f.Must(err)
		otherServer := &access.WebSessions{DB: f.DB, Now: f.clock.Now} // of another server
		_, err = otherServer.Authenticate(f.Context(), other.Token)
		f.Must(err)
		list, err := f.Users.Sessions.List(f.Context(), s.Person.User.ID)
		f.Must(err)
		if len(list) != 2 {
			f.Errorf("%d sessions", len(list))
		}
		f.WantCode(f.Users.EndSession(f.Context(), s.Person, "none"), parley.CodeNotFound)
		f.Must(f.Users.EndSession(f.Context(), s.Person, other.Person.Session.ID))
		f.wantSignedOut(other.Token)
		f.wantSignedIn(s.Token)
		f.clock.Advance(500 * time.Millisecond)
		_, err = otherServer.Authenticate(f.Context(), other.Token)
		f.WantCode(err, parley.CodeSignInRequired)
		f.WantCode(f.Users.EndSession(f.Context(), s.Person, other.Person.Session.ID), parley.CodeNotFound)
		f.Must(f.Users.SignOut(f.Context(), s.Person))
		f.wantSignedOut(s.Token)
	})
}

func TestMembersLoseAccessWithTheirMembership(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.setUp()
		m, err := s.Person.Member("")
		f.Must(err)
		other, _ := f.createAccount("")
		_, err = s.Person.Member(other.ID)
		f.WantCode(err, parley.CodeAccountNotFound)
		f.addMember(m.Account, "bo", parley.RoleOwner)
		f.clock.Advance(access.DefaultSessionIdle - time.Second)
		f.wantSignedIn(s.Token)
		_, err = f.RemoveMember(f.Context(), access.MemberRef{AccountID: m.Account, UserID: m.User}, noCleanup)
		f.Must(err)
		f.clock.Advance(500 * time.Millisecond)
		_, err = f.wantSignedIn(s.Token).Member(m.Account)
		f.WantCode(err, parley.CodeAccountNotFound)
	})
}

func TestChangingThePasswordEndsOtherSessions(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.setUp()
		other, err := f.signIn(ownerEmail, ownerPassword)
		f.Must(err)
		link, err := f.Users.ResetLink(f.Context(), access.ResetRequest{MemberRef: access.MemberRef{
			AccountID: s.Person.Memberships[0].AccountID, Email: ownerEmail}})
		f.Must(err)
		const wanted = "a loud evening"
		_, err = f.Users.ChangePassword(f.Context(), s.Person, "wrong", wanted, browser)
		f.WantCode(err, parley.CodeSignInFailed)
		_, err = f.Users.ChangePassword(f.Context(), s.Person, ownerPassword, ownerEmail, browser)
		f.WantCode(err, parley.CodeInvalidBody, "password")
		changed, err := f.Users.ChangePassword(f.Context(), s.Person, ownerPassword, wanted, browser)
		f.Must(err)
		f.wantSignedOut(s.Token)
		f.wantSignedOut(other.Token)
		if in := f.wantSignedIn(changed.Token); in.Session.ID != s.Person.Session.ID {
			f.Error("another session:", in.Session.ID)
		}
		_, err = f.Users.CheckLink(f.Context(), f.token(link.URL))
		f.WantCode(err, parley.CodeInvalidLink)
		_, err = f.signIn(ownerEmail, ownerPassword)
		f.WantCode(err, parley.CodeSignInFailed)
		_, err = f.signIn(ownerEmail, wanted)
		f.Must(err)
	})
}

func TestStepUpRenewsTheToken(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.setUp()
		member := func(in *access.SignedIn) parley.Member {
			m, err := in.Member("")
			f.Must(err)
			return m
		}
		f.Must(access.CheckStepUp(member(s.Person), f.clock.Now()))
		f.clock.Advance(10*time.Minute + time.Second)
		f.WantCode(access.CheckStepUp(member(s.Person), f.clock.Now()), parley.CodeStepUpRequired)
		_, err := f.Users.StepUp(f.Context(), s.Person, "wrong", browser)
		f.WantCode(err, parley.CodeSignInFailed)
		again, err := f.Users.StepUp(f.Context(), s.Person, ownerPassword, browser)
		f.Must(err)
		f.Must(access.CheckStepUp(member(again.Person), f.clock.Now()))
		f.wantSignedOut(s.Token)
		f.wantSignedIn(again.Token)
		if got := f.actions(member(again.Person).Account); !strings.HasSuffix(got, " session.step_up") {
			f.Error(got)
		}
		_, err = f.Users.StepUp(f.Context(), s.Person, ownerPassword, browser) // with the old token
		f.WantCode(err, parley.CodeSignInRequired)
	})
}

func TestRecoveryCodesWorkOnce(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.setUp()
		codes, err := f.Users.NewRecoveryCodes(f.Context(), s.Person)
		f.Must(err)
		if len(codes) != 10 || len(codes[0]) != 19 {
			f.Error(codes)
		}
		use := func(email, code string) error {
			_, err := f.Users.SignInWithCode(f.Context(), email, code, browser)
			return err
		}
		f.Must(use(ownerEmail, strings.ToUpper(strings.ReplaceAll(codes[3], "-", " "))))
		f.WantCode(use(ownerEmail, codes[3]), parley.CodeSignInFailed)
		f.WantCode(use("nobody@shop.example", codes[4]), parley.CodeSignInFailed)
		f.WantCode(use(ownerEmail, "aaaa-aaaa-aaaa-aaaa"), parley.CodeSignInFailed)
		n, err := f.DB.CountRecoveryCodes(f.Context(), s.Person.User.ID)
		f.Must(err)
		if n != 9 {
			f.Errorf("%d codes are left", n)
		}
		_, err = f.Users.NewRecoveryCodes(f.Context(), s.Person)
		f.Must(err)
		f.WantCode(use(ownerEmail, codes[4]), parley.CodeSignInFailed)
		f.clock.Advance(11 * time.Minute)
		_, err = f.Users.NewRecoveryCodes(f.Context(), s.Person)
		f.WantCode(err, parley.CodeStepUpRequired)
	})
}

// With an unknown address a recovery code costs what a wrong code does: a transaction, which waits for the only writer.
func TestUnknownAddressesWithCodesCostTheSame(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.setUp()
		if f.DB.SQL().Dialect() == sqldb.Postgres {
			return // has many writers
		}
		begun, end := make(chan struct{}), make(chan struct{})
		var writer sync.WaitGroup
		writer.Go(func() {
			f.Must(f.DB.Transact(f.Context(), sqldb.Interactive, func(*store.DB) error {
				close(begun)
				<-end
				return nil
			}))
		})
		check.Receive(f, "a busy writer", begun)
		for _, email := range []string{ownerEmail, "nobody@shop.example"} {
			ctx, cancel := context.WithTimeout(f.Context(), 50*time.Millisecond)
			_, err := f.Users.SignInWithCode(ctx, email, "aaaa-aaaa-aaaa-aaaa", browser)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				f.Errorf("%s: %v", email, err)
			}
		}
		close(end)
		writer.Wait()
	})
}
