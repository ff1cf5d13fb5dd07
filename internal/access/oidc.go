package access

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"parley"
	"parley/internal/httpclient"
)

// OIDCConfig describes the provider of single sign-on.
type OIDCConfig struct {
	Account      parley.AccountID // whose own provider it is; empty of that of the server
	Issuer       string
	ClientID     string
	ClientSecret string      // empty of a public client
	Domains      []string    // of the e-mail addresses that may sign in; empty for all, or for none of an account's
	JoinRole     parley.Role // who is no member becomes one with it; empty if they do not get in
	Name         string      // for people
	RedirectURL  string      // of the console, where the provider sends people back
	HTTP         *http.Client
}

// OIDC signs people in by OpenID Connect: with the code flow, PKCE and a nonce.
type OIDC struct {
	OIDCConfig
	Now func() time.Time

	isTested bool // of the provider of an account: an owner has signed in by it

	mu       sync.Mutex
	provider *oidcProvider
	foundAt  time.Time // when the provider was found, or could not be
	failure  error     // why it could not
}

// oidcProvider is the provider with what calls it, which learns how the provider wants to be told the client's secret.
type oidcProvider struct {
	*oidc.Provider
	client *oauth2.Config
}

const (
	oidcAttemptDuration = 10 * time.Minute // from the start of a sign-in to its end
	oidcTimeout         = 15 * time.Second // of all calls of the provider for one sign-in
	providerLifetime    = 24 * time.Hour   // then its addresses are asked for again
	providerRetry       = 5 * time.Second  // after which a provider that was not there is asked again
	maxSubjectLength    = 255
	oidcClockDrift      = 30 // seconds, between the provider and this server
)

// NewOIDC returns single sign-on by a provider, which is not called before somebody signs in.
func NewOIDC(cfg OIDCConfig, now func() time.Time) *OIDC {
	if cfg.HTTP == nil {
		own := *(&httpclient.Client{}).HTTPClient()
		own.Timeout = oidcTimeout
		cfg.HTTP = &own
	}
	return &OIDC{OIDCConfig: cfg, Now: now}
}

// OIDCFailure is why a sign-in failed, for the page.
type OIDCFailure string

// The reasons.
const (
	OIDCDenied      OIDCFailure = "denied"      // by the person or the provider
	OIDCExpired     OIDCFailure = "expired"     // it took too long, or another browser has begun it
	OIDCInvalid     OIDCFailure = "invalid"     // the provider's answer is not what was asked for
	OIDCUnavailable OIDCFailure = "unavailable" // the provider does not answer
	OIDCUnproved    OIDCFailure = "unproved"    // the member has another way in that somebody else may have made
	OIDCUnverified  OIDCFailure = "unverified"  // the provider does not vouch for the e-mail address
	OIDCDomain      OIDCFailure = "domain"      // the address is of a domain that may not sign in
	OIDCNoMember    OIDCFailure = "no-member"   // the person is no member and may not become one
	OIDCConflict    OIDCFailure = "conflict"    // somebody else has signed in with the address
	OIDCSetup       OIDCFailure = "setup"       // nobody joins before the first person has set the server up
	OIDCStale       OIDCFailure = "stale"       // the provider has not asked again who it is
	OIDCAddress     OIDCFailure = "address"     // the account to connect has another address than the person
	OIDCForeign     OIDCFailure = "foreign"     // the person belongs to other accounts too, and has not connected it
	OIDCOther       OIDCFailure = "other"       // somebody else has shown who they are, or the session has ended
)

// OIDCError is a sign-in that failed.
type OIDCError struct {
	Failure OIDCFailure
	Err     error // for the log; nil if the failure says it all
}

func (e *OIDCError) Error() string { return fmt.Sprintf("single sign-on (%s): %v", e.Failure, e.Err) }

func (e *OIDCError) Unwrap() error { return e.Err }

func oidcFailure(f OIDCFailure, format string, args ...any) error {
	return &OIDCError{f, fmt.Errorf(format, args...)}
}

