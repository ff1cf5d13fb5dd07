package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// How long a session lasts unless settings say something else.
const (
	DefaultSessionIdle     = 12 * time.Hour
	DefaultSessionLifetime = 30 * 24 * time.Hour
)

const (
	tokenBytes         = 32
	sessionTouch       = time.Minute // a session's last use is written at most this often
	maxUserAgentLength = 200
)

// newToken returns 256 random bits, url-safe. Only its Hash is stored.
func newToken() string {
	var b [tokenBytes]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Client is the browser that a request comes from.
type Client struct {
	Address   string
	UserAgent string
}

// SignedIn is a person with their session and the accounts that they belong to.
type SignedIn struct {
	Session     parley.WebSession
	User        parley.User
	Memberships []parley.AccountMembership // the longest standing first

	noted *sync.Map // accounts in which it was noted that the person is there
}

// Actor is the person's name in audit chains.
func (s *SignedIn) Actor() string { return UserActor(s.User.ID) }

// UserActor is the name of a user in audit chains.
func UserActor(id parley.UserID) string { return "user:" + string(id) }

// KeyActor is the name of an API key in audit chains.
func KeyActor(id parley.KeyID) string { return "key:" + string(id) }

// Member returns the person as a member of the account. An empty account is the one that the session began with,
// or else the first. Fails with ACCOUNT_NOT_FOUND where they are no member of it, with AUTH_SINGLE_SIGN_ON_REQUIRED
// where they have signed in otherwise and must not, with AUTH_OTHER_SIGN_IN_REQUIRED where they have signed in by the
// provider of another account, and with AUTH_PASSKEY_REQUIRED where they must show or add a passkey first.
func (s *SignedIn) Member(account parley.AccountID) (parley.Member, error) {
	i := s.membershipIndex(account)
	if account == "" {
		i = max(s.membershipIndex(s.Session.AccountID), 0)
	}
	if i < 0 || i >= len(s.Memberships) {
		return parley.Member{}, parley.NewError(parley.CodeAccountNotFound)
	}
	m := s.Memberships[i]
	switch {
	case s.LacksSSO(m):
		return parley.Member{}, parley.NewError(parley.CodeSSORequired)
	case !s.Reaches(m.AccountID):
		return parley.Member{}, parley.NewError(parley.CodeOtherSignIn)
	case s.PasskeyStep(m) != "":
		return parley.Member{}, parley.NewError(parley.CodePasskeyRequired)
	}
	return parley.Member{User: s.User.ID, Account: m.AccountID, Role: m.Role, SteppedUpAt: s.Session.SteppedUpAt,
		ViewersSeePersonalData: m.ViewersSeePersonalData, HasUsedSSO: s.hasUsedSSO(m.AccountID),
		HasUsedPasskey: s.Session.HasUsedPasskey()}, nil
}

// LacksSSO reports whether the person must sign in by single sign-on before they enter the account of a membership.
func (s *SignedIn) LacksSSO(m parley.AccountMembership) bool {
	return m.NeedsSSO && !s.hasUsedSSO(m.AccountID)
}

// PasskeyStep returns what the person must do before they enter the account of a membership, which may ask its owners
// and admins for a passkey, or refuse the passwords of all; empty for nothing. Who has signed in by single sign-on is
// not asked. Who has a passkey shows it, unless they have come by a link or a recovery code, since they may have lost
// it.
func (s *SignedIn) PasskeyStep(m parley.AccountMembership) parley.PasskeyStep {
	switch {
	case !m.NeedsPasskey || s.Session.HasUsedPasskey() || s.hasUsedSSO(m.AccountID):
		return ""
	case s.Session.AllowsNewPasskey():
		return parley.PasskeyAdd
	case m.HasPasskey:
		return parley.PasskeyUse
	case m.NoPasswords:
		return parley.PasskeyLink
	}
	return parley.PasskeyAdd
}

// checkPasskey fails with AUTH_PASSKEY_REQUIRED where one of the person's accounts asks them for a passkey, and the
// step that they must take is one of the steps.
func (s *SignedIn) checkPasskey(steps ...parley.PasskeyStep) error {
	for _, m := range s.Memberships {
		if slices.Contains(steps, s.PasskeyStep(m)) {
			return parley.NewErrorf(parley.CodePasskeyRequired, "%s asks you for a passkey before you change how you sign in.",
				m.AccountName)
		}
	}
	return nil
}

// checkUnlocked fails as checkReach does, and with AUTH_PASSKEY_REQUIRED where the person must show or add a passkey
// before anything else.
func (s *SignedIn) checkUnlocked() error {
	return cmp.Or(s.checkReach(), s.checkPasskey(parley.PasskeyUse, parley.PasskeyAdd, parley.PasskeyLink))
}

// checkNewPasskey fails as checkReach does, and with AUTH_PASSKEY_REQUIRED where the person must show a passkey that
// they have, or come by a link: whoever knows no more than their password must not add another one.
func (s *SignedIn) checkNewPasskey() error {
	return cmp.Or(s.checkReach(), s.checkPasskey(parley.PasskeyUse, parley.PasskeyLink))
}

// Reaches reports whether the session is good for an account: one that the provider of an account has vouched for is
// good for that account alone, so that whoever runs the provider gets into no other.
func (s *SignedIn) Reaches(account parley.AccountID) bool {
	own := s.Session.SSOAccount()
	return own == "" || own == account
}

// checkReach fails with AUTH_OTHER_SIGN_IN_REQUIRED where the person belongs to accounts that the session is not good
// for: it must neither make nor change the ways of signing in that lead into those.
func (s *SignedIn) checkReach() error {
	isOther := func(m parley.AccountMembership) bool { return !s.Reaches(m.AccountID) }
	if slices.ContainsFunc(s.Memberships, isOther) {
		return parley.NewErrorf(parley.CodeOtherSignIn, "You have signed in by the provider of one of your accounts. Sign "+
			"in in a way that opens the others too, and change this then.")
	}
	return nil
}

// checkOwnWays fails with AUTH_STEP_UP_REQUIRED, and as checkUnlocked does: what changes how a person signs in needs
// both.
func (u *Users) checkOwnWays(in *SignedIn) error {
	return cmp.Or(in.checkUnlocked(), u.checkStepUp(in))
}

func (u *Users) checkStepUp(in *SignedIn) error {
	return CheckStepUp(parley.Member{SteppedUpAt: in.Session.SteppedUpAt}, u.Now())
}

// hasUsedSSO reports whether the provider of the server or that of an account has vouched for the session.
func (s *SignedIn) hasUsedSSO(account parley.AccountID) bool {
	return s.Session.Method == parley.MethodSSO || s.Session.Method == parley.AccountSSO(account)
}

func (s *SignedIn) membershipIndex(account parley.AccountID) int {
	return slices.IndexFunc(s.Memberships, func(m parley.AccountMembership) bool { return m.AccountID == account })
}

// WebSessions finds people by the tokens of their sessions. It caches each result for half a second, as Authenticator
// does.
type WebSessions struct {
	DB       *store.DB
	Now      func() time.Time
	Idle     time.Duration // how long a session lasts that is not used; 0 for DefaultSessionIdle
	Lifetime time.Duration // how long a session lasts at most; 0 for DefaultSessionLifetime
	Logger   *slog.Logger  // nil for slog.Default()

	NoPasskeys bool // the console has no passkeys, so that no account can ask for one

	OnChange func() // called when a session or a role may have changed on this server; must not block; may be nil

	known   ttlCache[cachedSession]
	unknown ttlCache[struct{}] // separate, so that a flood of wrong tokens does not evict the right ones
}

type cachedSession struct {
	person   *SignedIn
	lastSeen *atomic.Int64 // in milliseconds
}

// Authenticate returns the person whose session has the token. Fails with AUTH_SIGN_IN_REQUIRED.
func (w *WebSessions) Authenticate(ctx context.Context, token string) (*SignedIn, error) {
	if token == "" || len(token) > 2*tokenBytes {
		return nil, parley.NewError(parley.CodeSignInRequired)
	}
	now := w.Now()
	e, err := w.lookup(ctx, Hash(token), now)
	if err != nil {
		return nil, err
	}
	lastSeen := time.UnixMilli(e.lastSeen.Load())
	if !now.Before(e.person.Session.ExpiresAt) || !now.Before(lastSeen.Add(w.idle())) {
		return nil, parley.NewError(parley.CodeSignInRequired)
	}
	w.noteUse(ctx, e, now)
	return e.person, nil
}

func (w *WebSessions) lookup(ctx context.Context, hash string, now time.Time) (cachedSession, error) {
	if e, ok := w.known.get(hash, now); ok {
		return e, nil
	}
	if _, ok := w.unknown.get(hash, now); ok {
		return cachedSession{}, parley.NewError(parley.CodeSignInRequired)
	}
	knownGeneration, unknownGeneration := w.known.generation(), w.unknown.generation()
	found, err := w.DB.FindWebSession(ctx, hash)
	if err != nil {
		return cachedSession{}, err
	}
	if found == nil || found.Session.RevokedAt != nil {
		w.unknown.put(hash, struct{}{}, now, unknownGeneration)
		return cachedSession{}, parley.NewError(parley.CodeSignInRequired)
	}
	memberships, err := w.DB.AccountMemberships(ctx, found.User.ID)
	if err != nil {
		return cachedSession{}, err
	}
	for i := range memberships {
		memberships[i].NeedsPasskey = memberships[i].NeedsPasskey && !w.NoPasskeys
	}
	e := cachedSession{&SignedIn{found.Session, found.User, memberships, new(sync.Map)}, new(atomic.Int64)}
	e.lastSeen.Store(found.Session.LastSeenAt.UnixMilli())
	w.known.put(hash, e, now, knownGeneration)
	return e, nil
}

// noteUse writes now and then that the session is used. A use that cannot be written is lost.
func (w *WebSessions) noteUse(ctx context.Context, e cachedSession, now time.Time) {
	last, at := e.lastSeen.Load(), now.UnixMilli()
	if at-last < sessionTouch.Milliseconds() || !e.lastSeen.CompareAndSwap(last, at) {
		return
	}
	if err := w.DB.TouchWebSession(ctx, &e.person.Session, now); err != nil &&
		ctx.Err() == nil {
		w.logger().Warn("the last use of a session was not written", "error", err)
	}
}

// List lists the sessions of a person that have not ended, the newest first.
func (w *WebSessions) List(ctx context.Context, user parley.UserID) ([]parley.WebSession, error) {
	now := w.Now()
	return w.DB.WebSessions(ctx, user, now.Add(-w.idle()), now)
}

// ClearCache drops all cached results, after something has changed.
func (w *WebSessions) ClearCache() {
	w.known.clear()
	w.unknown.clear()
	if w.OnChange != nil {
		w.OnChange()
	}
}

// Roles lists the roles of the people of sessions, in all of their accounts. Sessions that have ended have none.
func (w *WebSessions) Roles(ctx context.Context, sessions []parley.WebSessionID) ([]store.SessionRole, error) {
	now := w.Now()
	return w.DB.SessionRoles(ctx, sessions, !w.NoPasskeys, now.Add(-w.idle()), now)
}

// Sweep deletes sessions, links and challenges that are of no use any more.
func (w *WebSessions) Sweep(ctx context.Context) error {
	return w.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return tx.DeleteEndedSignIns(ctx, w.Now()) })
}

