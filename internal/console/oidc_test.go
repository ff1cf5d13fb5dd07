package console_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/mailserver"
	"parley/internal/testkit/oidcprovider"
)

// noRedirects sends requests and shows redirects as they are.
var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}}

// ask sends a request with cookies, and with a body if there is one, as the console does.
func ask(t *testing.T, method, address, body string, cookies ...*http.Cookie) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Parley-Console", "1")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, c := range cookies {
		req.AddCookie(c)
	}
	resp, err := noRedirects.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func readSession(t *testing.T, srv *testkit.Server, cookies ...*http.Cookie) (s struct {
	User     *struct{ Email string }
	Features struct {
		OIDC, Mail bool
		OIDCName   string
	}
}) {
	t.Helper()
	resp := ask(t, "GET", srv.URL+v1Base+"/session", "", cookies...)
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

func openWithOIDC(t *testing.T) (*testkit.Server, *oidcprovider.Provider) {
	t.Helper()
	provider := oidcprovider.Start(t, time.Now)
	srv := testkit.Open(t, func(_ testing.TB, c *server.Config) {
		c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = provider.URL, oidcprovider.ClientID, oidcprovider.ClientSecret
		c.OIDCName, c.OIDCDomains = "Shop ID", []string{"shop.example"}
	})
	addKim(t, srv)
	return srv, provider
}

func addKim(t *testing.T, srv *testkit.Server) {
	t.Helper()
	_, err := srv.Accounts.AddMember(t.Context(), access.NewMember{AccountID: parley.AccountID(srv.Account),
		Email: "kim@shop.example", Name: "Kim"})
	if err != nil {
		t.Fatal(err)
	}
}

// begin goes to the provider and returns the address to which it sends the browser back, and the browser's cookie.
func begin(t *testing.T, srv *testkit.Server, p *oidcprovider.Provider) (back string, cookie *http.Cookie) {
	t.Helper()
	start := ask(t, "GET", srv.URL+v1Base+"/session/oidc", "")
	target, err := start.Location()
	if err != nil || start.StatusCode != http.StatusSeeOther || !strings.HasPrefix(target.String(), p.URL+"/authorize?") {
		t.Fatal(start.Status, target, err)
	}
	if len(start.Cookies()) != 1 || start.Header.Get("Cache-Control") != "no-store" {
		t.Fatal(start.Header)
	}
	cookie = start.Cookies()[0]
	if cookie.Path != v1Base+"/session/oidc/callback" || cookie.SameSite != http.SameSiteLaxMode || !cookie.HttpOnly ||
		cookie.MaxAge != 600 {
		t.Errorf("%+v", cookie)
	}
	location, err := ask(t, "GET", target.String(), "").Location()
	if err != nil {
		t.Fatal(err)
	}
	if want := target.Query().Get("redirect_uri"); !strings.HasSuffix(want, cookie.Path) ||
		!strings.HasPrefix(location.String(), want+"?") {
		t.Errorf("%s is not %s", location, want)
	}
	return srv.URL + location.Path + "?" + location.RawQuery, cookie
}

func TestPeopleSignInByOIDC(t *testing.T) {
	srv, provider := openWithOIDC(t)
	if f := readSession(t, srv).Features; !f.OIDC || f.OIDCName != "Shop ID" || f.Mail {
		t.Errorf("%+v", f)
	}
	back, attempt := begin(t, srv, provider)
	end := ask(t, "GET", back, "", attempt)
	if end.StatusCode != http.StatusSeeOther || end.Header.Get("Location") != "/console/" ||
		end.Header.Get("Cross-Origin-Opener-Policy") != "same-origin" {
		t.Fatal(end.Status, end.Header)
	}
	var session, dropped *http.Cookie
	for _, c := range end.Cookies() {
		if c.Name == attempt.Name {
			dropped = c
		} else {
			session = c
		}
	}
	if session == nil || session.SameSite != http.SameSiteStrictMode || !session.HttpOnly || session.Path != "/console" ||
		dropped == nil || dropped.MaxAge >= 0 || dropped.Value != "" {
		t.Fatalf("%+v", end.Cookies())
	}
	if s := readSession(t, srv, session); s.User == nil || s.User.Email != "kim@shop.example" {
		t.Errorf("%+v", s)
	}
}

// Whoever has single sign-on alone shows with it again who they are.
func TestPeopleStepUpByOIDC(t *testing.T) {
	srv, provider := openWithOIDC(t)
	back, attempt := begin(t, srv, provider)
	session := sessionCookie(t, ask(t, "GET", back, "", attempt))
	start := ask(t, "GET", srv.URL+v1Base+"/session/oidc?stepUp=true", "", session)
	target, err := start.Location()
	if err != nil || target.Query().Get("prompt") != "login" || target.Query().Get("max_age") != "0" {
		t.Fatal(start.Status, target, err)
	}
	location, err := ask(t, "GET", target.String(), "").Location()
	if err != nil {
		t.Fatal(err)
	}
	// A browser that comes from the provider's site sends no strict cookie along.
	end := ask(t, "GET", srv.URL+location.Path+"?"+location.RawQuery, "", start.Cookies()[0])
	if got := end.Header.Get("Location"); got != "/console/confirmed" {
		t.Fatal(end.Status, got)
	}
	renewed := sessionCookie(t, end)
	if s := readSession(t, srv, renewed); s.User == nil || s.User.Email != "kim@shop.example" {
		t.Errorf("%+v", s)
	}
	if s := readSession(t, srv, session); s.User != nil || renewed.Value == session.Value {
		t.Error("the token was not renewed")
	}
	signedOut := ask(t, "GET", srv.URL+v1Base+"/session/oidc?stepUp=true", "")
	if got := signedOut.Header.Get("Location"); got != "/console/confirmed#oidc-other" {
		t.Error(got)
	}
}

// Whoever is signed in connects and disconnects their account at the provider, and keeps their session.
func TestPeopleConnectByOIDC(t *testing.T) {
	srv, provider := openWithOIDC(t)
	back, attempt := begin(t, srv, provider)
	session := sessionCookie(t, ask(t, "GET", back, "", attempt))
	connect := func(address string, cookie *http.Cookie) string {
		t.Helper()
		start := ask(t, "GET", srv.URL+v1Base+"/session/oidc?connect=true", "", cookie)
		target, err := start.Location()
		if err != nil || !strings.HasPrefix(target.String(), provider.URL) {
			return start.Header.Get("Location")
		}
		provider.SignInAs("subject-1", address, true, "Kim Marlow")
		location, err := ask(t, "GET", target.String(), "").Location()
		if err != nil {
			t.Fatal(err)
		}
		end := ask(t, "GET", srv.URL+location.Path+"?"+location.RawQuery, "", start.Cookies()[0])
		if cookies := end.Cookies(); len(cookies) != 1 || cookies[0].Value != "" {
			t.Errorf("%+v", cookies)
		}
		return end.Header.Get("Location")
	}
	for address, want := range map[string]string{"kim@shop.example": "connected", "bo@shop.example": "address"} {
		if got := connect(address, session); got != "/console/me#oidc-"+want {
			t.Error(got)
		}
	}
	if got := connect("", &http.Cookie{Name: session.Name, Value: "x"}); got != "/console/me#oidc-other" {
		t.Error(got)
	}
	me := v1Base + "/me/single-sign-on"
	if refused := ask(t, "DELETE", srv.URL+me, "", session); refused.StatusCode != http.StatusBadRequest {
		t.Error(refused.Status)
	}
	resp := ask(t, "PUT", srv.URL+v1Base+"/me/password", `{"password":"a long way home"}`, session)
	session = sessionCookie(t, resp)
	for _, want := range []int{http.StatusOK, http.StatusNotFound} {
		if got := ask(t, "DELETE", srv.URL+me, "", session); got.StatusCode != want {
			t.Error(got.Status, want)
		}
	}
}

// sessionCookie returns the cookie of the session that a response has opened.
func sessionCookie(t *testing.T, resp *http.Response) *http.Cookie {
	t.Helper()
	for _, c := range resp.Cookies() {
		if c.Path == "/console" && c.Value != "" {
			return c
		}
	}
	t.Fatalf("no session: %s %+v", resp.Status, resp.Cookies())
	return nil
}

func TestFailedOIDCLeadsToThePageThatSaysWhy(t *testing.T) {
	srv, provider := openWithOIDC(t)
	wantReason := func(resp *http.Response, reason string) {
		t.Helper()
		if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther ||
			got != "/console/sign-in#oidc-"+reason {
			t.Errorf("%s: %s %s", reason, resp.Status, got)
		}
		for _, c := range resp.Cookies() {
			if c.Value != "" {
				t.Errorf("%s: a cookie: %+v", reason, c)
			}
		}
	}
	back, attempt := begin(t, srv, provider)
	wantReason(ask(t, "GET", back, ""), "expired")
	wantReason(ask(t, "GET", strings.Replace(back, "state=", "state=x", 1), "", attempt), "expired")
	address, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	query.Set("error", "access_denied\"><script>")
	address.RawQuery = query.Encode()
	wantReason(ask(t, "GET", address.String(), "", attempt), "denied")

	provider.SignInAs("subject-1", "kim@x.example", true, "Kim")
	back, attempt = begin(t, srv, provider)
	wantReason(ask(t, "GET", back, "", attempt), "domain")
	provider.SignInAs("subject-1", "nobody@shop.example", true, "Nobody")
	back, attempt = begin(t, srv, provider)
	wantReason(ask(t, "GET", back, "", attempt), "no-member")

	if resp := ask(t, "POST", srv.URL+v1Base+"/session/oidc", "{}"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Error(resp.Status)
	}
	without := testkit.Open(t)
	wantReason(ask(t, "GET", without.URL+v1Base+"/session/oidc", ""), "unavailable")
}

func TestLinksAreMailedOnRequest(t *testing.T) {
	mails := mailserver.Start(t, mailserver.Options{})
	srv := testkit.Open(t, func(_ testing.TB, c *server.Config) {
		c.SMTPURL, c.MailFrom = "smtp://"+mails.Addr, "Parley <parley@shop.example>"
	})
	addKim(t, srv)
	if f := readSession(t, srv).Features; f.OIDC || !f.Mail || f.OIDCName != "" {
		t.Errorf("%+v", f)
	}
	var answers []string
	for _, email := range []string{"nobody@shop.example", "kim@shop.example"} {
		resp := ask(t, "POST", srv.URL+v1Base+"/session/link", `{"email":"`+email+`"}`)
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusAccepted {
			t.Fatal(resp.Status, err)
		}
		answers = append(answers, string(body))
	}
	if answers[0] != answers[1] {
		t.Error("the answers differ:", answers)
	}
	select {
	case <-mails.Arrived():
	case <-time.After(testkit.WaitTimeout):
		t.Fatal("no mail")
	}
	list := mails.Mails()
	if len(list) != 1 || list[0].To != "kim@shop.example" || !strings.Contains(list[0].Text, "/console/redeem#") {
		t.Errorf("%+v", list)
	}
	without := testkit.Open(t)
	if resp := ask(t, "POST", without.URL+v1Base+"/session/link", `{"email":"kim@shop.example"}`); resp.StatusCode !=
		http.StatusNotFound {
		t.Error("without a mail server:", resp.Status)
	}
}

// Where an account is entered by single sign-on alone, nothing else lets anybody in but the owner who is exempt.
func TestAccountsAreEnteredBySingleSignOnAlone(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		ct.Accounts.HasSSO = true
		account := "/v1/accounts/" + ct.Account
		owner, second := ct.newOwner(ct.Account, "owner@shop.example"), ct.newOwner(ct.Account, "second@shop.example")
		agent := ct.newMember(ct.Account, parley.RoleAgent, "agent@shop.example")
		exempt := func(email string) string {
			return fmt.Sprintf(`{"onlySingleSignOn":true,"exemptOwner":%q}`, ct.userID(email))
		}
		owner.want("400 VALIDATION_INVALID_BODY", "PATCH "+account, `{"onlySingleSignOn":true}`)
		owner.want("400 VALIDATION_INVALID_BODY", "PATCH "+account, exempt("agent@shop.example"))
		second.want("400 VALIDATION_INVALID_BODY", "PATCH "+account, exempt("owner@shop.example")) // keeps itself out
		owner.want("200", "PATCH "+account, exempt("owner@shop.example"))

		agentByProvider := ct.signedInBy(parley.MethodSSO, ct.userID("agent@shop.example"))
		for _, route := range []string{"GET /v1/accounts", "GET /v2/agents", "GET /v1/agents/x/settings"} {
			for _, b := range []*browser{agent, second} {
				b.want("403 AUTH_SINGLE_SIGN_ON_REQUIRED", route, "")
			}
			for _, b := range []*browser{owner, agentByProvider} {
				if got := b.send(route, ""); got.status == http.StatusForbidden {
					t.Errorf("%s: %s", route, got)
				}
			}
		}
		agent.want("200", "GET /v1/me", "")
		for b, needs := range map[*browser]string{agent: "true", agentByProvider: "false", owner: "false"} {
			if got := b.want("200", "GET /v1/session", ""); !strings.Contains(got.body, `"needsSingleSignOn":`+needs) {
				t.Errorf("%s, want %s", got, needs)
			}
		}

		secondByProvider := ct.signedInBy(parley.MethodSSO, ct.userID("second@shop.example"))
		member := account + "/members?userId=" + ct.userID("owner@shop.example")
		for _, got := range []reply{
			secondByProvider.want("400 VALIDATION_INVALID_BODY", "DELETE "+member, ""),
			secondByProvider.want("400 VALIDATION_INVALID_BODY", "PATCH "+member, `{"role":"admin"}`),
		} {
			if !strings.Contains(got.body, "owner@shop.example is the owner who needs no single sign-on") {
				t.Error(got)
			}
		}
		secondByProvider.want("200", "PATCH "+account, exempt("second@shop.example"))
		owner.want("403 AUTH_SINGLE_SIGN_ON_REQUIRED", "GET /v1/accounts", "")
		second.want("200", "PATCH "+account, `{"onlySingleSignOn":false}`)
		agent.want("200", "GET /v1/accounts", "")
	})
}

