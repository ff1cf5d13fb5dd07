package access_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/testkit/oidcprovider"
	"parley/internal/vault"
)

// ownProviderTest is an account with a provider of its own, on a server that has none.
type ownProviderTest struct {
	*oidcTest
	records map[string]string // of TXT, by name
}

func forEachOwnProviderTest(t *testing.T, do func(f *ownProviderTest)) {
	t.Helper()
	forEachOIDCTest(t, func(ot *oidcTest) {
		f := &ownProviderTest{ot, map[string]string{}}
		ot.Users.OIDC = nil
		safe, err := vault.New("a key of the tests")
		ot.Must(err)
		ot.Providers = &access.SSOProviders{DB: ot.Accounts.DB, Vault: safe, Now: ot.clock.Now, Callback: oidcCallback,
			HTTP: &http.Client{Transport: &http.Transport{}}, LookUpTXT: func(_ context.Context, name string) ([]string, error) {
				return []string{"v=spf1 -all", f.records[name]}, nil
			}}
		ot.addOwner()
		do(f)
	})
}

// set sets the provider, and proves a domain.
func (f *ownProviderTest) set(domain string, joinRole parley.Role) {
	f.Helper()
	secret := oidcprovider.ClientSecret
	f.Must(f.SetSSOProvider(f.Context(), f.account, access.SSOSettings{Issuer: f.provider.URL,
		ClientID: oidcprovider.ClientID, Secret: &secret, Name: "Shop ID", JoinRole: joinRole}))
	f.Must(f.AddSSODomain(f.Context(), f.account, domain))
	f.publish(f.account)
	f.Must(f.ProveSSODomain(f.Context(), f.account, domain))
}

// publish has the records of all domains of an account found.
func (f *ownProviderTest) publish(account parley.AccountID) {
	f.Helper()
	list, err := f.Accounts.DB.SSODomains(f.Context(), account)
	f.Must(err)
	for i := range list {
		name, text := access.DomainRecord(&list[i])
		f.records[name] = text
	}
}

// try has the owner come back from the provider.
func (f *ownProviderTest) try() error { return f.tryAs(ownerEmail) }

func (f *ownProviderTest) tryAs(email string) error {
	f.Helper()
	owner, err := f.Users.SignIn(f.Context(), email, ownerPassword, browser)
	f.Must(err)
	o, err := f.Users.AccountOIDC(f.Context(), f.account, access.OIDCTry)
	f.Must(err)
	start, err := o.StartTrying(f.Context(), owner.Person)
	f.Must(err)
	cookie, query := f.visitOwn(start)
	_, err = f.Users.FinishAccountOIDC(f.Context(), f.account, query, cookie, browser)
	return err
}

// visitOwn goes to the provider, which sends people back to the address of the account alone.
func (f *ownProviderTest) visitOwn(start *access.OIDCStart) (cookie string, query url.Values) {
	f.Helper()
	return f.visitAndReturn(start, oidcCallback+"/"+string(f.account))
}

func (f *ownProviderTest) signInOwn() (*access.OpenedSession, error) {
	f.Helper()
	o, err := f.Users.AccountOIDC(f.Context(), f.account, access.OIDCSignIn)
	if err != nil {
		return nil, err
	}
	start, err := o.Start(f.Context())
	f.Must(err)
	cookie, query := f.visitOwn(start)
	return f.Users.FinishAccountOIDC(f.Context(), f.account, query, cookie, browser)
}

func (f *ownProviderTest) ownerDomain() string {
	return ownerEmail[strings.IndexByte(ownerEmail, '@')+1:]
}

// setAndTry sets a provider that counts, whose people are those of the owner's domain.
func (f *ownProviderTest) setAndTry(joinRole parley.Role) {
	f.Helper()
	f.set(f.ownerDomain(), joinRole)
	f.provider.SignInAs("owner", ownerEmail, true, "Owner")
	f.Must(f.try())
}

