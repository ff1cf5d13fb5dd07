package console

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
)

func (a *API) addMeRoutes() {
	addPersonal(a, "GET /me", operation{
		Name:    "getMe",
		Summary: "Your profile",
	}, a.getMe)
	addPersonal(a, "PATCH /me", operation{
		Name:    "updateMe",
		Summary: "Change what is sent of your profile",
	}, a.updateMe)
	addPersonal(a, "PUT /me/password", operation{
		Name:    "changePassword",
		Summary: "Set your password, and end all other sessions",
		Errors: errorCodes{parley.CodeSignInFailed, parley.CodeStepUpRequired, parley.CodeOtherSignIn,
			parley.CodePasskeyRequired, parley.CodeTooManyRequests},
	}, a.changePassword)
	addPersonal(a, "GET /me/single-sign-on", operation{
		Name:    "listIdentities",
		Summary: "The providers of single sign-on by which you may sign in, and which of them you have connected",
	}, a.listIdentities)
	addPersonal(a, "DELETE /me/single-sign-on", operation{
		Name:    "disconnectSingleSignOn",
		Summary: "End what connects you with a provider of single sign-on",
		Errors: errorCodes{parley.CodeNotFound, parley.CodeInvalidBody, parley.CodeStepUpRequired,
			parley.CodeOtherSignIn, parley.CodePasskeyRequired},
	}, a.disconnectSingleSignOn)
	addPersonal(a, "GET /me/sessions", operation{
		Name:    "listSessions",
		Summary: "Where you are signed in",
	}, a.listSessions)
	addPersonal(a, "DELETE /me/sessions/{sessionId}", operation{
		Name:    "endSession",
		Summary: "End one of your sessions",
		Errors:  errorCodes{parley.CodeNotFound},
	}, a.endSession)
	addPersonal(a, "GET "+documentRoute, operation{
		Name:     "getDocument",
		Summary:  "This document",
		Unlisted: true,
	}, a.getDocument)
}

// Me is a person with what only they see and set.
type Me struct {
	ID            string          `json:"id"`
	Name          string          `json:"name"`
	Email         string          `json:"email"`
	Locale        string          `json:"locale" doc:"Empty for that of the browser."`
	Theme         string          `json:"theme" doc:"Empty for that of the system."`
	Notifications map[string]bool `json:"notifications"`
	HasPassword   bool            `json:"hasPassword"`
	HasPasskey    bool            `json:"hasPasskey"`
	SecondStep    bool            `json:"secondStep" doc:"A passkey or a recovery code is asked for after the password."`

	HasSingleSignOn   bool       `json:"hasSingleSignOn" doc:"By a provider that the server or an account has now."`
	SingleSignOnSince *time.Time `json:"singleSignOnSince" doc:"Null without it."`
}

func (a *API) newMe(ctx context.Context, person *access.SignedIn, p *parley.Profile) (*Me, error) {
	passkeys, err := a.Users.DB.Passkeys(ctx, p.ID)
	me := &Me{ID: string(p.ID), Name: p.Name, Email: p.Email, Locale: p.Locale, Theme: p.Theme,
		Notifications: p.Notifications, HasPassword: p.HasPassword, HasPasskey: len(passkeys) > 0,
		SecondStep: p.SecondStep}
	if me.Notifications == nil {
		me.Notifications = map[string]bool{}
	}
	if err != nil {
		return nil, err
	}
	identities, err := a.Users.Identities(ctx, person)
	for i := range identities {
		if since := identities[i].ConnectedAt; since != nil {
			me.HasSingleSignOn, me.SingleSignOnSince = true, since
		}
	}
	return me, err
}

func (a *API) findMe(ctx context.Context, person *access.SignedIn) (*Me, error) {
	p, err := a.Users.DB.Profile(ctx, person.User.ID)
	if err != nil {
		return nil, err
	}
	return a.newMe(ctx, person, p)
}

func (a *API) getMe(ctx context.Context, c *call, _ *httpapi.NoInput) (*Me, error) {
	return a.findMe(ctx, visitorOf(c).person)
}

// MeChange is a change of a profile.
type MeChange struct {
	Name          httpapi.Opt[string]          `json:"name,omitzero"`
	Locale        httpapi.Opt[string]          `json:"locale,omitzero"`
	Theme         httpapi.Opt[string]          `json:"theme,omitzero"`
	Notifications httpapi.Opt[map[string]bool] `json:"notifications,omitzero"`
}

