package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

const (
	redirect = "http://127.0.0.1:6274/oauth/callback"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// challenge is that of the verifier (RFC 7636, appendix B).
func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// browser talks to a server and follows no redirects.
type browser struct {
	*testing.T
	srv    *testkit.Server
	client string // id of the registered client
}

func open(t *testing.T, options ...testkit.Option) *browser {
	t.Helper()
	b := &browser{T: t, srv: testkit.Open(t, options...)}
	b.client = b.register(`{"client_name": "Test <b>client</b>", "redirect_uris": ["` + redirect + `"],
		"token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"]}`)
	return b
}

// send sends a request with a body of a media type, and returns the reply.
func (b *browser) send(method, path, mediaType, body string) (*http.Response, string) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, b.srv.URL+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if mediaType != "" {
		req.Header.Set("Content-Type", mediaType)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	return resp, string(text)
}

func (b *browser) register(body string) (id string) {
	b.Helper()
	resp, text := b.send("POST", "/oauth/register", "application/json", body)
	var got struct {
		ClientID     string   `json:"client_id"`
		RedirectURIs []string `json:"redirect_uris"`
		AuthMethod   string   `json:"token_endpoint_auth_method"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || resp.StatusCode != http.StatusCreated ||
		got.ClientID == "" || len(got.RedirectURIs) == 0 || got.AuthMethod != "none" {
		b.Fatal(resp.StatusCode, text)
	}
	return got.ClientID
}

// request returns the parameters of a request for access, with changes.
func (b *browser) request(change ...string) url.Values {
	all := url.Values{"response_type": {"code"}, "client_id": {b.client}, "redirect_uri": {redirect}, "state": {"s 1"},
		"code_challenge": {challenge()}, "code_challenge_method": {"S256"}, "scope": {"agents:read"},
		"resource": {b.srv.URL + "/api/mcp"}}
	for i := 0; i+1 < len(change); i += 2 {
		all.Set(change[i], change[i+1])
	}
	return all
}

const formType = "application/x-www-form-urlencoded"

// allow lets the client in with a key, and returns where the browser is led to.
func (b *browser) allow(key string) *url.URL {
	b.Helper()
	resp, text := b.send("POST", "/oauth/authorize", formType, b.request("decision", "allow", "key", key).Encode())
	at, err := resp.Location()
	if err != nil || resp.StatusCode != http.StatusSeeOther {
		b.Fatal(resp.StatusCode, text)
	}
	return at
}

// exchange exchanges a code, with changes of the request.
func (b *browser) exchange(code string, change ...string) (status int, token map[string]any) {
	b.Helper()
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect},
		"client_id": {b.client}, "code_verifier": {verifier}}
	for i := 0; i+1 < len(change); i += 2 {
		form.Set(change[i], change[i+1])
	}
	resp, text := b.send("POST", "/oauth/token", formType, form.Encode())
	if err := json.Unmarshal([]byte(text), &token); err != nil || resp.Header.Get("Cache-Control") != "no-store" {
		b.Fatal(err, text, resp.Header)
	}
	return resp.StatusCode, token
}

// TestClientGetsAccess walks from the refusal of MCP to a tool, as clients of MCP do.
func TestClientGetsAccess(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			b := open(t, options...)
			resp, _ := b.send("POST", "/api/mcp", "application/json", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`)
			_, document, ok := strings.Cut(resp.Header.Get("WWW-Authenticate"), `resource_metadata="`+b.srv.URL)
			if !ok || resp.StatusCode != http.StatusUnauthorized {
				t.Fatal(resp.StatusCode, resp.Header)
			}
			_, text := b.send("GET", strings.TrimSuffix(document, `"`), "", "")
			if !strings.Contains(text, `"resource":"`+b.srv.URL+`/api/mcp"`) ||
				!strings.Contains(text, `"authorization_servers":["`+b.srv.URL+`"]`) {
				t.Fatal(text)
			}
			_, text = b.send("GET", "/.well-known/oauth-authorization-server", "", "")
			for _, member := range []string{`"issuer":"` + b.srv.URL + `"`, `"code_challenge_methods_supported":["S256"]`,
				`"registration_endpoint":"` + b.srv.URL + `/oauth/register"`, `"token_endpoint":"` + b.srv.URL + `/oauth/token"`} {
				if !strings.Contains(text, member) {
					t.Errorf("%s lacks %s", text, member)
				}
			}
			at := b.allow(b.srv.Key)
			answer := at.Query()
			if !strings.HasPrefix(at.String(), redirect+"?") || answer.Get("state") != "s 1" ||
				answer.Get("iss") != b.srv.URL || strings.Contains(at.String(), b.srv.Key) {
				t.Fatal(at)
			}
			status, token := b.exchange(answer.Get("code"))
			if status != http.StatusOK || token["access_token"] != b.srv.Key || token["token_type"] != "Bearer" ||
				!strings.Contains(fmt.Sprint(token["scope"]), "agents:read") || token["expires_in"] != nil {
				t.Fatal(status, token)
			}
			if status, token := b.exchange(answer.Get("code")); status != 400 || token["error"] != "invalid_grant" {
				t.Error("a code was used twice: ", status, token)
			}
		})
	}
}