// An account is entered by whom the provider has sent back, and by nobody who has a password of the same person.
func TestTheProviderLetsPeopleIntoAnAccountThatNeedsIt(t *testing.T) {
	srv, provider := openWithOIDC(t)
	back, attempt := begin(t, srv, provider)
	byProvider := sessionCookie(t, ask(t, "GET", back, "", attempt))
	kim, err := srv.DB.MemberByEmail(t.Context(), parley.AccountID(srv.Account), "kim@shop.example",
		parley.CodeMemberNotFound)
	if err != nil {
		t.Fatal(err)
	}
	ref := access.MemberRef{AccountID: parley.AccountID(srv.Account), UserID: kim.User.ID}
	byProvider = sessionCookie(t, ask(t, "PUT", srv.URL+v1Base+"/me/password", `{"password":"a long way home"}`,
		byProvider))
	if _, err := srv.Accounts.ChangeMember(t.Context(), ref, parley.RoleOwner); err != nil {
		t.Fatal(err)
	}
	owner, err := srv.Accounts.AddMember(t.Context(), access.NewMember{AccountID: ref.AccountID,
		Email: "owner@shop.example", Name: "Owner", Role: parley.RoleOwner})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := srv.Users.SetMemberPassword(t.Context(), access.MemberRef{AccountID: ref.AccountID,
		UserID: owner.User.ID}, "a quiet morning"); err != nil {
		t.Fatal(err)
	}
	srv.Users.Sessions.ClearCache()
	body := fmt.Sprintf(`{"onlySingleSignOn":true,"exemptOwner":%q}`, owner.User.ID)
	if resp := ask(t, "PATCH", srv.URL+v1Base+"/accounts/"+srv.Account, body, byProvider); resp.StatusCode !=
		http.StatusOK {
		t.Fatal(resp.Status)
	}
	resp := ask(t, "POST", srv.URL+v1Base+"/session", `{"email":"kim@shop.example","password":"a long way home"}`)
	if resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) > 0 {
		t.Errorf("by password: %s", resp.Status)
	}
	if resp := ask(t, "GET", srv.URL+v1Base+"/accounts", "", byProvider); resp.StatusCode != http.StatusOK {
		t.Errorf("by the provider: %s", resp.Status)
	}
}

