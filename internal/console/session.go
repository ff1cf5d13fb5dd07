package console

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/httpapi"
	"parley/internal/ingest"
)

type (
	call       = httpapi.Call
	operation  = httpapi.Operation
	errorCodes = []parley.Code
)

// sessionOperation is the operation that tells whether the console can be used at all.
const sessionOperation = "getSession"

// signInTag is the tag of the console's own operations.
const signInTag = "Signing in"

// addOpen adds an operation for whoever has not signed in.
func addOpen[In, Out any](a *API, route string, op operation, handle httpapi.Handler[In, Out]) {
	a.open[op.Name] = true
	httpapi.Add(httpapi.Group{API: a.members, Tag: signInTag, Reason: admin.ReasonPeople}, route, op, handle)
}

// addPersonal adds an operation for whoever has signed in, whatever their role.
func addPersonal[In, Out any](a *API, route string, op operation, handle httpapi.Handler[In, Out]) {
	op.Errors = append(op.Errors, parley.CodeSignInRequired)
	httpapi.Add(httpapi.Group{API: a.members, Tag: signInTag, Reason: admin.ReasonPeople}, route, op, handle)
}

func (a *API) addSessionRoutes() {
	addOpen(a, "GET /session", operation{
		Name:    sessionOperation,
		Summary: "Who is signed in, and how one can sign in",
	}, a.getSession)
	addOpen(a, "POST /session", operation{
		Name:    "signIn",
		Summary: "Sign in with a password",
		Errors:  errorCodes{parley.CodeSignInFailed, parley.CodeSSORequired, parley.CodeTooManyRequests},
	}, a.signIn)
	addOpen(a, "DELETE /session", operation{
		Name:    "signOut",
		Summary: "End the session",
	}, a.signOut)
	addOpen(a, "POST /session/link", operation{
		Name:    "requestLink",
		Summary: "Have a link for signing in mailed",
		Status:  http.StatusAccepted,
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeTooManyRequests},
	}, a.requestLink)
	addOpen(a, "POST /session/link-state", operation{
		Name:    "checkLink",
		Summary: "What a link is for",
		Errors:  errorCodes{parley.CodeInvalidLink},
	}, a.checkLink)
	addOpen(a, "POST /session/redeem", operation{
		Name:    "redeemLink",
		Summary: "Use a link, and sign in",
		Errors: errorCodes{parley.CodeInvalidLink, parley.CodeSignInRequired, parley.CodeOtherSignIn,
			parley.CodePasskeyFailed},
	}, a.redeemLink)
	addOpen(a, "POST /session/provider", operation{
		Name:    "findProvider",
		Summary: "By which provider of an account people with an e-mail address sign in",
	}, a.findProvider)
	addPersonal(a, "POST /session/step-up", operation{
		Name:    "stepUp",
		Summary: "Show again who you are",
		Errors:  errorCodes{parley.CodeSignInFailed, parley.CodeSecondStep, parley.CodeTooManyRequests},
	}, a.stepUp)
}

// visitorOf returns who called an operation of the console's own.
func visitorOf(c *call) *visitor { return c.Caller.(*visitor) }

// Session is who is signed in, and how one can sign in.
type Session struct {
	User        *Me            `json:"user" doc:"Null where nobody is signed in."`
	Memberships []Membership   `json:"memberships"`
	Features    SignInFeatures `json:"features"`
	NeedsSetup  bool           `json:"needsSetup" doc:"Nobody can sign in yet but by the link that the server prints."`
	Insecure    bool           `json:"insecure" doc:"The console is refused: it was not reached by HTTPS."`
	SteppedUp   bool           `json:"steppedUp" doc:"The person has shown within ten minutes who they are."`
	Uploads     UploadLimits   `json:"uploads" doc:"Of files as sources."`

	RecoveryCodes []string `json:"recoveryCodes,omitempty" doc:"Of a new person with a passkey; shown only here."`

	SecondStep *Challenge `json:"secondStep,omitempty" doc:"What is asked after the password; nobody is signed in yet."`
}

// UploadLimits bound the size of a file.
type UploadLimits struct {
	MinBytes int64 `json:"minBytes"`
	MaxBytes int64 `json:"maxBytes"`
}

var uploadLimits = UploadLimits{MinBytes: ingest.MinFileBytes, MaxBytes: ingest.MaxFileBytes}

// Membership is an account that a person belongs to.
type Membership struct {
	AccountID   string `json:"accountId"`
	AccountName string `json:"accountName"`
	Role        string `json:"role" enum:"@role"`

	Permissions []parley.Permission `json:"permissions" doc:"What the role may do."`

	NeedsSSO bool `json:"needsSingleSignOn" doc:"The account is entered by it alone, and the session has begun otherwise."`

	NeedsOther bool `json:"needsOtherSignIn" doc:"The provider of another account has vouched for the session."`

	SSOName string `json:"singleSignOnName" doc:"Of the account's own provider that counts; empty without one."`

	OnlySSO bool `json:"onlySingleSignOn" doc:"The person enters the account by it alone."`

	PasskeyStep string `json:"passkeyStep,omitempty" enum:"use,add,link" doc:"What they do before they enter."`
}

