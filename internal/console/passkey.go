package console

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
)

func (a *API) addPasskeyRoutes() {
	addOpen(a, "POST /session/passkey/begin", operation{
		Name:    "beginPasskey",
		Summary: "Ask for a challenge for signing in with a passkey, or for showing again who you are",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeSignInRequired, parley.CodeTooManyRequests},
	}, a.beginPasskey)
	addOpen(a, "POST /session/passkey/finish", operation{
		Name:    "finishPasskey",
		Summary: "Sign in with a passkey, or show again who you are",
		Errors: errorCodes{parley.CodeNotFound, parley.CodePasskeyFailed, parley.CodeSignInRequired,
			parley.CodeSSORequired},
	}, a.finishPasskey)
	addOpen(a, "POST /session/redeem/passkey", operation{
		Name:    "beginLinkPasskey",
		Summary: "Ask for a challenge for the passkey of whoever uses a link",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidLink, parley.CodeSignInRequired},
	}, a.beginLinkPasskey)
	addOpen(a, "POST /session/recovery-code", operation{
		Name:    "signInWithCode",
		Summary: "Sign in with a recovery code, which is used up",
		Errors:  errorCodes{parley.CodeSignInFailed, parley.CodeSecondStep, parley.CodeSSORequired},
	}, a.signInWithCode)
	addOpen(a, "POST /session/second-step", operation{
		Name:    "finishSecondStep",
		Summary: "Show a passkey or a recovery code after the password",
		Errors: errorCodes{parley.CodeNotFound, parley.CodePasskeyFailed, parley.CodeSignInFailed,
			parley.CodeSSORequired, parley.CodeTooManyRequests},
	}, a.finishSecondStep)
	a.addOwnPasskeyRoutes()
}

func (a *API) addOwnPasskeyRoutes() {
	addPersonal(a, "GET /me/passkeys", operation{
		Name:    "listPasskeys",
		Summary: "Your passkeys",
	}, a.listPasskeys)
	addPersonal(a, "POST /me/passkeys/begin", operation{
		Name:    "beginNewPasskey",
		Summary: "Ask for a challenge for a new passkey",
		Errors: errorCodes{parley.CodeNotFound, parley.CodeStepUpRequired, parley.CodeOtherSignIn,
			parley.CodePasskeyRequired, parley.CodeInvalidBody},
	}, a.beginNewPasskey)
	addPersonal(a, "POST /me/passkeys/finish", operation{
		Name:    "finishNewPasskey",
		Summary: "Add the passkey that answers a challenge",
		Status:  http.StatusCreated,
		Errors: errorCodes{parley.CodeNotFound, parley.CodePasskeyFailed, parley.CodeOtherSignIn,
			parley.CodePasskeyRequired, parley.CodeAlreadyExists},
	}, a.finishNewPasskey)
	addPersonal(a, "PATCH /me/passkeys/{passkeyId}", operation{
		Name:    "renamePasskey",
		Summary: "Name one of your passkeys",
		Errors:  errorCodes{parley.CodeNotFound},
	}, a.renamePasskey)
	addPersonal(a, "DELETE /me/passkeys/{passkeyId}", operation{
		Name:    "deletePasskey",
		Summary: "Remove one of your passkeys",
		Errors: errorCodes{parley.CodeNotFound, parley.CodeInvalidBody, parley.CodeStepUpRequired,
			parley.CodeOtherSignIn, parley.CodePasskeyRequired},
	}, a.deletePasskey)
	addPersonal(a, "PUT /me/second-step", operation{
		Name:    "setSecondStep",
		Summary: "Have a passkey or a recovery code asked for after your password, or not",
		Errors: errorCodes{parley.CodeNotFound, parley.CodeStepUpRequired, parley.CodeOtherSignIn,
			parley.CodePasskeyRequired},
	}, a.setSecondStep)
	addPersonal(a, "POST /me/recovery-codes", operation{
		Name:    "createRecoveryCodes",
		Summary: "Make ten codes, each of which signs you in once, in place of the earlier ones",
		Errors:  errorCodes{parley.CodeStepUpRequired, parley.CodeOtherSignIn, parley.CodePasskeyRequired},
	}, a.createRecoveryCodes)
}

// PasskeyUse says what a passkey is asked for.
type PasskeyUse struct {
	StepUp bool `json:"stepUp,omitempty" doc:"Show again who you are, in place of signing in."`
}

// Challenge is what a browser asks an authenticator to sign.
type Challenge struct {
	ID      string          `json:"id"`
	Options json.RawMessage `json:"options" doc:"For navigator.credentials; null where a code alone answers."`
}

func newChallenge(c *access.PasskeyChallenge, err error) (*Challenge, error) {
	if err != nil {
		return nil, err
	}
	return &Challenge{c.ID, c.Options}, nil
}

// PasskeyAnswer is what an authenticator has signed.
type PasskeyAnswer struct {
	ID       string          `json:"id" doc:"Of the challenge."`
	Response json.RawMessage `json:"response" doc:"The credential, as JSON."`
	Name     string          `json:"name,omitempty" doc:"Of a new passkey."`
}

func (p *PasskeyAnswer) accessAnswer() access.PasskeyAnswer {
	return access.PasskeyAnswer{ID: p.ID, Response: p.Response, Name: p.Name}
}

// PasskeySignIn is the answer to a challenge for signing in, or for showing again who one is.
type PasskeySignIn struct {
	PasskeyUse
	PasskeyAnswer
}

func (a *API) beginPasskey(ctx context.Context, c *call, in *PasskeyUse) (*Challenge, error) {
	if !in.StepUp {
		return newChallenge(a.Users.BeginPasskeySignIn(ctx, visitorOf(c).client))
	}
	person := visitorOf(c).person
	if person == nil {
		return nil, parley.NewError(parley.CodeSignInRequired)
	}
	return newChallenge(a.Users.BeginPasskeyStepUp(ctx, person))
}

