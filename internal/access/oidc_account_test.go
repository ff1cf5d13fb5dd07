package access_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

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
func (f *ownProviderTest) try() error {
	f.Helper()
	owner, err := f.Users.SignIn(f.Context(), ownerEmail, ownerPassword, browser)
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
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(f.Context(), http.MethodGet, start.URL, nil)
	f.Must(err)
	resp, err := client.Do(req)
	f.Must(err)
	defer resp.Body.Close()
	location, err := resp.Location()
	if err != nil || !strings.HasPrefix(location.String(), oidcCallback+"/"+string(f.account)+"?") {
		f.Fatal(resp.Status, location, err)
	}
	return start.Attempt, location.Query()
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
		f.Must(f.RemoveSSOProvider(f.Context(), f.account))
	})
}