func TestProviderOfAccountCountsOnceAnOwnerHasTriedIt(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.set(f.ownerDomain(), "")
		fault, err := f.TrySSOProvider(f.Context(), f.account)
		f.Must(err)
		if fault != "" {
			f.Error(fault)
		}
		_, err = f.signInOwn()
		f.wantFailure("before it was tried", err, access.OIDCUnavailable)
		f.provider.SignInAs("kim", "kim@"+f.ownerDomain(), true, "Kim")
		f.wantFailure("with another address than the owner's", f.try(), access.OIDCAddress)
		f.provider.SignInAs("owner", ownerEmail, true, "Owner")
		f.Must(f.try())
		opened, err := f.signInOwn()
		f.Must(err)
		if s := opened.Person.Session; s.Method != parley.AccountSSO(f.account) || s.AccountID != f.account {
			f.Errorf("%+v", s)
		}
		account, name, err := f.Users.FindOIDCOfEmail(f.Context(), "anybody@"+strings.ToUpper(f.ownerDomain()))
		if err != nil || account != f.account || name != "Shop ID" {
			f.Error(account, name, err)
		}
		secret := oidcprovider.ClientSecret
		f.Must(f.SetSSOProvider(f.Context(), f.account, access.SSOSettings{Issuer: f.provider.URL, ClientID: "another",
			Secret: &secret}))
		_, err = f.signInOwn()
		f.wantFailure("after a change of the client", err, access.OIDCUnavailable)
	})
}

func TestProviderOfAccountSpeaksForItsDomainsAlone(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.setAndTry(parley.RoleAgent)
		f.provider.SignInAs("jo", "jo@elsewhere.example", true, "Jo")
		_, err := f.signInOwn()
		f.wantFailure("of another domain", err, access.OIDCDomain)
		f.provider.SignInAs("jo", "jo@"+f.ownerDomain(), false, "Jo")
		_, err = f.signInOwn()
		f.wantFailure("with an address that is not verified", err, access.OIDCUnverified)
		f.provider.SignInAs("jo", "jo@"+f.ownerDomain(), true, "Jo")
		opened, err := f.signInOwn()
		f.Must(err)
		if m := opened.Person.Memberships; len(m) != 1 || m[0].AccountID != f.account || m[0].Role != parley.RoleAgent {
			f.Errorf("%+v", m)
		}
	})
}

func TestProviderOfAccountLeadsIntoNoOtherAccount(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.setAndTry(parley.RoleAgent)
		other, _ := f.createAccount("")
		email := "kim@" + f.ownerDomain()
		_, err := f.AddMember(f.Context(), access.NewMember{AccountID: other.ID, Email: email, Name: "Kim"})
		f.Must(err)
		f.provider.SignInAs("kim", email, true, "Kim")
		_, err = f.signInOwn()
		f.wantFailure("of another account", err, access.OIDCForeign)
	})
}

func TestDomainIsProvedByOneAccount(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		other, _ := f.createAccount("")
		for _, account := range []parley.AccountID{f.account, other.ID} {
			f.Must(f.AddSSODomain(f.Context(), account, " Shop.Example "))
		}
		want := func(name string, err error) {
			f.Helper()
			if !parley.IsCode(err, parley.CodeInvalidBody) {
				f.Error(name, err)
			}
		}
		want("no record", f.ProveSSODomain(f.Context(), f.account, "shop.example"))
		f.publish(f.account)
		f.Must(f.ProveSSODomain(f.Context(), f.account, "shop.example"))
		f.publish(other.ID)
		want("proved by another", f.ProveSSODomain(f.Context(), other.ID, "shop.example"))
		for _, name := range []string{"", "shop", "127.0.0.1", "shop.example/x", "*.shop.example", "*"} {
			want(name, f.AddSSODomain(f.Context(), f.account, name))
		}
	})
}

// The operator's word proves a domain as a record does, whether the account has named it or not.
func TestOperatorConfirmsADomain(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		other, _ := f.createAccount("")
		f.Must(f.AddSSODomain(f.Context(), f.account, "shop.test"))
		for _, name := range []string{"shop.test", " Wares.Test "} {
			f.Must(f.ConfirmSSODomain(f.Context(), f.account, name))
		}
		list, err := f.Accounts.DB.SSODomains(f.Context(), f.account)
		f.Must(err)
		if len(list) != 2 || list[0].Domain != "shop.test" || list[1].Domain != "wares.test" {
			f.Fatalf("%+v", list)
		}
		for _, d := range list {
			if d.ProvedAt == nil || !d.ByOperator {
				f.Errorf("%+v", d)
			}
		}
		f.WantCode(f.ConfirmSSODomain(f.Context(), other.ID, "shop.test"), parley.CodeInvalidBody, "domain")
		f.WantCode(f.ConfirmSSODomain(f.Context(), f.account, "127.0.0.1"), parley.CodeInvalidBody, "domain")
		f.WantCode(f.ConfirmSSODomain(f.Context(), "none", "new.test"), parley.CodeAccountNotFound)
		if got := f.actions(f.account); strings.Count(got, "operator sign-in-domain.confirm") != 2 {
			f.Error(got)
		}
	})
}