// SignInFeatures are the ways of signing in besides the password.
type SignInFeatures struct {
	Passkey bool `json:"passkey"`
	OIDC    bool `json:"oidc"`
	Mail    bool `json:"mail" doc:"Links are mailed."`

	ByDomain bool `json:"byDomain" doc:"Accounts have providers of single sign-on: see findProvider."`

	OIDCName string `json:"oidcName" doc:"What people call the provider of single sign-on; empty if there is none."`

	ServerOIDCName string `json:"serverOidcName" doc:"Likewise, of the server; empty if it has none."`
}

func (a *API) getSession(ctx context.Context, c *call, _ *httpapi.NoInput) (*Session, error) {
	if a.isInsecure(c.Request) {
		return &Session{Memberships: []Membership{}, Insecure: true, Uploads: uploadLimits}, nil
	}
	if visitorOf(c).person == nil && len(c.Request.CookiesNamed(a.cookieName(c.Request))) > 0 {
		a.dropForeignCookies(c)
		a.dropCookie(c)
	}
	return a.describeSession(ctx, c, visitorOf(c).person)
}

// describeSession describes a session as the browser of the call has it.
func (a *API) describeSession(ctx context.Context, c *call, person *access.SignedIn) (*Session, error) {
	s := &Session{Memberships: []Membership{}, Uploads: uploadLimits}
	s.Features = SignInFeatures{Passkey: a.hasPasskeys(c.Request), OIDC: a.Users.OIDC != nil, Mail: a.Users.Mail != nil}
	if a.Users.OIDC != nil {
		s.Features.OIDCName, s.Features.ServerOIDCName = a.Users.OIDC.Name, a.Users.OIDC.Name
	}
	if person == nil {
		var err error
		if s.Features.ByDomain, err = a.Users.DB.HasSSOProviders(ctx); err != nil {
			return s, err
		}
		s.NeedsSetup, err = a.Users.NeedsSetup(ctx)
		return s, err
	}
	_, s.Features.OIDCName = a.providerOf(person)
	s.Features.OIDC = s.Features.OIDCName != ""
	for _, m := range person.Memberships {
		s.Memberships = append(s.Memberships, Membership{AccountID: string(m.AccountID), AccountName: m.AccountName,
			Role: string(m.Role), Permissions: access.Permissions(m.Role), NeedsSSO: person.LacksSSO(m),
			NeedsOther: !person.Reaches(m.AccountID), SSOName: m.SSOName, OnlySSO: m.NeedsSSO,
			PasskeyStep: string(person.PasskeyStep(m))})
	}
	s.SteppedUp = checkStepUp(person, a.Now()) == nil
	me, err := a.findMe(ctx, person)
	s.User = me
	return s, err
}

// ProviderQuery asks who signs in people with an e-mail address.
type ProviderQuery struct {
	Email string `json:"email" max:"254"`
}

// AccountProvider is the provider of an account. It depends on the domain alone, so that nobody learns who is there.
type AccountProvider struct {
	AccountID string `json:"accountId" doc:"Empty if no account has proved the domain and set a provider."`
	Name      string `json:"name"`
}

func (a *API) findProvider(ctx context.Context, _ *call, in *ProviderQuery) (*AccountProvider, error) {
	account, name, err := a.Users.FindOIDCOfEmail(ctx, in.Email)
	if err != nil {
		return nil, err
	}
	return &AccountProvider{string(account), name}, nil
}

// hasPasskeys reports whether passkeys work at the address at which the browser has reached the console.
func (a *API) hasPasskeys(r *http.Request) bool {
	u, err := url.Parse(a.URL)
	return err == nil && a.Users.Passkeys != nil && httpapi.IsHostOf(r.Host, u)
}

// PasswordSignIn is an attempt to sign in.
type PasswordSignIn struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

func (a *API) signIn(ctx context.Context, c *call, in *PasswordSignIn) (*Session, error) {
	opened, err := a.Users.SignIn(ctx, in.Email, in.Password, visitorOf(c).client)
	return a.enter(ctx, c, opened, err)
}

// enter sends the browser a new session, and ends the one that it had.
func (a *API) enter(ctx context.Context, c *call, opened *access.OpenedSession, err error) (*Session, error) {
	if err != nil {
		return nil, err
	}
	if opened.SecondStep != nil {
		return a.describeSecondStep(ctx, c, opened.SecondStep)
	}
	a.endBefore(ctx, visitorOf(c).person, opened)
	a.setCookie(c, opened)
	s, err := a.describeSession(ctx, c, opened.Person)
	if err == nil {
		s.RecoveryCodes = opened.RecoveryCodes
	}
	return s, err
}

