package parley

import (
	"slices"
	"strings"
	"time"
)

// WebSession is the session of a person in a browser. Its token is in the browser's cookie and is not stored.
type WebSession struct {
	ID          WebSessionID
	UserID      UserID
	Hash        string    // SHA-256 of the token, hex
	Method      string    // of signing in, such as MethodSSO; empty of old ones
	AccountID   AccountID // that it began with; empty if there is none
	UserAgent   string    // at most 200 characters
	Address     string
	CreatedAt   time.Time
	LastSeenAt  time.Time // to the minute
	ExpiresAt   time.Time // however much it is used
	SteppedUpAt time.Time // when they last showed who they are
	RevokedAt   *time.Time
}

// MethodSSO is how sessions begin that a provider of single sign-on has vouched for.
const MethodSSO = "oidc"

// SSOAccount returns the account whose own provider has vouched for the session, which reaches that account alone;
// empty of every other session.
func (s *WebSession) SSOAccount() AccountID {
	account, isOwn := strings.CutPrefix(s.Method, AccountSSO(""))
	if !isOwn {
		return ""
	}
	return AccountID(account)
}

// MethodPasskey is a part of how sessions begin, or go on, in which the person has shown a passkey.
const MethodPasskey = "passkey"

// MethodLink is how sessions begin that were opened by a link, by which the person gets in if they have nothing else.
const MethodLink = "link"

// MethodInvitation is how sessions begin in which somebody who was signed in has accepted an invitation.
const MethodInvitation = "invitation"

// Joined to others in the method of a session.
const (
	methodJoint        = "+"
	methodRecoveryCode = "recovery-code"
)

// HasUsedPasskey reports whether the person has shown a passkey in the session.
func (s *WebSession) HasUsedPasskey() bool { return s.hasMethod(MethodPasskey) }

// AllowsNewPasskey reports whether the session has begun in a way for who may have lost their passkeys.
func (s *WebSession) AllowsNewPasskey() bool {
	return s.hasMethod(MethodLink) || s.hasMethod(methodRecoveryCode)
}

func (s *WebSession) hasMethod(name string) bool {
	return slices.Contains(strings.Split(s.Method, methodJoint), name)
}

// MethodWithPasskey returns the method of the session once the person has shown a passkey in it.
func (s *WebSession) MethodWithPasskey() string {
	switch {
	case s.Method == "":
		return MethodPasskey
	case s.HasUsedPasskey() || strings.HasPrefix(s.Method, MethodSSO):
		return s.Method
	}
	return s.Method + methodJoint + MethodPasskey
}

// PasskeyStep is what a person does before they enter an account that asks them for a passkey.
type PasskeyStep string

// The steps. The empty one is none.
const (
	PasskeyUse  PasskeyStep = "use" // show one that they have
	PasskeyAdd  PasskeyStep = "add"
	PasskeyLink PasskeyStep = "link" // sign in by a link, and add one: they have none, and passwords are refused
)

// SignInWay is a way in which a person signs in.
type SignInWay string

// The ways of signing in that a person may have, besides links.
const (
	SignInPassword SignInWay = "password"
	SignInPasskey  SignInWay = "passkey"
	SignInSSO      SignInWay = "singleSignOn"
)

// SignInWays lists the ways of signing in.
func SignInWays() []SignInWay { return []SignInWay{SignInPassword, SignInPasskey, SignInSSO} }

// Preferences are what a person has set for themselves in the console.
type Preferences struct {
	Locale        string // empty for that of the browser
	Theme         string // empty for that of the system
	Notifications map[string]bool
}

// Themes lists the themes that a person can choose; the empty one is that of the system.
func Themes() []string { return []string{"", "light", "dark"} }

// ConsoleLocales lists the languages that a person can choose; the empty one is that of the browser.
func ConsoleLocales() []string { return []string{"", "en", "de", "fr", "es", "pt-BR", "ja", "ar"} }

// Profile is a user with what only they see and set.
type Profile struct {
	User
	Preferences
	HasPassword bool
	SecondStep  bool // the password needs a passkey or a recovery code beside it
}

// AccountMembership is a membership with the name of its account.
type AccountMembership struct {
	AccountID   AccountID
	AccountName string
	Role        Role
	LastSeenAt  *time.Time // of the person, in the account; nil if never

	ViewersSeePersonalData bool // of customers, in the account

	NeedsSSO bool   // the person enters the account by single sign-on alone
	SSOName  string // of the provider that the account has set and tested; empty without one

	NeedsPasskey bool // the account asks the person for one, unless they come by single sign-on
	HasPasskey   bool // the person has one
	NoPasswords  bool // the account is entered without passwords
}

// Passkey is a WebAuthn credential of a person.
type Passkey struct {
	ID           PasskeyID
	UserID       UserID
	CredentialID string // base64, as the other bytes
	PublicKey    string
	SignCount    int64
	AAGUID       string
	Transports   []string
	Flags        int // of WebAuthn: present, verified, may be backed up, is backed up
	Name         string
	CreatedAt    time.Time
	LastUsedAt   *time.Time
}

// LinkKind is what a link for signing in is for.
type LinkKind string

// The kinds of links.
const (
	LinkSetup      LinkKind = "setup"      // makes the first person; it is in the settings
	LinkInvitation LinkKind = "invitation" // makes a member of an account
	LinkReset      LinkKind = "reset"      // sets a password
	LinkSignIn     LinkKind = "sign-in"    // signs the person of a demo in, who has no other way
)

// Invite is a link by which somebody may sign in once. Its token is shown once and is not stored.
type Invite struct {
	ID        InviteID
	Kind      LinkKind
	AccountID AccountID // of an invitation
	UserID    UserID    // empty of an invitation
	Email     string
	Role      Role   // of an invitation
	Hash      string // SHA-256 of the token, hex
	InvitedBy string // actor: "operator" or "user:" and an id
	Mailed    bool   // the token was mailed and shown to nobody else
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    *time.Time // also when it was withdrawn
}

// SSOLink says whom a provider of single sign-on means by one of its subjects.
type SSOLink struct {
	Issuer     string
	Subject    string
	UserID     UserID
	CreatedAt  time.Time
	LastUsedAt *time.Time
}

// AccountSSO is how sessions begin that the provider of an account has vouched for, which the account has set itself.
func AccountSSO(account AccountID) string { return MethodSSO + ":" + string(account) }

// SSOProvider is the provider of single sign-on that an account has set for its own people.
type SSOProvider struct {
	AccountID    AccountID
	Issuer       string // URL
	ClientID     string
	SealedSecret string // of the client; empty of a public one
	Name         string // for people
	JoinRole     Role   // who is no member becomes one with it; empty if they do not get in
	TestedAt     *time.Time
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// SSODomain is a domain of e-mail addresses whose people an account's provider may sign in, once it is proved that the
// domain is the account's.
type SSODomain struct {
	AccountID AccountID
	Domain    string // in lower case
	Token     string // that a TXT record of the domain must hold
	ProvedAt  *time.Time
	CreatedAt time.Time

	ByOperator bool // it is proved by the operator's word
}