// oidcAttempt is what the browser keeps between the start and the end of a sign-in, in a cookie that only the console's
// callback gets. It binds the answer to the browser that has begun.
type oidcAttempt struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // of PKCE
	Begun    int64  `json:"t"` // Unix seconds

	Account parley.AccountID    `json:"a,omitempty"` // whose provider it is; empty of that of the server
	Session parley.WebSessionID `json:"u,omitempty"` // whose person steps up or connects; empty for signing in
	User    parley.UserID       `json:"c,omitempty"` // who connects; empty for signing in and stepping up

	IsTrial  bool `json:"y,omitempty"` // of the provider of an account that may not count yet
	Replaces bool `json:"r,omitempty"` // ends every other way in of who has not shown yet that their address is theirs
}

// OIDCStart is the beginning of a sign-in.
type OIDCStart struct {
	URL      string // of the provider, where the browser goes
	Attempt  string // for a cookie
	Lifetime time.Duration
}

// Start begins a sign-in. Fails with an *OIDCError.
func (o *OIDC) Start(ctx context.Context) (*OIDCStart, error) { return o.start(ctx, oidcAttempt{}) }

// StartReplacing begins a sign-in that ends every other way in of somebody who has one, and had not shown yet that
// their address is theirs. Fails with an *OIDCError.
func (o *OIDC) StartReplacing(ctx context.Context) (*OIDCStart, error) {
	return o.start(ctx, oidcAttempt{Replaces: true})
}

// StartStepUp has the person of a session show again who they are: the provider is told to ask them, however recently
// it has done so. Fails with an *OIDCError.
func (o *OIDC) StartStepUp(ctx context.Context, session parley.WebSessionID) (*OIDCStart, error) {
	return o.startAsking(ctx, oidcAttempt{Session: session})
}

// StartConnecting has the person of a session connect their account at the provider, which is told to ask for it. Fails
// with an *OIDCError.
func (o *OIDC) StartConnecting(ctx context.Context, person *SignedIn) (*OIDCStart, error) {
	return o.startAsking(ctx, oidcAttempt{Session: person.Session.ID, User: person.User.ID})
}

// StartTrying is StartConnecting for an owner who tries the provider of their account. Fails with an *OIDCError.
func (o *OIDC) StartTrying(ctx context.Context, person *SignedIn) (*OIDCStart, error) {
	return o.startAsking(ctx, oidcAttempt{Session: person.Session.ID, User: person.User.ID, IsTrial: true})
}

func (o *OIDC) startAsking(ctx context.Context, a oidcAttempt) (*OIDCStart, error) {
	return o.start(ctx, a, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
}

func (o *OIDC) start(ctx context.Context, a oidcAttempt, options ...oauth2.AuthCodeOption) (*OIDCStart, error) {
	provider, err := o.findProvider(ctx)
	if err != nil {
		return nil, err
	}
	a.State, a.Nonce, a.Verifier, a.Begun = newToken(), newToken(), oauth2.GenerateVerifier(), o.Now().Unix()
	a.Account = o.Account
	options = append(options, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier))
	text, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	return &OIDCStart{
		URL:     provider.client.AuthCodeURL(a.State, options...),
		Attempt: base64.RawURLEncoding.EncodeToString(text), Lifetime: oidcAttemptDuration,
	}, nil
}

// findProvider returns the provider's addresses, which it asks for when they are needed first, and then once a day.
func (o *OIDC) findProvider(ctx context.Context) (*oidcProvider, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	age := o.Now().Sub(o.foundAt)
	switch {
	case o.provider != nil && age < providerLifetime:
		return o.provider, nil
	case o.provider == nil && o.failure != nil && age < providerRetry:
		return nil, o.failure
	}
	// What is found serves others too, so that the end of this request must not cut it short.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), o.HTTP), o.Issuer)
	o.foundAt = o.Now()
	switch {
	case err == nil:
		o.provider, o.failure = o.newProvider(found), nil
	case o.provider != nil: // the old addresses are the best there are
		o.foundAt = o.foundAt.Add(providerRetry - providerLifetime)
	default:
		o.failure = oidcFailure(OIDCUnavailable, "the provider %s: %w", o.Issuer, err)
	}
	return o.provider, o.failure
}

