package console

import (
	"errors"
	"log/slog"
	"net/http"
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

// oidcErrorPage is where people go when single sign-on has failed, with the reason behind it.
const oidcErrorPage = basePath + "sign-in#oidc-"

// stepUpPage is where people come back to who have shown again who they are. Where that has failed, the reason is
// behind it.
const stepUpPage = basePath + "confirmed"

// connectPage is where people come back to who have connected their account at the provider. What became of it is
// behind it.
const connectPage = basePath + "me#oidc-"

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
		access.OIDCStepUp: stepUpPage + "#oidc-", access.OIDCConnect: connectPage}
	donePages = map[access.OIDCPurpose]string{access.OIDCSignIn: basePath, access.OIDCStepUp: stepUpPage,
		access.OIDCConnect: connectPage + "connected"}
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
	case query.Get("connect") == "true":
		return access.OIDCConnect
	}
	return access.OIDCSignIn
}

// runOIDC does one of the two steps, and returns where the browser goes next.
func (a *API) runOIDC(w http.ResponseWriter, r *http.Request, purpose access.OIDCPurpose) (target string, err error) {
	if a.Users.OIDC == nil {
		return "", &access.OIDCError{Failure: access.OIDCUnavailable, Err: errors.New("it is not configured")}
	}
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
	isSignIn := purpose == access.OIDCSignIn
	switch {
	case isSignIn && isOwnLink(r) && r.URL.Query().Get("replace") == "true":
		return a.Users.OIDC.StartReplacing(r.Context())
	case isSignIn:
		return a.Users.OIDC.Start(r.Context())
	case purpose == access.OIDCConnect && !isOwnLink(r):
		return nil, &access.OIDCError{Failure: access.OIDCOther, Err: errors.New("another site has led here")}
	}
	person, err := a.authenticate(r.Context(), r)
	if err != nil {
		return nil, &access.OIDCError{Failure: access.OIDCOther, Err: err}
	}
	if purpose == access.OIDCConnect {
		return a.Users.OIDC.StartConnecting(r.Context(), person)
	}
	return a.Users.OIDC.StartStepUp(r.Context(), person.Session.ID)
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
	opened, err := a.Users.FinishOIDC(r.Context(), r.URL.Query(), attempt, v.client)
	if err != nil || opened == nil {
		return err
	}
	before, _ := a.authenticate(r.Context(), r) // without it there is nothing to end
	a.endBefore(r.Context(), before, opened)
	a.writeCookies(w.Header(), r, opened.Token, opened.Person.Session.ExpiresAt.Sub(a.Now()))
	return nil
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