// openWithOwnProvider opens a server whose account has set a provider for shop.example that counts.
func openWithOwnProvider(t *testing.T) (*testkit.Server, *oidcprovider.Provider) {
	t.Helper()
	provider := oidcprovider.Start(t, time.Now)
	srv := testkit.Open(t, func(_ testing.TB, c *server.Config) {
		c.SecretKey, c.FetchAllow = "a key of the tests", []string{"127.0.0.1"}
	})
	addKim(t, srv)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	account, secret := parley.AccountID(srv.Account), oidcprovider.ClientSecret
	must(srv.Accounts.SetSSOProvider(t.Context(), account, access.SSOSettings{Issuer: provider.URL,
		ClientID: oidcprovider.ClientID, Secret: &secret, Name: "Shop ID"}))
	must(srv.Accounts.AddSSODomain(t.Context(), account, "shop.example"))
	must(srv.DB.NoteSSODomainProof(t.Context(), account, "shop.example", false, time.Now()))
	must(srv.DB.NoteSSOProviderTest(t.Context(), account, time.Now()))
	return srv, provider
}

func TestPeopleSignInByTheProviderOfTheirAccount(t *testing.T) {
	srv, provider := openWithOwnProvider(t)
	for email, want := range map[string]string{"anybody@shop.example": srv.Account, "kim@elsewhere.example": ""} {
		var found struct{ AccountID, Name string }
		resp := ask(t, "POST", srv.URL+v1Base+"/session/provider", fmt.Sprintf(`{"email":%q}`, email))
		if err := json.NewDecoder(resp.Body).Decode(&found); err != nil || found.AccountID != want {
			t.Errorf("%s: %+v %v", email, found, err)
		}
	}
	start := ask(t, "GET", srv.URL+v1Base+"/session/oidc?account="+srv.Account, "")
	target, err := start.Location()
	if err != nil || !strings.HasPrefix(target.String(), provider.URL+"/authorize?") || len(start.Cookies()) != 1 {
		t.Fatal(start.Status, target, err)
	}
	location, err := ask(t, "GET", target.String(), "").Location()
	if err != nil || !strings.HasSuffix(location.Path, "/session/oidc/callback/"+srv.Account) {
		t.Fatal(location, err)
	}
	other := ask(t, "GET", srv.URL+v1Base+"/session/oidc/callback?"+location.RawQuery, "", start.Cookies()[0])
	if got := other.Header.Get("Location"); !strings.Contains(got, "#oidc-") {
		t.Error("the callback of the server takes what the provider of an account says:", got)
	}
	end := ask(t, "GET", srv.URL+location.Path+"?"+location.RawQuery, "", start.Cookies()[0])
	if end.StatusCode != http.StatusSeeOther || end.Header.Get("Location") != "/console/" {
		t.Fatal(end.Status, end.Header)
	}
	if s := readSession(t, srv, end.Cookies()...); s.User == nil || s.User.Email != "kim@shop.example" ||
		!s.Features.OIDC || s.Features.OIDCName != "Shop ID" {
		t.Errorf("%+v", s)
	}
}