func (o *OIDC) newProvider(found *oidc.Provider) *oidcProvider {
	return &oidcProvider{found, &oauth2.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret,
		Endpoint: found.Endpoint(), RedirectURL: o.RedirectURL,
		Scopes: []string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail}}}
}

// oidcIdentity is who the provider says that somebody is.
type oidcIdentity struct {
	From    *OIDC // who says so
	Issuer  string
	Subject string
	Email   string // verified, of an allowed domain
	Name    string // fit for a user

	Session  parley.WebSessionID // as that of oidcAttempt
	User     parley.UserID       // as that of oidcAttempt
	Replaces bool                // as that of oidcAttempt
	IsAsked  bool                // the provider has asked since the beginning who it is
}

// identify returns who has signed in, by the parameters with which the browser came back and by what it has kept of the
// start. Fails with an *OIDCError.
func (o *OIDC) identify(ctx context.Context, query url.Values, cookie string) (*oidcIdentity, error) {
	attempt, err := o.checkAttempt(query, cookie)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, o.HTTP), oidcTimeout)
	defer cancel()
	provider, err := o.findProvider(ctx)
	if err != nil {
		return nil, err
	}
	token, err := provider.client.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(attempt.Verifier))
	if err != nil {
		return nil, exchangeFailure(err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: o.ClientID, Now: o.Now}).Verify(ctx, raw)
	if err != nil {
		return nil, oidcFailure(OIDCInvalid, "the ID token: %w", err)
	}
	claims, err := o.readClaims(id, attempt)
	if err != nil {
		return nil, err
	}
	if claims.Email == "" {
		if err := claims.addUserInfo(ctx, provider, token, id.Subject); err != nil {
			return nil, err
		}
	}
	identity, err := o.newIdentity(id, claims)
	if err == nil {
		identity.Session, identity.User, identity.Replaces = attempt.Session, attempt.User, attempt.Replaces
		identity.IsAsked = claims.isAskedSince(attempt.Begun)
	}
	return identity, err
}

func readAttempt(cookie string) (a oidcAttempt, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cookie)
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	return a, err
}

// OIDCPurpose is what somebody goes to the provider for.
type OIDCPurpose int

// The purposes.
const (
	OIDCSignIn OIDCPurpose = iota
	OIDCStepUp
	OIDCConnect
	OIDCTry // to connect, by the provider of an account, which counts from then on
)

// OIDCPurposeOf returns for what a browser has begun what it has kept.
func OIDCPurposeOf(cookie string) OIDCPurpose {
	a, err := readAttempt(cookie)
	switch {
	case err != nil || a.Session == "":
		return OIDCSignIn
	case a.User == "":
		return OIDCStepUp
	case a.IsTrial:
		return OIDCTry
	}
	return OIDCConnect
}

// checkAttempt checks that the browser is the one that has begun, and that it comes back with a code.
func (o *OIDC) checkAttempt(query url.Values, cookie string) (*oidcAttempt, error) {
	a, err := readAttempt(cookie)
	age := o.Now().Sub(time.Unix(a.Begun, 0))
	switch {
	case err != nil || a.State == "" || a.Nonce == "" || a.Verifier == "":
		return nil, oidcFailure(OIDCExpired, "the browser has not kept the beginning")
	case subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(a.State)) != 1:
		return nil, oidcFailure(OIDCExpired, "the state is another one")
	case a.Account != o.Account:
		return nil, oidcFailure(OIDCExpired, "it was begun with another provider")
	case age >= oidcAttemptDuration || age < -time.Minute:
		return nil, oidcFailure(OIDCExpired, "it was begun %s ago", age)
	case query.Has("iss") && query.Get("iss") != o.Issuer:
		return nil, oidcFailure(OIDCInvalid, "the answer is of another issuer")
	case query.Get("error") != "":
		return nil, oidcFailure(OIDCDenied, "the provider says %q", clipText(query.Get("error")))
	case query.Get("code") == "":
		return nil, oidcFailure(OIDCInvalid, "there is no code")
	}
	return &a, nil
}

