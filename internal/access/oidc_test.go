package access_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/testkit/oidcprovider"
)

const oidcCallback = consoleURL + "/api/v1/session/oidc/callback"

// oidcTest is a provider of single sign-on, and an account that people sign in to.
type oidcTest struct {
	*fixture
	provider *oidcprovider.Provider
	account  parley.AccountID
}

func forEachOIDCTest(t *testing.T, do func(f *oidcTest)) {
	t.Helper()
	forEachStore(t, func(f *fixture) {
		ot := &oidcTest{fixture: f, provider: oidcprovider.Start(f, f.clock.Now)}
		a, _ := f.createAccount("")
		ot.account = a.ID
		ot.configure(func(*access.OIDCConfig) {})
		do(ot)
	})
}

func (f *oidcTest) configure(change func(c *access.OIDCConfig)) {
	c := access.OIDCConfig{Issuer: f.provider.URL, ClientID: oidcprovider.ClientID,
		ClientSecret: oidcprovider.ClientSecret, RedirectURL: oidcCallback}
	change(&c)
	f.Users.OIDC = access.NewOIDC(c, f.clock.Now)
}

func (f *oidcTest) addNamed(email, name string) parley.UserID {
	f.Helper()
	m, err := f.AddMember(f.Context(), access.NewMember{AccountID: f.account, Email: email, Name: name})
	f.Must(err)
	return m.User.ID
}

// addOwner adds somebody who can sign in.
func (f *oidcTest) addOwner() {
	f.Helper()
	_, err := f.AddMember(f.Context(), access.NewMember{AccountID: f.account, Email: ownerEmail, Name: "Owner",
		Role: parley.RoleOwner})
	f.Must(err)
	_, err = f.Users.SetMemberPassword(f.Context(), access.MemberRef{AccountID: f.account, Email: ownerEmail},
		ownerPassword)
	f.Must(err)
}

// begin begins a sign-in, and returns what the browser keeps and the parameters with which it comes back.
func (f *oidcTest) begin() (cookie string, query url.Values) {
	f.Helper()
	start, err := f.Users.OIDC.Start(f.Context())
	f.Must(err)
	return f.visit(start)
}

// visit goes to the provider and comes back.
func (f *oidcTest) visit(start *access.OIDCStart) (cookie string, query url.Values) {
	f.Helper()
	return f.visitAndReturn(start, oidcCallback)
}

// visitAndReturn goes to the provider, which sends people back to the address.
func (f *oidcTest) visitAndReturn(start *access.OIDCStart, address string) (cookie string, query url.Values) {
	f.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(f.Context(), http.MethodGet, start.URL, nil)
	f.Must(err)
	resp, err := client.Do(req)
	f.Must(err)
	defer resp.Body.Close()
	location, err := resp.Location()
	if err != nil || !strings.HasPrefix(location.String(), address+"?") {
		f.Fatal(resp.Status, location, err)
	}
	return start.Attempt, location.Query()
}

func (f *oidcTest) signIn() (*access.OpenedSession, error) {
	f.Helper()
	cookie, query := f.begin()
	return f.Users.FinishOIDC(f.Context(), query, cookie, browser)
}

func (f *oidcTest) signInReplacing() (*access.OpenedSession, error) {
	f.Helper()
	start, err := f.Users.OIDC.StartReplacing(f.Context())
	f.Must(err)
	cookie, query := f.visit(start)
	return f.Users.FinishOIDC(f.Context(), query, cookie, browser)
}

func (f *oidcTest) wantFailure(name string, err error, want access.OIDCFailure) {
	f.Helper()
	var failed *access.OIDCError
	if !errors.As(err, &failed) || failed.Failure != want {
		f.Errorf("%s: %v, want %s", name, err, want)
	}
}

func TestMembersFinishOIDC(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		kim := f.addNamed("Kim@shop.example", "Kim")
		s, err := f.signIn()
		f.Must(err)
		if s.Person.User.ID != kim || len(s.Person.Memberships) != 1 {
			f.Errorf("%+v", s.Person)
		}
		f.wantSignedIn(s.Token)
		if got := f.actions(f.account); !strings.HasSuffix(got, access.UserActor(kim)+" session.create") {
			f.Error(got)
		}
		// From now on the subject says who it is, not the address.
		f.addNamed("bo@shop.example", "Bo")
		f.provider.SignInAs("subject-1", "bo@shop.example", true, "")
		s, err = f.signIn()
		f.Must(err)
		if s.Person.User.ID != kim {
			f.Error("the subject became somebody else")
		}
		if n := f.provider.Calls("/.well-known/openid-configuration"); n != 1 {
			f.Errorf("%d discoveries", n)
		}
		if n := f.provider.Calls("/keys"); n != 1 {
			f.Errorf("the keys were asked for %d times", n)
		}
		needed, err := f.Users.NeedsSetup(f.Context())
		f.Must(err)
		if needed {
			f.Error("nobody can sign in")
		}
	})
}