func (a *API) updateMe(ctx context.Context, c *call, in *MeChange) (*Me, error) {
	person := visitorOf(c).person
	p, err := a.Users.UpdateProfile(ctx, person.User.ID, access.ProfileChange{
		Name: in.Name.Ptr(), Locale: in.Locale.Ptr(), Theme: in.Theme.Ptr(), Notifications: in.Notifications.Value,
	})
	if err != nil {
		return nil, err
	}
	return a.newMe(ctx, person, p)
}

// NewPassword sets a password.
type NewPassword struct {
	Present  string `json:"present,omitempty" doc:"The password until now, if there is one."`
	Password string `json:"password"`
}

func (a *API) changePassword(ctx context.Context, c *call, in *NewPassword) (*Session, error) {
	v := visitorOf(c)
	opened, err := a.Users.ChangePassword(ctx, v.person, in.Present, in.Password, v.client)
	return a.enter(ctx, c, opened, err)
}

// IdentityList lists the providers of single sign-on by which a person may sign in.
type IdentityList struct {
	Data []Identity `json:"data"`
}

// Identity is a provider of single sign-on, and what connects a person with it.
type Identity struct {
	AccountID   string     `json:"accountId" doc:"Whose own provider it is; empty of that of the server."`
	AccountName string     `json:"accountName" doc:"Likewise."`
	Name        string     `json:"name" doc:"What people call it."`
	ConnectedAt *time.Time `json:"connectedAt" doc:"Null where they are not connected."`
	LastUsedAt  *time.Time `json:"lastUsedAt"`
}

func (a *API) listIdentities(ctx context.Context, c *call, _ *httpapi.NoInput) (*IdentityList, error) {
	list, err := a.Users.Identities(ctx, visitorOf(c).person)
	if err != nil {
		return nil, err
	}
	return &IdentityList{httpapi.ConvertList(list, func(i *access.Identity) Identity {
		return Identity{string(i.Account), i.AccountName, i.Name, i.ConnectedAt, i.LastUsedAt}
	})}, nil
}

// IdentityRef names a provider of single sign-on.
type IdentityRef struct {
	AccountID string `query:"account" json:"-" max:"100" doc:"Whose own provider it is; without it that of the server."`
}

func (a *API) disconnectSingleSignOn(ctx context.Context, c *call, in *IdentityRef) (*Done, error) {
	return &Done{}, a.Users.DisconnectOIDC(ctx, visitorOf(c).person, parley.AccountID(in.AccountID))
}

// SessionList lists the sessions of a person.
type SessionList struct {
	Data []WebSession `json:"data"`
}

// WebSession is where a person is signed in.
type WebSession struct {
	ID         string    `json:"id"`
	UserAgent  string    `json:"userAgent"`
	Address    string    `json:"address"`
	CreatedAt  time.Time `json:"createdAt"`
	LastSeenAt time.Time `json:"lastSeenAt"`
	Current    bool      `json:"current" doc:"The session of this request."`
}

func (a *API) listSessions(ctx context.Context, c *call, _ *httpapi.NoInput) (*SessionList, error) {
	person := visitorOf(c).person
	list, err := a.Users.Sessions.List(ctx, person.User.ID)
	if err != nil {
		return nil, err
	}
	return &SessionList{httpapi.ConvertList(list, func(s *parley.WebSession) WebSession {
		return WebSession{ID: string(s.ID), UserAgent: s.UserAgent, Address: s.Address, CreatedAt: s.CreatedAt,
			LastSeenAt: s.LastSeenAt, Current: s.ID == person.Session.ID}
	})}, nil
}

// SessionRef names a session.
type SessionRef struct {
	SessionID string `path:"sessionId" json:"-"`
}

// Done is the reply of what returns nothing.
type Done struct{}

func (a *API) endSession(ctx context.Context, c *call, in *SessionRef) (*Done, error) {
	person := visitorOf(c).person
	err := a.Users.EndSession(ctx, person, parley.WebSessionID(in.SessionID))
	if err != nil {
		return nil, err
	}
	if in.SessionID == string(person.Session.ID) {
		a.dropCookie(c)
	}
	return &Done{}, nil
}