// TestConsentPage checks what a person sees, and that nothing happens without them.
func TestConsentPage(t *testing.T) {
	b := open(t)
	resp, text := b.send("GET", "/oauth/authorize?"+b.request().Encode(), "", "")
	policy := resp.Header.Get("Content-Security-Policy")
	if resp.StatusCode != http.StatusOK || !strings.Contains(text, "Test &lt;b&gt;client&lt;/b&gt;") ||
		!strings.Contains(text, "127.0.0.1:6274") || !strings.Contains(policy, "frame-ancestors 'none'") ||
		!strings.Contains(policy, "form-action 'self' http://127.0.0.1:6274") {
		t.Error(resp.StatusCode, policy, text)
	}
	if resp, _ := b.send("GET", "/oauth/consent.css", "", ""); resp.StatusCode != http.StatusOK {
		t.Error("the page has no style")
	}
	for key, status := range map[string]int{"": 403, "pk_wrong": 403} {
		resp, text := b.send("POST", "/oauth/authorize", formType, b.request("decision", "allow", "key", key).Encode())
		if resp.StatusCode != status || !strings.Contains(text, `role="alert"`) || strings.Contains(text, "pk_wrong") {
			t.Error(resp.StatusCode, text)
		}
	}
	_, poor := b.srv.NewAccount(t, admin.NewAccount{Name: "Poor", Plan: "hobby"})
	if resp, text := b.send("POST", "/oauth/authorize", formType,
		b.request("decision", "allow", "key", poor).Encode()); resp.StatusCode != http.StatusForbidden {
		t.Error(resp.StatusCode, text)
	}
	resp, _ = b.send("POST", "/oauth/authorize", formType, b.request("decision", "deny", "key", b.srv.Key).Encode())
	if at, err := resp.Location(); err != nil || at.Query().Get("error") != "access_denied" || at.Query().Has("code") {
		t.Error(err, at)
	}
}

// TestInvalidRequestsForAccess checks that nobody is led anywhere by a request that is wrong.
func TestInvalidRequestsForAccess(t *testing.T) {
	b := open(t)
	for name, change := range map[string][]string{
		"another address":    {"redirect_uri", "https://evil.example/callback"},
		"another path":       {"redirect_uri", "http://127.0.0.1:6274/other"},
		"no address":         {"redirect_uri", ""},
		"an unknown client":  {"client_id", "nobody"},
		"an invented client": {"client_id", "eyJuIjoieCIsInIiOltdfQ.AAAA"},
		"no code":            {"response_type", "token"},
		"no challenge":       {"code_challenge", ""},
		"another method":     {"code_challenge_method", "plain"},
	} {
		resp, text := b.send("GET", "/oauth/authorize?"+b.request(change...).Encode(), "", "")
		if resp.StatusCode != http.StatusBadRequest || strings.Contains(text, "<form") ||
			resp.Header.Get("Location") != "" {
			t.Errorf("%s: %d %s", name, resp.StatusCode, text)
		}
	}
	resp, _ := b.send("GET",
		"/oauth/authorize?"+b.request("redirect_uri", "http://127.0.0.1:9999/oauth/callback").Encode(), "", "")
	if resp.StatusCode != http.StatusOK {
		t.Error("a client of this machine may have another port")
	}
}