// exchangeFailure tells a provider that refuses the code from one that does not answer.
func exchangeFailure(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return oidcFailure(OIDCUnavailable, "the code could not be exchanged: %w", err)
	}
	return oidcFailure(OIDCInvalid, "the provider refuses the code: %d %s", refused.Response.StatusCode,
		clipText(refused.ErrorCode))
}

// clipText returns the beginning of what a provider says, for a log.
func clipText(s string) string { return cutText(s, 100) }

// oidcClaims are the claims that count.
type oidcClaims struct {
	Email         string    `json:"email"`
	EmailVerified looseBool `json:"email_verified"`
	Name          string    `json:"name"`
	Party         string    `json:"azp"` // to whom the token was given
	AuthTime      float64   `json:"auth_time"`
}

// looseBool is true or "true", as some providers write it.
type looseBool bool

// UnmarshalJSON implements json.Unmarshaler.
func (b *looseBool) UnmarshalJSON(text []byte) error {
	*b = looseBool(slices.Contains([]string{`true`, `"true"`}, string(text)))
	return nil
}

func (o *OIDC) readClaims(id *oidc.IDToken, attempt *oidcAttempt) (c oidcClaims, err error) {
	if err := id.Claims(&c); err != nil {
		return c, oidcFailure(OIDCInvalid, "the claims: %w", err)
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(attempt.Nonce)) != 1:
		return c, oidcFailure(OIDCInvalid, "the nonce is another one")
	case id.Subject == "" || len(id.Subject) > maxSubjectLength:
		return c, oidcFailure(OIDCInvalid, "the subject is empty or too long")
	case c.Party != "" && c.Party != o.ClientID || len(id.Audience) > 1 && c.Party == "":
		return c, oidcFailure(OIDCInvalid, "the ID token is for another client")
	case attempt.Session != "" && attempt.User == "" && !c.isAskedSince(attempt.Begun):
		return c, oidcFailure(OIDCStale, "the provider has last asked who it is before it was told to (auth_time %.0f)",
			c.AuthTime)
	}
	return c, nil
}

// isAskedSince reports whether the provider says that it has asked since a time, in Unix seconds, who it is.
func (c *oidcClaims) isAskedSince(begun int64) bool { return int64(c.AuthTime)+oidcClockDrift >= begun }

// addUserInfo reads the e-mail address from where some providers have it alone.
func (c *oidcClaims) addUserInfo(ctx context.Context, provider *oidcProvider, token *oauth2.Token,
	subject string) error {
	if provider.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	switch {
	case err != nil:
		return oidcFailure(OIDCUnavailable, "the user info: %w", err)
	case info.Subject != subject:
		return oidcFailure(OIDCInvalid, "the user info is of another subject")
	}
	c.Email, c.EmailVerified = info.Email, looseBool(info.EmailVerified)
	return nil
}

// newIdentity checks the e-mail address, which says who of the members it is.
func (o *OIDC) newIdentity(id *oidc.IDToken, c oidcClaims) (*oidcIdentity, error) {
	email := strings.ToLower(strings.TrimSpace(c.Email))
	switch {
	case !isPlausibleEmail(email) || !bool(c.EmailVerified):
		return nil, oidcFailure(OIDCUnverified, "the e-mail address of %q is missing or not verified", id.Subject)
	case !o.allowsDomain(email):
		return nil, oidcFailure(OIDCDomain, "the domain of the e-mail address of %q is not allowed", id.Subject)
	}
	name := cutText(parley.TrimName(c.Name), maxUserNameLength)
	if !parley.IsVisible(name) {
		name = ""
	}
	before, _, _ := strings.Cut(email, "@")
	return &oidcIdentity{From: o, Issuer: o.Issuer, Subject: id.Subject, Email: email,
		Name: cmp.Or(name, cutText(before, maxUserNameLength))}, nil
}

const maxUserNameLength = 100

func (o *OIDC) allowsDomain(email string) bool {
	domain := emailDomain(email)
	return len(o.Domains) == 0 && o.Account == "" || slices.ContainsFunc(o.Domains, func(allowed string) bool {
		return allowed == "*" || strings.EqualFold(allowed, domain)
	})
}

func emailDomain(email string) string {
	return strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
}
