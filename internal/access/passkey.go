package access

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"parley"
	"parley/internal/limits"
	"parley/internal/store"
)

const (
	passkeyTimeout  = 5 * time.Minute // for an answer to a challenge
	maxChallenges   = 60              // for signing in, of a network in that time
	maxPasskeys     = 20              // of a person
	defaultKeyName  = "Passkey"
	passkeyRPName   = "Parley"
	purposeSignIn   = "sign-in"
	purposeStepUp   = "step-up"
	purposeRegister = "register"
	purposeLink     = "link:" // followed by the hash of the link
)

// PasskeyVerifier makes challenges for passkeys of the console's host and verifies the answers.
type PasskeyVerifier struct{ webauthn *webauthn.WebAuthn }

// NewPasskeyVerifier returns a verifier for a console at the address. It returns nil where browsers allow no passkeys:
// at IP addresses, and without HTTPS but for localhost.
func NewPasskeyVerifier(consoleURL string) (*PasskeyVerifier, error) {
	u, err := url.Parse(consoleURL)
	if err != nil {
		return nil, err
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || host == "" || u.Scheme != "https" && host != "localhost" {
		return nil, nil
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID:          host,
		RPDisplayName: passkeyRPName,
		RPOrigins:     []string{u.Scheme + "://" + u.Host},
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey:      protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired,
		},
		AttestationPreference: protocol.PreferNoAttestation,
	})
	if err != nil {
		return nil, err
	}
	return &PasskeyVerifier{w}, nil
}

// NewChallengeLimiter returns the limit of challenges for whoever has not signed in. shared may be nil.
func NewChallengeLimiter(shared *limits.Shared) *limits.Limiter {
	return &limits.Limiter{Name: "challenges", Limit: maxChallenges, Window: passkeyTimeout, Shared: shared}
}

// PasskeyChallenge is what a browser is asked to sign.
type PasskeyChallenge struct {
	ID      string
	Options json.RawMessage // for navigator.credentials
}

// PasskeyAnswer is what a browser sends back.
type PasskeyAnswer struct {
	ID       string // of the challenge
	Response json.RawMessage
	Name     string // of a new passkey; empty for a usual one
}

// passkeyUser is a user as WebAuthn sees them.
type passkeyUser struct {
	user     parley.User
	passkeys []parley.Passkey
}

// WebAuthnID returns the user's id, by which an authenticator says whose passkey it is.
func (p *passkeyUser) WebAuthnID() []byte { return []byte(p.user.ID) }

// WebAuthnName returns the name that tells the accounts of an authenticator apart.
func (p *passkeyUser) WebAuthnName() string { return p.user.Email }

// WebAuthnDisplayName returns the name that authenticators show.
func (p *passkeyUser) WebAuthnDisplayName() string { return p.user.Name }

// WebAuthnCredentials returns the user's passkeys.
func (p *passkeyUser) WebAuthnCredentials() []webauthn.Credential {
	list := make([]webauthn.Credential, len(p.passkeys))
	for i, k := range p.passkeys {
		list[i].ID, list[i].PublicKey = decodeBytes(k.CredentialID), decodeBytes(k.PublicKey)
		list[i].Flags = webauthn.CredentialFlagsFromMsgpByte(byte(k.Flags)) //nolint:gosec // written of a byte
		list[i].Authenticator.AAGUID = decodeBytes(k.AAGUID)
		list[i].Authenticator.SignCount = uint32(k.SignCount) //nolint:gosec // written of one
		for _, t := range k.Transports {
			list[i].Transport = append(list[i].Transport, protocol.AuthenticatorTransport(t))
		}
	}
	return list
}

func decodeBytes(text string) []byte {
	b, _ := base64.RawURLEncoding.DecodeString(text) // written by encodeBytes
	return b
}