func TestOIDCRefusesWhatWasNotAskedFor(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		f.addNamed("kim@shop.example", "Kim")
		for name, c := range map[string]struct {
			change func(claims map[string]any)
			want   access.OIDCFailure
		}{
			"wrong nonce": {func(c map[string]any) { c["nonce"] = "another" }, access.OIDCInvalid},
			"no nonce":    {func(c map[string]any) { delete(c, "nonce") }, access.OIDCInvalid},
			"expired token": {func(c map[string]any) { c["exp"] = f.clock.Now().Add(-time.Second).Unix() },
				access.OIDCInvalid},
			"wrong issuer":   {func(c map[string]any) { c["iss"] = "https://x.example" }, access.OIDCInvalid},
			"other audience": {func(c map[string]any) { c["aud"] = "another" }, access.OIDCInvalid},
			"two audiences": {func(c map[string]any) { c["aud"] = []string{oidcprovider.ClientID, "x"} },
				access.OIDCInvalid},
			"another's token": {func(c map[string]any) { c["azp"] = "another" }, access.OIDCInvalid},
			"no subject":      {func(c map[string]any) { c["sub"] = "" }, access.OIDCInvalid},
			"foreign key":     {func(c map[string]any) { c["signed_by_another"] = true }, access.OIDCInvalid},
			"unverified":      {func(c map[string]any) { c["email_verified"] = false }, access.OIDCUnverified},
			"not said":        {func(c map[string]any) { delete(c, "email_verified") }, access.OIDCUnverified},
			"no address":      {func(c map[string]any) { c["email"] = "kim" }, access.OIDCUnverified},
			"no member": {func(c map[string]any) { c["email"], c["sub"] = "eve@shop.example", "eve" },
				access.OIDCNoMember},
		} {
			f.provider.ChangeClaims(c.change)
			_, err := f.signIn()
			f.wantFailure(name, err, c.want)
		}
		f.provider.ChangeClaims(func(c map[string]any) { c["email_verified"] = "true" }) // as some write it
		_, err := f.signIn()
		f.Must(err)
	})
}

func TestOIDCRefusesOtherBrowsersAndCodes(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		f.addNamed("kim@shop.example", "Kim")
		end := func(query url.Values, cookie string) error {
			_, err := f.Users.FinishOIDC(f.Context(), query, cookie, browser)
			return err
		}
		cookie, query := f.begin()
		f.Must(end(query, cookie))
		f.wantFailure("a code that is sent again", end(query, cookie), access.OIDCInvalid)

		otherCookie, _ := f.begin()
		f.wantFailure("another browser", end(query, otherCookie), access.OIDCExpired)
		f.wantFailure("nothing kept", end(query, ""), access.OIDCExpired)
		f.wantFailure("rubbish kept", end(query, "e30"), access.OIDCExpired)

		cookie, query = f.begin()
		query.Set("state", "another")
		f.wantFailure("wrong state", end(query, cookie), access.OIDCExpired)

		cookie, query = f.begin()
		query.Set("iss", "https://x.example")
		f.wantFailure("wrong issuer", end(query, cookie), access.OIDCInvalid)

		cookie, query = f.begin()
		f.wantFailure("another verifier", end(query, withVerifier(f, cookie, "another")), access.OIDCInvalid)
		cookie, query = f.begin()
		f.wantFailure("no verifier", end(query, withVerifier(f, cookie, "")), access.OIDCExpired)

		cookie, query = f.begin()
		query.Del("code")
		f.wantFailure("no code", end(query, cookie), access.OIDCInvalid)
		query.Set("error", "access_denied")
		f.wantFailure("denied", end(query, cookie), access.OIDCDenied)

		cookie, query = f.begin()
		f.clock.Advance(10 * time.Minute)
		f.wantFailure("too late", end(query, cookie), access.OIDCExpired)
	})
}

// withVerifier returns what a browser has kept with another secret of PKCE.
func withVerifier(f *oidcTest, cookie, verifier string) string {
	f.Helper()
	text, err := base64.RawURLEncoding.DecodeString(cookie)
	f.Must(err)
	var attempt map[string]any
	f.Must(json.Unmarshal(text, &attempt))
	attempt["v"] = verifier
	text, err = json.Marshal(attempt)
	f.Must(err)
	return base64.RawURLEncoding.EncodeToString(text)
}