// TestCodesAreBound checks that a code is good for the request that it was given for, for a minute, and once.
func TestCodesAreBound(t *testing.T) {
	now := clock.New()
	b := open(t, testkit.WithClock(now))
	code := b.allow(b.srv.Key).Query().Get("code")
	other := b.register(`{"redirect_uris": ["` + redirect + `"]}`)
	for name, change := range map[string][]string{
		"another verifier":  {"code_verifier", "wrong"},
		"another client":    {"client_id", other},
		"another address":   {"redirect_uri", "http://127.0.0.1:1/oauth/callback"},
		"an invented code":  {"code", "AAAA"},
		"no code":           {"code", ""},
		"a code cut short":  {"code", code[:len(code)-4]},
		"something at once": {"code_verifier", ""},
	} {
		if status, token := b.exchange(code, change...); status != 400 || token["error"] != "invalid_grant" {
			t.Errorf("%s: %d %v", name, status, token)
		}
	}
	if status, token := b.exchange(code, "grant_type", "refresh_token"); status != 400 ||
		token["error"] != "unsupported_grant_type" {
		t.Error(status, token)
	}
	now.Advance(2 * time.Minute)
	if status, token := b.exchange(code); status != 400 || token["error"] != "invalid_grant" {
		t.Error("a code is good for two minutes: ", status, token)
	}
	until := now.Now().Add(time.Hour)
	key, err := admin.RunOn(t.Context(), b.srv.AdminService, admin.CreateKey, admin.NewKey{AccountID: b.srv.Account,
		Name: "Assistant", Scopes: []string{string(parley.AgentsRead)}, ExpiresAt: &until})
	if err != nil {
		t.Fatal(err)
	}
	status, token := b.exchange(b.allow(key.APIKey).Query().Get("code"))
	if status != 200 || token["scope"] != "agents:read" || token["expires_in"] != 3600.0 {
		t.Error(status, token)
	}
}

// TestInvalidRegistrations checks which addresses clients may be led to.
func TestInvalidRegistrations(t *testing.T) {
	b := open(t)
	for address, isAllowed := range map[string]bool{
		"https://app.example/callback": true, "http://localhost:8080/callback": true, "http://[::1]:1/callback": true,
		"cursor://anysphere.cursor-mcp/oauth/callback": true,
		"http://app.example/callback":                  false, "javascript:alert(1)": false, "data:text/html,x": false,
		"https://app.example/#x": false, "": false, "/callback": false, "https://user@app.example/": false,
	} {
		resp, text := b.send("POST", "/oauth/register", "application/json",
			fmt.Sprintf(`{"redirect_uris": [%q]}`, address))
		if (resp.StatusCode == http.StatusCreated) != isAllowed ||
			!isAllowed && !strings.Contains(text, `"error":"invalid_redirect_uri"`) {
			t.Errorf("%s: %d %s", address, resp.StatusCode, text)
		}
	}
	for _, body := range []string{`{}`, `{"redirect_uris": []}`, `[`} {
		resp, text := b.send("POST", "/oauth/register", "application/json", body)
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(text, `"error":"invalid_request"`) {
			t.Errorf("%s: %d %s", body, resp.StatusCode, text)
		}
	}
	long := `{"redirect_uris": ["https://app.example/` + strings.Repeat("a", 3000) + `"]}`
	if resp, text := b.send("POST", "/oauth/register", "application/json", long); resp.StatusCode != 400 ||
		!strings.Contains(text, "invalid_client_metadata") {
		t.Error(resp.StatusCode, text)
	}
}
