package console

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
)

// The addresses of single sign-on. A browser goes to the first one, and the provider sends it back to the second: both
// answer with a redirect, whatever happens.
const (
	oidcPath         = admin.MemberBase + "/session/oidc"
	oidcCallbackPath = oidcPath + "/callback"
)

func isOIDCCallback(path string) bool {
	return path == oidcCallbackPath || strings.HasPrefix(path, oidcCallbackPath+"/")
}

// oidcRoute returns the route of an address of single sign-on, without the id of an account.
func oidcRoute(path string) string {
	if path == oidcPath {
		return oidcPath
	}
	return oidcCallbackPath
}

// oidcErrorPage is where people go when single sign-on has failed, with the reason behind it.
const oidcErrorPage = basePath + "sign-in#oidc-"

// stepUpPage is where people come back to who have shown again who they are. Where that has failed, the reason is
// behind it.
const stepUpPage = basePath + "confirmed"

// connectPage is where people come back to who have connected their account at the provider. What became of it is
// behind it.
const connectPage = basePath + "me#oidc-"

// trialPage is where an owner comes back to who has tried the provider of their account. What became of it is behind
// it.
const trialPage = basePath + "workspace/sign-in#oidc-"

// The cookie that a browser has between the start and the end of a sign-in.
const (
	secureAttemptCookie = "__Secure-parley-oidc"
	plainAttemptCookie  = "parley-oidc"
)

// Failures that are not those of access.
const (
	oidcBusy  access.OIDCFailure = "busy"  // too many requests, or maintenance
	oidcError access.OIDCFailure = "error" // of this server
)