func (a *API) finishPasskey(ctx context.Context, c *call, in *PasskeySignIn) (*Session, error) {
	v := visitorOf(c)
	if !in.StepUp {
		opened, err := a.Users.FinishPasskeySignIn(ctx, in.accessAnswer(), v.client)
		return a.enter(ctx, c, opened, err)
	}
	if v.person == nil {
		return nil, parley.NewError(parley.CodeSignInRequired)
	}
	opened, err := a.Users.FinishPasskeyStepUp(ctx, v.person, in.accessAnswer())
	return a.enter(ctx, c, opened, err)
}

// LinkPasskey asks for a challenge for the passkey of whoever uses a link.
type LinkPasskey struct {
	LinkToken
	Email string `json:"email,omitempty" doc:"Of the first person; others have that of the link."`
	Name  string `json:"name,omitempty"`
}

func (a *API) beginLinkPasskey(ctx context.Context, _ *call, in *LinkPasskey) (*Challenge, error) {
	return newChallenge(a.Users.BeginPasskeyForLink(ctx, in.Token, in.Email, in.Name))
}

// CodeSignIn is an attempt to sign in with a recovery code.
type CodeSignIn struct {
	Email string `json:"email"`
	Code  string `json:"code"`
}

func (a *API) signInWithCode(ctx context.Context, c *call, in *CodeSignIn) (*Session, error) {
	opened, err := a.Users.SignInWithCode(ctx, in.Email, in.Code, visitorOf(c).client)
	return a.enter(ctx, c, opened, err)
}

// SecondStepAnswer is what somebody shows after their password: a passkey or a recovery code.
type SecondStepAnswer struct {
	ID       string          `json:"id" doc:"Of the challenge."`
	Response json.RawMessage `json:"response,omitempty" doc:"The credential, as JSON."`
	Code     string          `json:"code,omitempty" doc:"In place of a passkey."`
}

func (a *API) finishSecondStep(ctx context.Context, c *call, in *SecondStepAnswer) (*Session, error) {
	answer := access.SecondStepAnswer{ID: in.ID, Response: in.Response, Code: in.Code}
	opened, err := a.Users.FinishSecondStep(ctx, answer, visitorOf(c).client)
	return a.enter(ctx, c, opened, err)
}

// SecondStep says whether a password needs a passkey or a recovery code beside it.
type SecondStep struct {
	Required bool `json:"required"`
}

func (a *API) setSecondStep(ctx context.Context, c *call, in *SecondStep) (*RecoveryCodes, error) {
	codes, err := a.Users.SetSecondStep(ctx, visitorOf(c).person, in.Required)
	if err != nil {
		return nil, err
	}
	return &RecoveryCodes{httpapi.ConvertList(codes, func(code *string) string { return *code })}, nil
}

// PasskeyList lists the passkeys of a person.
type PasskeyList struct {
	Data []Passkey `json:"data"`
}

// Passkey is one of a person's passkeys.
type Passkey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

func newPasskey(k *parley.Passkey) Passkey {
	return Passkey{ID: string(k.ID), Name: k.Name, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt}
}

func (a *API) listPasskeys(ctx context.Context, c *call, _ *httpapi.NoInput) (*PasskeyList, error) {
	list, err := a.Users.DB.Passkeys(ctx, visitorOf(c).person.User.ID)
	if err != nil {
		return nil, err
	}
	return &PasskeyList{httpapi.ConvertList(list, newPasskey)}, nil
}

func (a *API) beginNewPasskey(ctx context.Context, c *call, _ *httpapi.NoInput) (*Challenge, error) {
	return newChallenge(a.Users.BeginPasskey(ctx, visitorOf(c).person))
}

func (a *API) finishNewPasskey(ctx context.Context, c *call, in *PasskeyAnswer) (*Passkey, error) {
	k, err := a.Users.FinishPasskey(ctx, visitorOf(c).person, in.accessAnswer())
	if err != nil {
		return nil, err
	}
	out := newPasskey(k)
	return &out, nil
}

// checkStepUp fails with AUTH_STEP_UP_REQUIRED.
func checkStepUp(person *access.SignedIn, now time.Time) error {
	return access.CheckStepUp(parley.Member{SteppedUpAt: person.Session.SteppedUpAt}, now)
}

// PasskeyRef names a passkey.
type PasskeyRef struct {
	PasskeyID string `path:"passkeyId" json:"-"`
}

// PasskeyName renames a passkey.
type PasskeyName struct {
	PasskeyRef
	Name string `json:"name"`
}

func (a *API) renamePasskey(ctx context.Context, c *call, in *PasskeyName) (*Done, error) {
	return &Done{}, a.Users.RenamePasskey(ctx, visitorOf(c).person, parley.PasskeyID(in.PasskeyID), in.Name)
}

func (a *API) deletePasskey(ctx context.Context, c *call, in *PasskeyRef) (*Done, error) {
	person := visitorOf(c).person
	if err := checkStepUp(person, a.Now()); err != nil {
		return nil, err
	}
	return &Done{}, a.Users.DeletePasskey(ctx, person, parley.PasskeyID(in.PasskeyID))
}

// RecoveryCodes are codes that each sign a person in once. They are shown only here.
type RecoveryCodes struct {
	Codes []string `json:"codes"`
}

func (a *API) createRecoveryCodes(ctx context.Context, c *call, _ *httpapi.NoInput) (*RecoveryCodes, error) {
	codes, err := a.Users.NewRecoveryCodes(ctx, visitorOf(c).person)
	if err != nil {
		return nil, err
	}
	return &RecoveryCodes{codes}, nil
}
