package console

import (
	"cmp"
	"context"
	"mime"
	"net/http"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	v2 "parley/internal/api/v2"
	"parley/internal/httpapi"
)

// Headers of the console's requests.
const (
	consoleHeader = "Parley-Console" // no other site can send it
	accountHeader = "Parley-Account" // the account that the request is about
	userHeader    = "Parley-User"    // who was signed in when the page was drawn
)

// visitor is who calls an operation on signing in or on themselves.
type visitor struct {
	person *access.SignedIn // nil for who has not signed in
	client access.Client
}

// admit admits a request for the operator's API, or for an operation of the console's own. The caller is a
// *parley.Member or a *visitor.
func (a *API) admit(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	v := &visitor{client: a.clientOf(r)}
	if err := a.checkRequest(r, op); err != nil {
		return httpapi.Admission{}, err
	}
	person, authErr := a.authenticate(ctx, r)
	v.person = person
	admission, err := a.countRequest(v)
	if err == nil {
		err = checkUser(r, v.person, op)
	}
	if err != nil {
		return admission, err
	}
	admission.Caller = v
	switch isOwn := op.Name != "" && op.Permission == ""; {
	case a.open[op.Name]:
		if authErr != nil && !parley.IsCode(authErr, parley.CodeSignInRequired) {
			return admission, authErr
		}
		return admission, nil
	case authErr != nil || isOwn:
		return admission, authErr
	}
	member, err := person.Member(parley.AccountID(r.Header.Get(accountHeader)))
	if err != nil {
		return admission, err
	}
	a.Users.Sessions.NoteMember(ctx, person, member)
	admission.Caller, admission.Account = &member, string(member.Account)
	return admission, cmp.Or(admin.CheckRole(member, op), a.checkStepUp(member, op))
}

// sensitiveOperations are those for which a person must have shown within ten minutes who they are.
var sensitiveOperations = map[string]bool{
	"addChannel":           true,
	"addWebhook":           true,
	"approvePairing":       true,
	"changeChannel":        true,
	"changeWebhook":        true,
	"rotateWebhookSecret":  true,
	"changeMember":         true,
	"changeModelServer":    true,
	"createModelServer":    true,
	"createKey":            true,
	"exportAccount":        true,
	"importAccount":        true,
	"exportAudit":          true,
	"exportConversations":  true,
	"exportPerson":         true,
	"erasePerson":          true,
	"getIdentitySecret":    true,
	"inviteMember":         true,
	"linkMember":           true,
	"removeMember":         true,
	"renewInvitation":      true,
	"rotateIdentitySecret": true,
	"updateAccount":        true,
	"setSingleSignOn":      true,
	"trySingleSignOn":      true,
	"removeSingleSignOn":   true,
	"addSignInDomain":      true,
	"proveSignInDomain":    true,
	"removeSignInDomain":   true,
	"deleteConversations":  true,
	"deleteAgent":          true,
}

// checkStepUp fails with AUTH_STEP_UP_REQUIRED.
func (a *API) checkStepUp(m parley.Member, op *httpapi.Operation) error {
	if !sensitiveOperations[op.Name] {
		return nil
	}
	return access.CheckStepUp(m, a.Now())
}

// admitREST admits a request for REST v2. The caller is an *access.Caller.
func (a *API) admitREST(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	v := &visitor{client: a.clientOf(r)}
	if err := a.checkRequest(r, op); err != nil {
		return httpapi.Admission{}, err
	}
	person, authErr := a.authenticate(ctx, r)
	v.person = person
	admission, err := a.countRequest(v)
	if err == nil {
		err = cmp.Or(checkUser(r, person, op), authErr)
	}
	if err != nil {
		return admission, err
	}
	member, err := person.Member(parley.AccountID(r.Header.Get(accountHeader)))
	if err != nil {
		return admission, err
	}
	a.Users.Sessions.NoteMember(ctx, person, member)
	caller, err := a.Authenticator.MemberCaller(ctx, member)
	if err != nil {
		return admission, err
	}
	admission.Caller, admission.Account = caller, string(member.Account)
	return admission, cmp.Or(caller.CheckScope(op.Scope), caller.CheckScope(op.AdditionalScope),
		checkMasking(member, op), a.checkStepUp(member, op))
}

// checkMasking refuses viewers what personal data is not masked in.
func checkMasking(m parley.Member, op *httpapi.Operation) error {
	if !v2.CanHidePersonalData(op) && !access.SeesPersonalData(m) {
		return parley.NewErrorf(parley.CodeInsufficientScope, "The role %s may not do this.", m.Role)
	}
	return nil
}