func TestProviderStaysWhereItIsTheOnlyWayIn(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.setAndTry("")
		isOn := true
		m, err := f.Accounts.DB.MemberByEmail(f.Context(), f.account, ownerEmail, parley.CodeMemberNotFound)
		f.Must(err)
		_, err = f.UpdateAccount(f.Context(), f.account, access.AccountChange{OnlySSO: &isOn, ExemptOwner: &m.User.ID})
		f.Must(err)
		for name, err := range map[string]error{
			"provider": f.RemoveSSOProvider(f.Context(), f.account),
			"domain":   f.RemoveSSODomain(f.Context(), f.account, f.ownerDomain()),
			"client": f.SetSSOProvider(f.Context(), f.account, access.SSOSettings{Issuer: f.provider.URL,
				ClientID: "another"}),
		} {
			if !parley.IsCode(err, parley.CodeInvalidBody) {
				f.Error(name, err)
			}
		}
		isOn = false
		_, err = f.UpdateAccount(f.Context(), f.account, access.AccountChange{OnlySSO: &isOn})
		f.Must(err)
		f.setNoPasswords(f.account, 1) // the owner has one, which is no way out
		f.wantDetail(f.RemoveSSOProvider(f.Context(), f.account), "issuer",
			"is how the owners get in without passwords: add a passkey first")
		f.setNoPasswords(f.account, 0)
		f.Must(f.RemoveSSOProvider(f.Context(), f.account))
	})
}

// setNoPasswords has an account refuse passwords with 1, and take them with 0.
func (f *ownProviderTest) setNoPasswords(account parley.AccountID, to int) {
	f.Helper()
	_, err := f.DB.SQL().Exec(f.Context(), `update accounts set no_passwords = ? where id = ?`, to, account)
	f.Must(err)
}

// wantDetail fails unless an error says this of a field.
func (f *ownProviderTest) wantDetail(err error, field, want string) {
	f.Helper()
	f.WantCode(err, parley.CodeInvalidBody, field)
	if got := parley.AsError(err).Details[field]; got != want {
		f.Errorf("%s: %q, want %q", field, got, want)
	}
}

// openOther returns another account whose provider counts, with an owner of its own, whose domain its people have.
func (f *ownProviderTest) openOther(domain string) *ownProviderTest {
	f.Helper()
	a, _ := f.createAccount("")
	ot := *f.oidcTest
	ot.account, ot.provider = a.ID, oidcprovider.Start(f, f.clock.Now)
	other := &ownProviderTest{&ot, f.records}
	email := "boss@" + domain
	_, err := f.AddMember(f.Context(), access.NewMember{AccountID: a.ID, Email: email, Name: "Boss",
		Role: parley.RoleOwner})
	f.Must(err)
	other.setPassword(email)
	other.set(domain, "")
	other.provider.SignInAs("boss", email, true, "Boss")
	f.Must(other.tryAs(email))
	return other
}

func (f *ownProviderTest) setPassword(email string) {
	f.Helper()
	_, err := f.Users.SetMemberPassword(f.Context(), access.MemberRef{AccountID: f.account, Email: email}, ownerPassword)
	f.Must(err)
}

