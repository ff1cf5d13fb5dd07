// Package oidcprovider is a provider of OpenID Connect for tests: it signs with a real key, insists on PKCE, and takes
// each code once.
package oidcprovider

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc/oidctest"
)

// The client that the provider knows.
const (
	ClientID     = "parley-test"
	ClientSecret = "not so secret"
)

const keyID = "key-1"

// Provider is a running provider. It signs in whom Person says, without asking.
type Provider struct {
	URL string // the issuer

	key *rsa.PrivateKey
	now func() time.Time

	mu     sync.Mutex
	person map[string]any
	change func(claims map[string]any) // of ID tokens
	info   map[string]any              // of the user; nil for that of the person
	grants map[string]grant
	calls  map[string]int
}

// grant is what a code stands for.
type grant struct {
	nonce, challenge, redirect string
	isAsked                    bool // the person was asked who they are, however recently before
}

// Start starts a provider, which the end of the test stops.
func Start(t testing.TB, now func() time.Time) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, now: now, grants: map[string]grant{}, calls: map[string]int{}}
	p.SignInAs("subject-1", "kim@shop.example", true, "Kim Marlow")
	mux := http.NewServeMux()
	for path, handler := range map[string]http.HandlerFunc{
		"/.well-known/openid-configuration": p.discover, "/keys": p.keys, "/authorize": p.authorize, "/token": p.token,
		"/userinfo": p.userInfo,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.calls[path]++
			handler(w, r)
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// SignInAs sets who signs in from now on.
func (p *Provider) SignInAs(subject, email string, isVerified bool, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.person = map[string]any{"sub": subject, "email": email, "email_verified": isVerified, "name": name}
	p.change, p.info = nil, nil
}

// ChangeClaims has the claims of ID tokens changed from now on.
func (p *Provider) ChangeClaims(change func(claims map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.change = change
}

// SetUserInfo sets what the user info says.
func (p *Provider) SetUserInfo(info map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info = info
}

// Calls returns how often a path was asked for.
func (p *Provider) Calls(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[path]
}

func (p *Provider) discover(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "userinfo_endpoint": p.URL + "/userinfo",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	encode := base64.RawURLEncoding.EncodeToString
	writeJSON(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "kid": keyID, "alg": "RS256", "use": "sig", "n": encode(p.key.N.Bytes()),
		"e": encode(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}

// authorize sends the browser back with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != ClientID || q.Get("state") == "" ||
		q.Get("nonce") == "" || !strings.Contains(q.Get("scope"), "openid") || q.Get("code_challenge") == "" ||
		q.Get("code_challenge_method") != "S256" {
		http.Error(w, "not a request for a code with PKCE, state and nonce: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.grants[code] = grant{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri"),
		q.Get("prompt") == "login" && q.Get("max_age") == "0"}
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// token exchanges a code once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if id != ClientID || secret != url.QueryEscape(ClientSecret) {
		writeJSON(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	g, isKnown := p.grants[r.FormValue("code")]
	delete(p.grants, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !isKnown || r.FormValue("grant_type") != "authorization_code" || r.FormValue("redirect_uri") != g.redirect ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := maps.Clone(p.person)
	claims["iss"], claims["aud"], claims["nonce"] = p.URL, ClientID, g.nonce
	claims["iat"], claims["exp"] = p.now().Unix(), p.now().Add(time.Hour).Unix()
	if g.isAsked {
		claims["auth_time"] = p.now().Unix()
	}
	if p.change != nil {
		p.change(claims)
	}
	key := p.key
	if claims["signed_by_another"] != nil {
		key, _ = rsa.GenerateKey(rand.Reader, 2048) // never fails
	}
	text, _ := json.Marshal(claims) // of texts and numbers
	writeJSON(w, http.StatusOK, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 3600,
		"id_token": oidctest.SignIDToken(key, keyID, "RS256", string(text))})
}

func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer access" {
		http.Error(w, "no token", http.StatusUnauthorized)
		return
	}
	info := p.info
	if info == nil {
		info = p.person
	}
	writeJSON(w, http.StatusOK, info)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone
}