func encodeBytes(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// findPasskeyUser returns the user with their passkeys.
func (u *Users) findPasskeyUser(ctx context.Context, id parley.UserID) (*passkeyUser, error) {
	found, err := u.DB.UserCredential(ctx, id)
	if err != nil {
		return nil, err
	}
	keys, err := u.DB.Passkeys(ctx, id)
	return &passkeyUser{found.User, keys}, err
}

// requirePasskeys fails with NOT_FOUND where the console has no passkeys.
func (u *Users) requirePasskeys() error {
	if u.Passkeys == nil {
		return parley.NewErrorf(parley.CodeNotFound, "Passkeys need HTTPS and a host name.")
	}
	return nil
}

// storeChallenge stores what a challenge was made of until its answer comes.
func (u *Users) storeChallenge(ctx context.Context, user parley.UserID, purpose string, options any,
	session *webauthn.SessionData) (*PasskeyChallenge, error) {
	shown, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(session)
	if err != nil {
		return nil, err
	}
	c := &store.PasskeyChallenge{ID: parley.NewUUID(), UserID: user, Purpose: purpose, Data: string(data),
		ExpiresAt: u.Now().Add(passkeyTimeout)}
	return &PasskeyChallenge{c.ID, shown}, u.DB.CreatePasskeyChallenge(ctx, c, u.Now())
}

// takeChallenge returns what a challenge was made of, once. user is who must answer; empty for anybody. Fails with
// AUTH_PASSKEY_FAILED.
func (u *Users) takeChallenge(ctx context.Context, id, purpose string,
	user parley.UserID) (*webauthn.SessionData, error) {
	if err := u.requirePasskeys(); err != nil {
		return nil, err
	}
	c, err := u.DB.TakePasskeyChallenge(ctx, id, purpose)
	if err != nil {
		return nil, err
	}
	if !u.Now().Before(c.ExpiresAt) || user != "" && c.UserID != user {
		return nil, parley.NewError(parley.CodePasskeyFailed)
	}
	var session webauthn.SessionData
	return &session, json.Unmarshal([]byte(c.Data), &session)
}

// BeginPasskeySignIn makes a challenge that any passkey of this console may answer. Fails with
// RATE_LIMIT_TOO_MANY_REQUESTS, since each is a row until it is answered.
func (u *Users) BeginPasskeySignIn(ctx context.Context, c Client) (*PasskeyChallenge, error) {
	if err := u.requirePasskeys(); err != nil {
		return nil, err
	}
	if err := u.countChallenge(c); err != nil {
		return nil, err
	}
	options, session, err := u.Passkeys.webauthn.BeginDiscoverableLogin()
	if err != nil {
		return nil, err
	}
	return u.storeChallenge(ctx, "", purposeSignIn, options, session)
}

// countChallenge fails with RATE_LIMIT_TOO_MANY_REQUESTS where a network has asked for too many challenges.
func (u *Users) countChallenge(c Client) error {
	if u.Challenges == nil {
		return nil
	}
	return u.Challenges.Take(NetworkOf(c.Address), u.Now()).Err()
}

// FinishPasskeySignIn opens a session for the answer to a challenge. Fails with AUTH_PASSKEY_FAILED.
func (u *Users) FinishPasskeySignIn(ctx context.Context, answer PasskeyAnswer, c Client) (*OpenedSession, error) {
	session, err := u.takeChallenge(ctx, answer.ID, purposeSignIn, "")
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer.Response)
	if err != nil {
		return nil, parley.WrapError(parley.CodePasskeyFailed, err)
	}
	var person *passkeyUser
	find := func(_, userID []byte) (webauthn.User, error) {
		person, err = u.findPasskeyUser(ctx, parley.UserID(userID))
		return person, err
	}
	_, credential, err := u.Passkeys.webauthn.ValidatePasskeyLogin(find, *session, parsed)
	if err != nil {
		return nil, parley.WrapError(parley.CodePasskeyFailed, err)
	}
	used, err := u.checkCredential(person, credential)
	if err != nil {
		return nil, err
	}
	return u.open(ctx, person.user.ID, c, "passkey", func(tx *store.DB) error {
		return tx.NotePasskeyUse(ctx, used, u.Now())
	})
}

// checkCredential returns the passkey as it is after its use. A sign count that has not grown means that there is a
// copy of the passkey: then it is refused.
func (u *Users) checkCredential(person *passkeyUser, c *webauthn.Credential) (*parley.Passkey, error) {
	if c.Authenticator.CloneWarning {
		u.logger().Warn("a passkey was refused, because its counter shows that there is a copy", "user", person.user.ID)
		return nil, parley.NewError(parley.CodePasskeyFailed)
	}
	id := encodeBytes(c.ID)
	for _, k := range person.passkeys {
		if k.CredentialID == id {
			k.SignCount, k.Flags = int64(c.Authenticator.SignCount), int(c.Flags.MsgpByte())
			return &k, nil
		}
	}
	return nil, parley.NewError(parley.CodePasskeyFailed)
}

// BeginPasskeyStepUp makes a challenge for the passkeys of the person.
func (u *Users) BeginPasskeyStepUp(ctx context.Context, in *SignedIn) (*PasskeyChallenge, error) {
	if err := u.requirePasskeys(); err != nil {
		return nil, err
	}
	person, err := u.findPasskeyUser(ctx, in.User.ID)
	if err != nil {
		return nil, err
	}
	if len(person.passkeys) == 0 {
		return nil, parley.NewErrorf(parley.CodeNotFound, "You have no passkey.")
	}
	options, session, err := u.Passkeys.webauthn.BeginLogin(person)
	if err != nil {
		return nil, err
	}
	return u.storeChallenge(ctx, in.User.ID, purposeStepUp, options, session)
}

// FinishPasskeyStepUp notes that the person has shown a passkey again, and renews the token of their session. Fails
// with AUTH_PASSKEY_FAILED.
func (u *Users) FinishPasskeyStepUp(ctx context.Context, in *SignedIn, answer PasskeyAnswer) (*OpenedSession, error) {
	session, err := u.takeChallenge(ctx, answer.ID, purposeStepUp, in.User.ID)
	if err != nil {
		return nil, err
	}
	used, err := u.checkPasskey(ctx, in.User.ID, session, answer.Response)
	if err != nil {
		return nil, err
	}
	return u.renew(ctx, in, func(tx *store.DB) error {
		return firstError(
			func() error { return tx.NotePasskeyUse(ctx, used, u.Now()) },
			func() error { return tx.SetSessionMethod(ctx, &in.Session, in.Session.MethodWithPasskey()) },
			func() error { return u.noteStepUp(ctx, tx, &in.Session, "passkey") },
		)
	})
}

// checkPasskey returns the passkey of the user with which a challenge was answered, as it is after its use.
func (u *Users) checkPasskey(ctx context.Context, user parley.UserID, session *webauthn.SessionData,
	response []byte) (*parley.Passkey, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return nil, parley.WrapError(parley.CodePasskeyFailed, err)
	}
	person, err := u.findPasskeyUser(ctx, user)
	if err != nil {
		return nil, err
	}
	credential, err := u.Passkeys.webauthn.ValidateLogin(person, *session, parsed)
	if err != nil {
		return nil, parley.WrapError(parley.CodePasskeyFailed, err)
	}
	return u.checkCredential(person, credential)
}