// wantReach fails unless a session is good for the accounts alone, by every way of asking.
func (f *ownProviderTest) wantReach(s *access.OpenedSession, accounts ...parley.AccountID) {
	f.Helper()
	f.clock.Advance(time.Second) // what was cached is read again
	person := f.wantSignedIn(s.Token)
	var members, roles []parley.AccountID
	for _, m := range person.Memberships {
		if _, err := person.Member(m.AccountID); err == nil {
			members = append(members, m.AccountID)
		} else {
			f.WantCode(err, parley.CodeOtherSignIn)
		}
	}
	list, err := f.Users.Sessions.Roles(f.Context(), []parley.WebSessionID{person.Session.ID})
	f.Must(err)
	for _, r := range list {
		roles = append(roles, r.AccountID)
	}
	for _, got := range [][]parley.AccountID{members, roles} {
		slices.Sort(got)
		slices.Sort(accounts)
		if !slices.Equal(got, accounts) {
			f.Errorf("a session by %q is good for %v, want %v", person.Session.Method, got, accounts)
		}
	}
}

// Whoever runs the provider of an account gets into that one alone, whatever else the person belongs to: in both
// directions, whether they have joined the other account before or afterwards.
func TestProviderOfAccountOpensThatAccountAlone(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.setAndTry("")
		other := f.openOther("wares.example")
		for _, c := range []struct {
			own, foreign *ownProviderTest
			email        string
		}{{f, other, "kim@" + f.ownerDomain()}, {other, f, "bo@wares.example"}} {
			c.own.addNamed(c.email, "Kim")
			c.own.provider.SignInAs("one", c.email, true, "Kim")
			s, err := c.own.signInOwn()
			f.Must(err)
			c.own.wantReach(s, c.own.account)
			c.foreign.addNamed(c.email, "Kim") // the session and the tie to the provider are older
			c.own.wantReach(s, c.own.account)
			s, err = c.own.signInOwn()
			f.Must(err)
			c.own.wantReach(s, c.own.account)
			m, err := f.wantSignedIn(s.Token).Member("")
			if err != nil || m.Account != c.own.account {
				f.Error(m.Account, err)
			}
			c.foreign.provider.SignInAs("one", c.email, true, "Kim")
			_, err = c.foreign.signInOwn()
			f.wantFailure("by the provider of the other account", err, access.OIDCDomain)
		}
	})
}

// Who belongs to two accounts signs in by the provider of one at once, unless a way in would have to end that somebody
// else may have made; a password opens both.
func TestProviderOfAccountAndWhoBelongsToTwo(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.setAndTry("")
		other := f.openOther("wares.example")
		for _, name := range []string{"kim", "bo"} {
			f.addNamed(name+"@"+f.ownerDomain(), name)
			other.addNamed(name+"@"+f.ownerDomain(), name)
		}
		f.provider.SignInAs("kim", "kim@"+f.ownerDomain(), true, "Kim")
		s, err := f.signInOwn()
		f.Must(err)
		f.wantReach(s, f.account)

		bo := "bo@" + f.ownerDomain()
		other.setPassword(bo)
		f.provider.SignInAs("bo", bo, true, "Bo")
		_, err = f.signInOwn()
		f.wantFailure("beside a password", err, access.OIDCForeign)
		s, err = f.fixture.signIn(bo, ownerPassword)
		f.Must(err)
		f.wantReach(s, f.account, other.account)
		f.Must(f.connectOwn(s.Person))
		if s, err = f.signInOwn(); err != nil {
			f.Fatal(err)
		}
		f.wantReach(s, f.account)
		s, err = f.fixture.signIn(bo, ownerPassword)
		f.Must(err)
		f.wantReach(s, f.account, other.account)
	})
}

// What connects somebody with a provider stays where it opens an account without passwords. Whether an account that it
// has never opened is closed to them does not matter.
func TestProviderStaysWhereItOpensAnAccountWithoutPasswords(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.setAndTry("")
		other, bo := f.openOther("wares.example"), "bo@"+f.ownerDomain()
		f.addNamed(bo, "bo")
		other.addNamed(bo, "bo")
		other.setPassword(bo)
		f.provider.SignInAs("bo", bo, true, "Bo")
		s, err := f.fixture.signIn(bo, ownerPassword)
		f.Must(err)
		f.Must(f.connectOwn(s.Person))
		f.setNoPasswords(f.account, 1)
		f.wantDetail(f.Users.DisconnectOIDC(f.Context(), s.Person, f.account), "singleSignOn",
			"opens a company of yours that takes no passwords; add a passkey first")
		f.setNoPasswords(f.account, 0)
		f.setNoPasswords(other.account, 1)
		f.Must(f.Users.DisconnectOIDC(f.Context(), s.Person, f.account))
	})
}