// serveOIDC begins and ends a sign-in by single sign-on.
func (a *API) serveOIDC(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "Only GET is known here.", http.StatusMethodNotAllowed)
		return
	}
	purpose := a.oidcPurpose(r)
	target, err := a.runOIDC(w, r, purpose)
	if err != nil {
		target = failurePages[purpose] + string(a.oidcFailure(err))
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

// Where people go when it has failed, with the reason behind it, and when it has not.
var (
	failurePages = map[access.OIDCPurpose]string{access.OIDCSignIn: oidcErrorPage,
		access.OIDCStepUp: stepUpPage + "#oidc-", access.OIDCConnect: connectPage, access.OIDCTry: trialPage}
	donePages = map[access.OIDCPurpose]string{access.OIDCSignIn: basePath, access.OIDCStepUp: stepUpPage,
		access.OIDCConnect: connectPage + "connected", access.OIDCTry: trialPage + "works"}
)

func (a *API) oidcPurpose(r *http.Request) access.OIDCPurpose {
	query := r.URL.Query()
	switch {
	case r.URL.Path != oidcPath:
		cookie, err := r.Cookie(a.attemptCookieName(r))
		if err != nil {
			return access.OIDCSignIn
		}
		return access.OIDCPurposeOf(cookie.Value)
	case query.Get("stepUp") == "true":
		return access.OIDCStepUp
	case query.Get("try") == "true":
		return access.OIDCTry
	case query.Get("connect") == "true":
		return access.OIDCConnect
	}
	return access.OIDCSignIn
}

// runOIDC does one of the two steps, and returns where the browser goes next.
func (a *API) runOIDC(w http.ResponseWriter, r *http.Request, purpose access.OIDCPurpose) (target string, err error) {
	if err := a.checkConnection(r); err != nil {
		return "", err
	}
	v := &visitor{client: a.clientOf(r)}
	if _, err := a.countRequest(v); err != nil {
		return "", err
	}
	if r.URL.Path == oidcPath {
		return a.startOIDC(w, r, purpose)
	}
	return donePages[purpose], a.finishOIDC(w, r, v)
}

func (a *API) startOIDC(w http.ResponseWriter, r *http.Request, purpose access.OIDCPurpose) (target string,
	err error) {
	start, err := a.beginOIDC(r, purpose)
	if err != nil {
		return "", err
	}
	w.Header().Add("Set-Cookie", a.newAttemptCookie(r, start.Attempt, start.Lifetime))
	return start.URL, nil
}

func (a *API) beginOIDC(r *http.Request, purpose access.OIDCPurpose) (*access.OIDCStart, error) {
	if purpose == access.OIDCSignIn {
		return a.beginSignIn(r)
	}
	isConnecting := purpose == access.OIDCConnect || purpose == access.OIDCTry
	if isConnecting && !isOwnLink(r) {
		return nil, &access.OIDCError{Failure: access.OIDCOther, Err: errors.New("another site has led here")}
	}
	person, err := a.authenticate(r.Context(), r)
	if err != nil {
		return nil, &access.OIDCError{Failure: access.OIDCOther, Err: err}
	}
	account := parley.AccountID(r.URL.Query().Get("account"))
	if !isConnecting || account == "" && a.Users.OIDC == nil {
		account, _ = a.providerOf(person)
	}
	provider, err := a.findOIDC(r.Context(), account, purpose)
	switch {
	case err != nil:
		return nil, err
	case purpose == access.OIDCTry:
		return provider.StartTrying(r.Context(), person)
	case isConnecting:
		return provider.StartConnecting(r.Context(), person)
	}
	return provider.StartStepUp(r.Context(), person.Session.ID)
}

// beginSignIn begins a sign-in by the provider of the account that the page names, else by that of the server.
func (a *API) beginSignIn(r *http.Request) (*access.OIDCStart, error) {
	query := r.URL.Query()
	provider, err := a.findOIDC(r.Context(), parley.AccountID(query.Get("account")), access.OIDCSignIn)
	switch {
	case err != nil:
		return nil, err
	case isOwnLink(r) && query.Get("replace") == "true":
		return provider.StartReplacing(r.Context())
	}
	return provider.Start(r.Context())
}

// findOIDC returns single sign-on by the provider of an account, or by that of the server if the account is empty.
func (a *API) findOIDC(ctx context.Context, account parley.AccountID,
	purpose access.OIDCPurpose) (*access.OIDC, error) {
	switch {
	case account != "":
		return a.Users.AccountOIDC(ctx, account, purpose)
	case a.Users.OIDC == nil:
		return nil, &access.OIDCError{Failure: access.OIDCUnavailable, Err: errors.New("it is not configured")}
	}
	return a.Users.OIDC, nil
}

// providerOf returns the account by whose provider a person shows who they are, and what it is called: that of their
// session, else the server's, which is the empty account, else that of the only account that they belong to: it must
// not vouch for others.
func (a *API) providerOf(person *access.SignedIn) (account parley.AccountID, name string) {
	for _, m := range person.Memberships {
		isOnly := len(person.Memberships) == 1 && a.Users.OIDC == nil
		if m.SSOName != "" && (m.AccountID == person.Session.SSOAccount() || isOnly) {
			return m.AccountID, m.SSOName
		}
	}
	if a.Users.OIDC != nil {
		name = a.Users.OIDC.Name
	}
	return "", name
}

// isOwnLink reports whether a page of the console has led here: another site must not change what people sign in with.
// Browsers say so but over plain HTTP from elsewhere.
func isOwnLink(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "same-origin" || site == "" && r.TLS == nil && r.Header.Get("X-Forwarded-Proto") != "https"
}

// finishOIDC does what was begun with whom the provider has sent back. The beginning can be used once.
func (a *API) finishOIDC(w http.ResponseWriter, r *http.Request, v *visitor) error {
	attempt := ""
	if cookie, err := r.Cookie(a.attemptCookieName(r)); err == nil {
		attempt = cookie.Value
		w.Header().Add("Set-Cookie", a.newAttemptCookie(r, "", -time.Second))
	}
	opened, err := a.finishWith(r, attempt, v)
	if err != nil || opened == nil {
		return err
	}
	before, _ := a.authenticate(r.Context(), r) // without it there is nothing to end
	a.endBefore(r.Context(), before, opened)
	a.writeCookies(w.Header(), r, opened.Token, opened.Person.Session.ExpiresAt.Sub(a.Now()))
	return nil
}

// finishWith ends the sign-in of the account that the address names, or of the server.
func (a *API) finishWith(r *http.Request, attempt string, v *visitor) (*access.OpenedSession, error) {
	query := r.URL.Query()
	if account := strings.TrimPrefix(r.URL.Path, oidcCallbackPath+"/"); account != r.URL.Path {
		return a.Users.FinishAccountOIDC(r.Context(), parley.AccountID(account), query, attempt, v.client)
	}
	if _, err := a.findOIDC(r.Context(), "", access.OIDCSignIn); err != nil {
		return nil, err
	}
	return a.Users.FinishOIDC(r.Context(), query, attempt, v.client)
}

func (a *API) attemptCookieName(r *http.Request) string {
	if a.isHTTPS(r) {
		return secureAttemptCookie
	}
	return plainAttemptCookie
}

// newAttemptCookie returns a cookie that the callback alone gets. It must come with a request that begins at the
// provider's site, which a strict one does not.
func (a *API) newAttemptCookie(r *http.Request, value string, lifetime time.Duration) string {
	cookie := http.Cookie{
		Name:     a.attemptCookieName(r),
		Value:    value,
		Path:     oidcCallbackPath,
		MaxAge:   int(lifetime.Seconds()),
		HttpOnly: true,
		Secure:   a.isHTTPS(r),
		SameSite: http.SameSiteLaxMode,
	}
	return cookie.String()
}

// oidcFailure logs why a sign-in failed, and returns what the page is told.
func (a *API) oidcFailure(err error) access.OIDCFailure {
	var failed *access.OIDCError
	switch {
	case errors.As(err, &failed):
		a.logger().Info("a single sign-on failed", "reason", failed.Failure, "error", failed.Err)
		return failed.Failure
	case parley.IsCode(err, parley.CodeTooManyRequests), parley.IsCode(err, parley.CodeUnderMaintenance):
		return oidcBusy
	}
	a.logger().Error("a single sign-on failed", "error", err)
	return oidcError
}

func (a *API) logger() *slog.Logger {
	if a.Logger == nil {
		return slog.Default()
	}
	return a.Logger
}