func TestOIDCLetsAllowedDomainsIn(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		f.configure(func(c *access.OIDCConfig) { c.Domains = []string{"Shop.example", "other.example"} })
		f.addNamed("kim@shop.example", "Kim")
		_, err := f.signIn()
		f.Must(err)
		for _, email := range []string{"kim@evil-shop.example", "kim@sub.shop.example", "kim@shop.example.evil.example"} {
			f.provider.SignInAs("subject-1", email, true, "Kim")
			_, err = f.signIn()
			f.wantFailure(email, err, access.OIDCDomain)
		}
	})
}

func TestOIDCMakesMembersWhereARoleIsSet(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		f.configure(func(c *access.OIDCConfig) {
			c.Domains, c.JoinRole = []string{"shop.example"}, parley.RoleViewer
		})
		f.addOwner()
		f.provider.SignInAs("new", "new@shop.example", true, "New\r\nPerson "+strings.Repeat("x", 200))
		s, err := f.signIn()
		f.Must(err)
		m := s.Person.Memberships
		if len(m) != 1 || m[0].AccountID != f.account || m[0].Role != parley.RoleViewer ||
			!strings.HasPrefix(s.Person.User.Name, "NewPerson x") || len(s.Person.User.Name) != 100 {
			f.Errorf("%+v", s.Person)
		}
		actor := access.UserActor(s.Person.User.ID)
		if got := f.actions(f.account); !strings.HasSuffix(got, actor+" member.add\n"+actor+" session.create") {
			f.Error(got)
		}
		again, err := f.signIn()
		f.Must(err)
		if again.Person.User.ID != s.Person.User.ID {
			f.Error("became another person")
		}
		other, _ := f.createAccount("")
		_, err = f.RemoveMember(f.Context(), access.MemberRef{AccountID: f.account, UserID: s.Person.User.ID}, noCleanup)
		f.Must(err)
		_, err = f.signIn()
		f.wantFailure("two accounts to join: "+string(other.ID), err, access.OIDCNoMember)
	})
}

// An address that a company assigns to somebody else does not let them in as its former owner.
func TestOIDCKeepsSubjectsApart(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		kim := f.addNamed("kim@shop.example", "Kim")
		_, err := f.signIn()
		f.Must(err)
		f.provider.SignInAs("subject-2", "kim@shop.example", true, "Another Kim")
		_, err = f.signIn()
		f.wantFailure("another subject", err, access.OIDCConflict)

		link, err := f.Users.ResetLink(f.Context(), access.ResetRequest{
			MemberRef: access.MemberRef{AccountID: f.account, UserID: kim}})
		f.Must(err)
		_, err = f.Users.Redeem(f.Context(), access.Redemption{Token: f.token(link.URL), Password: ownerPassword})
		f.Must(err)
		s, err := f.signIn()
		f.Must(err)
		if s.Person.User.ID != kim {
			f.Errorf("%+v", s.Person)
		}
	})
}

func TestOIDCReadsTheUserInfo(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		kim := f.addNamed("kim@shop.example", "Kim")
		f.provider.ChangeClaims(func(c map[string]any) {
			delete(c, "email")
			delete(c, "email_verified")
		})
		s, err := f.signIn()
		f.Must(err)
		if s.Person.User.ID != kim {
			f.Errorf("%+v", s.Person)
		}
		f.provider.SetUserInfo(map[string]any{"sub": "another", "email": "kim@shop.example", "email_verified": true})
		_, err = f.signIn()
		f.wantFailure("another's", err, access.OIDCInvalid)
		f.provider.SetUserInfo(map[string]any{"sub": "subject-1", "email": "kim@shop.example"})
		_, err = f.signIn()
		f.wantFailure("not verified", err, access.OIDCUnverified)
	})
}

func TestOIDCWaitsForAProviderThatIsDown(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		calls := 0
		isDown := true
		f.configure(func(c *access.OIDCConfig) {
			c.HTTP = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				if calls++; isDown {
					return nil, errors.New("down")
				}
				return http.DefaultTransport.RoundTrip(r)
			})}
		})
		for range 3 {
			_, err := f.Users.OIDC.Start(f.Context())
			f.wantFailure("down", err, access.OIDCUnavailable)
		}
		if calls != 1 {
			f.Errorf("%d calls of a provider that is down", calls)
		}
		f.clock.Advance(5 * time.Second)
		isDown = false
		_, err := f.Users.OIDC.Start(f.Context())
		f.Must(err)
		f.clock.Advance(25 * time.Hour)
		isDown = true
		_, err = f.Users.OIDC.Start(f.Context()) // the addresses are known
		f.Must(err)
	})
}