// connectOwn connects a person with the provider of the account.
func (f *ownProviderTest) connectOwn(person *access.SignedIn) error {
	f.Helper()
	return f.askOwn(func(o *access.OIDC) (*access.OIDCStart, error) { return o.StartConnecting(f.Context(), person) })
}

// askOwn has a person of a session come back from the provider.
func (f *ownProviderTest) askOwn(begin func(o *access.OIDC) (*access.OIDCStart, error)) error {
	f.Helper()
	o, err := f.Users.AccountOIDC(f.Context(), f.account, access.OIDCConnect)
	f.Must(err)
	start, err := begin(o)
	f.Must(err)
	cookie, query := f.visitOwn(start)
	_, err = f.Users.FinishAccountOIDC(f.Context(), f.account, query, cookie, browser)
	return err
}

// A session that is good for one account makes no way of signing in that leads into others, and joins none; that of
// somebody who belongs to no other does.
func TestProviderOfAccountMakesNoOtherWayIn(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.setAndTry("")
		kim := "kim@" + f.ownerDomain()
		f.addNamed(kim, "Kim")
		f.provider.SignInAs("kim", kim, true, "Kim")
		s, err := f.signInOwn()
		f.Must(err)
		s, err = f.Users.ChangePassword(f.Context(), s.Person, "", ownerPassword, browser)
		f.Must(err)
		other := f.openOther("wares.example")
		s, err = f.redeem(f.invite(other.account, kim, "user:boss"), access.Redemption{By: s.Person})
		f.Must(err)
		f.wantReach(s, f.account, other.account)
		stepUp := func(o *access.OIDC) (*access.OIDCStart, error) {
			return o.StartStepUp(f.Context(), s.Person.Session.ID)
		}
		f.wantFailure("stepping up for both", f.askOwn(stepUp), access.OIDCForeign)

		if s, err = f.signInOwn(); err != nil {
			f.Fatal(err)
		}
		f.Must(f.askOwn(stepUp))
		third, _ := f.createAccount("")
		s, err = f.signInOwn() // stepping up has renewed the token
		f.Must(err)
		for name, act := range map[string]func() error{
			"password": func() error {
				_, err := f.Users.ChangePassword(f.Context(), s.Person, ownerPassword, "a grey afternoon", browser)
				return err
			},
			"passkey":     func() error { _, err := f.Users.BeginPasskey(f.Context(), s.Person); return err },
			"codes":       func() error { _, err := f.Users.NewRecoveryCodes(f.Context(), s.Person); return err },
			"second step": func() error { _, err := f.Users.SetSecondStep(f.Context(), s.Person, false); return err },
			"provider":    func() error { return f.Users.DisconnectOIDC(f.Context(), s.Person, f.account) },
			"invitation": func() error {
				_, err := f.redeem(f.invite(third.ID, kim, "user:eve"), access.Redemption{By: s.Person})
				return err
			},
		} {
			if err := act(); !parley.IsCode(err, parley.CodeOtherSignIn) {
				f.Errorf("%s: %v", name, err)
			}
		}
	})
}