// authenticate returns who has signed in. Fails with AUTH_SIGN_IN_REQUIRED.
func (a *API) authenticate(ctx context.Context, r *http.Request) (person *access.SignedIn, err error) {
	err = parley.NewError(parley.CodeSignInRequired)
	for _, c := range r.CookiesNamed(a.cookieName(r)) {
		if !a.isBound(r, c.Value) {
			continue // a cookie that another site of this host has set
		}
		found, foundErr := a.Users.Sessions.Authenticate(ctx, c.Value)
		switch {
		case foundErr != nil && !parley.IsCode(foundErr, parley.CodeSignInRequired):
			return nil, foundErr
		case foundErr != nil: // likewise, by plain HTTP
		case person != nil && person.Session.ID != found.Session.ID:
			return nil, parley.NewErrorf(parley.CodeSignInRequired, "Your browser sends two sessions, of which another site "+
				"of this host has set one. Neither is taken: sign in again.")
		default:
			person, err = found, nil
		}
	}
	return person, err
}

// checkUser fails with AUTH_USER_CHANGED where another person has signed in since the page was drawn: what it shows and
// sends is the former one's. Only who is signed in now is told to every page.
func checkUser(r *http.Request, person *access.SignedIn, op *httpapi.Operation) error {
	name := r.Header.Get(userHeader)
	if name == "" || person == nil || name == string(person.User.ID) || op.Name == sessionOperation {
		return nil
	}
	return parley.NewError(parley.CodeUserChanged)
}

// countRequest counts a request of a person, or of an address.
func (a *API) countRequest(v *visitor) (httpapi.Admission, error) {
	key := "anonymous " + access.NetworkOf(v.client.Address)
	if v.person != nil {
		key = "user " + string(v.person.User.ID)
	}
	state := a.limiter.Take(key, a.Now())
	admission := httpapi.Admission{Rate: httpapi.Rate{Limit: state.Limit, Remaining: state.Remaining, Reset: state.Reset}}
	if v.person != nil {
		admission.CallerKind = httpapi.MemberCaller
	}
	return admission, state.Err()
}

// checkRequest refuses what no page of the console sends.
func (a *API) checkRequest(r *http.Request, op *httpapi.Operation) error {
	if op.Name != sessionOperation {
		if err := a.checkConnection(r); err != nil {
			return err
		}
	}
	if isRead(r) {
		return checkReader(r)
	}
	if err := a.origin.Check(r); err != nil {
		return parley.NewError(parley.CodeForeignOrigin)
	}
	if r.Header.Get(consoleHeader) != "1" {
		return parley.NewErrorf(parley.CodeForeignOrigin, "The header %s: 1 is missing.", consoleHeader)
	}
	if r.ContentLength != 0 && !isConsoleBody(r) {
		return parley.NewErrorf(parley.CodeInvalidJSON, "The Content-Type must be application/json, "+
			"multipart/form-data or application/zip.")
	}
	return nil
}

// checkConnection refuses everything while there is maintenance, and over plain HTTP.
func (a *API) checkConnection(r *http.Request) error {
	if err := a.Authenticator.CheckMaintenance(); err != nil {
		return err
	}
	if a.isInsecure(r) {
		return parley.NewErrorf(parley.CodeForeignOrigin, "The console needs HTTPS, and this request came without. Where "+
			"a proxy speaks HTTPS for this server, the operator sets PARLEY_BASE_URL to its https:// address and "+
			"PARLEY_TRUST_PROXY=true, and has the proxy send X-Forwarded-Proto.")
	}
	return nil
}

// checkReader refuses reading by other sites and by other hosts of this one: they see no answer, but would use up a
// person's requests and streams. Whoever opens an address by hand is no site, and browsers say so.
func checkReader(r *http.Request) error {
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case r.Header.Get(consoleHeader) == "1", site == "same-origin", site == "none":
		return nil
	}
	return parley.NewErrorf(parley.CodeForeignOrigin, "The header %s: 1 is missing.", consoleHeader)
}

// isConsoleBody reports whether a body is of a type that the console sends.
func isConsoleBody(r *http.Request) bool {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && (mediaType == "application/json" || mediaType == "multipart/form-data" ||
		mediaType == "application/zip")
}

func (a *API) clientOf(r *http.Request) access.Client {
	return access.Client{Address: httpapi.ClientAddress(r, a.TrustProxy), UserAgent: r.UserAgent()}
}

// isHTTPS reports whether the browser has reached the console by HTTPS.
func (a *API) isHTTPS(r *http.Request) bool { return a.site().IsHTTPS(r) }

// isInsecure reports whether passwords would cross a network unencrypted.
func (a *API) isInsecure(r *http.Request) bool {
	return !a.AllowInsecure && !a.isHTTPS(r) && !httpapi.IsLocalBrowser(r)
}