// Whoever has added or invited somebody may have made a sign-in in their name. It ends when they first come themselves.
func TestFirstSingleSignOnEndsWhatOthersHaveMade(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		f.addOwner()
		link := f.invite(f.account, "kim@shop.example", "user:eve")
		eve, err := f.redeem(link, access.Redemption{Name: "Kim", Password: ownerPassword})
		f.Must(err)
		phone := f.newAuthenticator()
		c, err := f.Users.BeginPasskey(f.Context(), eve.Person)
		f.Must(err)
		_, err = f.Users.FinishPasskey(f.Context(), eve.Person, phone.create(c))
		f.Must(err)
		codes, err := f.Users.NewRecoveryCodes(f.Context(), eve.Person)
		f.Must(err)

		_, err = f.signIn()
		f.wantFailure("another way in", err, access.OIDCUnproved)
		f.wantSignedIn(eve.Token) // nothing ends before kim has said so
		kim, err := f.signInReplacing()
		f.Must(err)
		if kim.Person.User.ID != eve.Person.User.ID {
			f.Error("the provider means somebody else")
		}
		f.wantSignedOut(eve.Token)
		_, err = f.Users.SignIn(f.Context(), "kim@shop.example", ownerPassword, browser)
		f.WantCode(err, parley.CodeSignInFailed)
		_, err = f.Users.SignInWithCode(f.Context(), "kim@shop.example", codes[0], browser)
		f.WantCode(err, parley.CodeSignInFailed)
		_, err = phone.signIn()
		f.WantCode(err, parley.CodePasskeyFailed)

		_, err = f.Users.ChangePassword(f.Context(), kim.Person, "", "a long way home", browser)
		f.Must(err)
		_, err = f.signInReplacing()
		f.Must(err)
		_, err = f.Users.SignIn(f.Context(), "kim@shop.example", "a long way home", browser)
		f.Must(err) // what they have set themselves stays
		if got := f.actions(f.account); strings.Count(got, " sign-in.replace") != 1 {
			f.Error(got)
		}
	})
}

// A stranger of the right domain does not end the link of the first person, so that the account has no owner.
func TestNobodyJoinsBeforeTheFirstPerson(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		f.configure(func(c *access.OIDCConfig) {
			c.Domains, c.JoinRole = []string{"shop.example"}, parley.RoleViewer
		})
		_, err := f.signIn()
		f.wantFailure("before the first person", err, access.OIDCSetup)
		link, err := f.Users.SetUpLink(f.Context(), "")
		f.Must(err)
		_, err = f.Users.Redeem(f.Context(), access.Redemption{Token: f.token(link), Name: "Owner", Email: ownerEmail,
			Password: ownerPassword})
		f.Must(err)
		_, err = f.signIn()
		f.Must(err)
	})
}

func TestSingleSignOnStepsUp(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		f.addNamed("kim@shop.example", "Kim")
		s, err := f.signIn()
		f.Must(err)
		f.clock.Advance(11 * time.Minute)
		isFresh := func(in *access.SignedIn) bool {
			m, err := in.Member("")
			f.Must(err)
			return access.CheckStepUp(m, f.clock.Now()) == nil
		}
		if isFresh(s.Person) {
			f.Error("still stepped up")
		}
		stepUp := func() (*access.OpenedSession, error) {
			start, err := f.Users.OIDC.StartStepUp(f.Context(), s.Person.Session.ID)
			f.Must(err)
			cookie, query := f.visit(start)
			if access.OIDCPurposeOf(cookie) != access.OIDCStepUp {
				f.Error("the browser has kept another beginning")
			}
			return f.Users.FinishOIDC(f.Context(), query, cookie, browser)
		}
		for name, at := range map[string]any{"asked before": f.clock.Now().Add(-time.Minute).Unix(), "not said": nil} {
			f.provider.ChangeClaims(func(c map[string]any) {
				if delete(c, "auth_time"); at != nil {
					c["auth_time"] = at
				}
			})
			_, err = stepUp()
			f.wantFailure(name, err, access.OIDCStale)
		}
		f.provider.SignInAs("subject-2", "bo@shop.example", true, "Bo")
		_, err = stepUp()
		f.wantFailure("somebody unknown", err, access.OIDCOther)
		f.addNamed("bo@shop.example", "Bo")
		bo, err := f.signIn()
		f.Must(err)
		_, err = stepUp()
		f.wantFailure("somebody else", err, access.OIDCOther)
		f.wantSignedIn(bo.Token)
		f.provider.SignInAs("subject-1", "kim@shop.example", true, "Kim")
		again, err := stepUp()
		f.Must(err)
		if again.Person.Session.ID != s.Person.Session.ID || !isFresh(again.Person) {
			f.Errorf("%+v", again.Person)
		}
		f.wantSignedOut(s.Token)
		f.Must(f.Users.SignOut(f.Context(), again.Person))
		_, err = stepUp()
		f.wantFailure("ended", err, access.OIDCOther)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (rt roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return rt(r) }