// Where members enter by single sign-on alone, every other way of signing in is refused with a sentence that names the
// one that works. The owner who needs it not, and who belongs to an account that needs it not, sign in as before.
func TestOnlySingleSignOnRefusesPasswordsAndPasskeys(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.setAndTry("")
		kim := "kim@" + f.ownerDomain()
		f.addNamed(kim, "Kim")
		f.setPassword(kim)
		s, err := f.fixture.signIn(kim, ownerPassword)
		f.Must(err)
		phone := f.newAuthenticator()
		c, err := f.Users.BeginPasskey(f.Context(), s.Person)
		f.Must(err)
		_, err = f.Users.FinishPasskey(f.Context(), s.Person, phone.create(c))
		f.Must(err)
		codes, err := f.Users.NewRecoveryCodes(f.Context(), s.Person)
		f.Must(err)
		f.requireSSO(true)
		ways := map[string]func() error{
			"password": func() error { _, err := f.fixture.signIn(kim, ownerPassword); return err },
			"passkey":  func() error { _, err := phone.signIn(); return err },
			"code":     func() error { _, err := f.Users.SignInWithCode(f.Context(), kim, codes[0], browser); return err },
		}
		for name, signIn := range ways {
			err := signIn()
			f.WantCode(err, parley.CodeSSORequired)
			failure := parley.AsError(err)
			if failure.Message != "The members of Acme sign in by single sign-on alone: continue with Shop ID." ||
				failure.Details["accountId"] != string(f.account) || failure.Details["provider"] != "Shop ID" {
				f.Errorf("%s: %+v", name, failure)
			}
		}
		_, err = f.fixture.signIn(kim, "a wrong password")
		f.WantCode(err, parley.CodeSignInFailed) // whoever does not know the password learns nothing
		_, err = f.fixture.signIn(ownerEmail, ownerPassword)
		f.Must(err)

		other, _ := f.createAccount("")
		_, err = f.AddMember(f.Context(), access.NewMember{AccountID: other.ID, Email: kim, Name: "Kim"})
		f.Must(err)
		for name, signIn := range ways {
			if err := signIn(); err != nil {
				f.Errorf("%s, for another account: %v", name, err)
			}
		}
	})
}

// requireSSO has members enter by single sign-on alone, but for the owner.
func (f *ownProviderTest) requireSSO(isOn bool) {
	f.Helper()
	m, err := f.Accounts.DB.MemberByEmail(f.Context(), f.account, ownerEmail, parley.CodeMemberNotFound)
	f.Must(err)
	_, err = f.UpdateAccount(f.Context(), f.account, access.AccountChange{OnlySSO: &isOn, ExemptOwner: &m.User.ID})
	f.Must(err)
}

// What connects somebody with a provider ends for each by itself, and the last way in stays: a provider that is not
// there any more is none.
func TestIdentitiesAreConnectedEachByItself(t *testing.T) {
	forEachOwnProviderTest(t, func(f *ownProviderTest) {
		f.setAndTry("")
		f.configure(func(c *access.OIDCConfig) { c.Issuer, c.Name = oidcprovider.Start(f, f.clock.Now).URL, "Company ID" })
		owner, err := f.fixture.signIn(ownerEmail, ownerPassword)
		f.Must(err)
		show := func() (text string) {
			list, err := f.Users.Identities(f.Context(), owner.Person)
			f.Must(err)
			for _, i := range list {
				text += fmt.Sprintf("%s %t,", i.Name, i.ConnectedAt != nil)
			}
			return text
		}
		if got := show(); got != "Company ID false,Shop ID true," {
			f.Error(got)
		}
		f.WantCode(f.Users.DisconnectOIDC(f.Context(), owner.Person, ""), parley.CodeNotFound)
		f.WantCode(f.Users.DisconnectOIDC(f.Context(), owner.Person, "none"), parley.CodeNotFound)
		f.Must(f.Accounts.DB.ClearPassword(f.Context(), owner.Person.User.ID))
		f.WantCode(f.Users.DisconnectOIDC(f.Context(), owner.Person, f.account), parley.CodeInvalidBody, "singleSignOn")
		f.Must(f.DB.CreateSSOLink(f.Context(), &parley.SSOLink{Issuer: "https://gone.example", Subject: "owner",
			UserID: owner.Person.User.ID, CreatedAt: f.clock.Now()}))
		f.WantCode(f.Users.DisconnectOIDC(f.Context(), owner.Person, f.account), parley.CodeInvalidBody, "singleSignOn")
		f.setPassword(ownerEmail)
		if got := show(); got != "Company ID false,Shop ID false," { // the operator's password ends everything else
			f.Error(got)
		}
		f.Must(f.connectOwn(f.signedInAgain().Person))
		owner = f.signedInAgain()
		f.Must(f.Users.DisconnectOIDC(f.Context(), owner.Person, f.account))
		if got := f.actions(f.account); !strings.HasSuffix(got, " single-sign-on.disconnect") {
			f.Error(got)
		}
	})
}

func (f *ownProviderTest) signedInAgain() *access.OpenedSession {
	f.Helper()
	s, err := f.fixture.signIn(ownerEmail, ownerPassword)
	f.Must(err)
	return s
}