// describeSecondStep tells the browser what its person is asked next. A session that it has stays.
func (a *API) describeSecondStep(ctx context.Context, c *call, next *access.PasskeyChallenge) (*Session, error) {
	s, err := a.describeSession(ctx, c, nil)
	if err == nil {
		s.SecondStep, err = newChallenge(next, nil)
	}
	return s, err
}

// endBefore ends the session that a browser had before a new one. One that cannot be ended now ends in its time: the
// new one is open, and the browser must get it.
func (a *API) endBefore(ctx context.Context, before *access.SignedIn, opened *access.OpenedSession) {
	if before == nil || before.Session.ID == opened.Person.Session.ID {
		return
	}
	if err := a.Users.SignOut(ctx, before); err != nil && !parley.IsCode(err, parley.CodeNotFound) {
		a.logger().Warn("the session that a browser had was not ended", "error", err)
	}
}

func (a *API) signOut(ctx context.Context, c *call, _ *httpapi.NoInput) (*Session, error) {
	if person := visitorOf(c).person; person != nil {
		if err := a.Users.SignOut(ctx, person); err != nil && !parley.IsCode(err, parley.CodeNotFound) {
			return nil, err
		}
	}
	a.dropCookie(c)
	return a.describeSession(ctx, c, nil)
}

// LinkRequest says who wants a link for signing in.
type LinkRequest struct {
	Email string `json:"email"`
}

// requestLink answers the same, in the same time, whether there is such a person or not.
func (a *API) requestLink(ctx context.Context, c *call, in *LinkRequest) (*Done, error) {
	if err := a.Users.RequestLink(ctx, in.Email, visitorOf(c).client); err != nil {
		return nil, err
	}
	return &Done{}, nil
}

// LinkToken is the secret part of a link.
type LinkToken struct {
	Token string `json:"token"`
}

// LinkState is what a page says of a link before it is used.
type LinkState struct {
	Kind         string    `json:"kind" enum:"setup,invitation,reset,sign-in"`
	Email        string    `json:"email" doc:"Empty of the first person's link."`
	AccountName  string    `json:"accountName" doc:"Of an invitation, and of a setup that takes the only account."`
	Role         string    `json:"role" doc:"Of an invitation and a setup."`
	MustSignIn   bool      `json:"mustSignIn" doc:"The address has a sign-in, which alone may accept the invitation."`
	NeedsName    bool      `json:"needsName"`
	NeedsCompany bool      `json:"needsCompany"`
	NoPasswords  bool      `json:"noPasswords" doc:"Whoever is new adds a passkey."`
	ExpiresAt    time.Time `json:"expiresAt"`
}

func (a *API) checkLink(ctx context.Context, _ *call, in *LinkToken) (*LinkState, error) {
	s, err := a.Users.CheckLink(ctx, in.Token)
	if err != nil {
		return nil, err
	}
	return &LinkState{Kind: string(s.Kind), Email: s.Email, AccountName: s.AccountName, Role: string(s.Role),
		MustSignIn: s.MustSignIn, NeedsName: s.NeedsName, NeedsCompany: s.NeedsCompany,
		NoPasswords: s.NoPasswords, ExpiresAt: s.ExpiresAt}, nil
}

// Redemption is what somebody sends to use a link.
type Redemption struct {
	LinkToken
	Name     string `json:"name,omitempty" doc:"Of a new person."`
	Email    string `json:"email,omitempty" doc:"Of the first person; others have that of the link."`
	Company  string `json:"company,omitempty" doc:"Of the first person, where there is no account."`
	Password string `json:"password,omitempty" doc:"Or a passkey."`

	Passkey *PasskeyAnswer `json:"passkey,omitempty"`
}

func (a *API) redeemLink(ctx context.Context, c *call, in *Redemption) (*Session, error) {
	v := visitorOf(c)
	redemption := access.Redemption{
		Token: in.Token, Name: in.Name, Email: in.Email, Company: in.Company, Password: in.Password,
		By: v.person, Client: v.client,
	}
	if in.Passkey != nil {
		answer := in.Passkey.accessAnswer()
		redemption.Passkey = &answer
	}
	opened, err := a.Users.Redeem(ctx, redemption)
	return a.enter(ctx, c, opened, err)
}

// StepUp is the password of who is signed in.
type StepUp struct {
	Password string `json:"password"`
}

func (a *API) stepUp(ctx context.Context, c *call, in *StepUp) (*Session, error) {
	v := visitorOf(c)
	opened, err := a.Users.StepUp(ctx, v.person, in.Password, v.client)
	return a.enter(ctx, c, opened, err)
}