// newSession returns a session that begins now, with its token.
func (w *WebSessions) newSession(user parley.UserID, c Client) (token string, s parley.WebSession) {
	token, now := newToken(), w.Now()
	return token, parley.WebSession{
		ID:          parley.WebSessionID(parley.NewUUID()),
		UserID:      user,
		Hash:        Hash(token),
		UserAgent:   cutText(c.UserAgent, maxUserAgentLength),
		Address:     c.Address,
		CreatedAt:   now,
		LastSeenAt:  now,
		ExpiresAt:   now.Add(cmp.Or(w.Lifetime, DefaultSessionLifetime)),
		SteppedUpAt: now,
	}
}

// NoteMember writes now and then that a person is seen in an account. What cannot be written is lost.
func (w *WebSessions) NoteMember(ctx context.Context, person *SignedIn, m parley.Member) {
	i := person.membershipIndex(m.Account)
	if i < 0 || person.noted == nil {
		return
	}
	now := w.Now()
	if last := person.Memberships[i].LastSeenAt; last != nil && now.Sub(*last) < sessionTouch {
		return
	}
	if _, isNoted := person.noted.LoadOrStore(m.Account, true); isNoted {
		return
	}
	if err := w.DB.TouchMember(ctx, m.Account, m.User, now); err != nil && ctx.Err() == nil {
		w.logger().Warn("when a member was last seen was not written", "error", err)
	}
}

func (w *WebSessions) idle() time.Duration { return cmp.Or(w.Idle, DefaultSessionIdle) }

func (w *WebSessions) logger() *slog.Logger { return cmp.Or(w.Logger, slog.Default()) }

// cutText returns the first characters of a text as valid UTF-8 without control characters.
func cutText(text string, characters int) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	runes := []rune(clean)
	return string(runes[:min(len(runes), characters)])
}

// stepUpDuration is how long a person counts as the one who signed in, for what must not be done by whoever finds the
// browser open.
const stepUpDuration = 10 * time.Minute

// CheckStepUp fails with AUTH_STEP_UP_REQUIRED unless the member has shown who they are within the last ten minutes.
func CheckStepUp(m parley.Member, now time.Time) error {
	if now.Sub(m.SteppedUpAt) > stepUpDuration {
		return parley.NewError(parley.CodeStepUpRequired)
	}
	return nil
}
