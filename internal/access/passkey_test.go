package access_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
)

const consoleOrigin = "http://localhost:8080"

// authenticator holds one passkey, as a phone does.
type authenticator struct {
	*fixture
	key    *ecdsa.PrivateKey
	id     []byte
	userID string // base64
	count  uint32
	flags  byte // of WebAuthn: 1 is present, 4 is verified
	origin string
}

func (f *fixture) newAuthenticator() *authenticator {
	f.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	f.Must(err)
	id := make([]byte, 16)
	_, err = rand.Read(id)
	f.Must(err)
	return &authenticator{fixture: f, key: key, id: id, flags: 1 | 4, origin: consoleOrigin}
}

// creationOptions is what a browser needs of the options.
type creationOptions struct {
	PublicKey struct {
		Challenge string
		User      struct{ ID string }
	}
}

func (a *authenticator) clientData(c *access.PasskeyChallenge, ceremony string) (options creationOptions, data []byte) {
	a.Helper()
	a.Must(json.Unmarshal(c.Options, &options))
	data, err := json.Marshal(map[string]any{"type": ceremony, "challenge": options.PublicKey.Challenge,
		"origin": a.origin, "crossOrigin": false})
	a.Must(err)
	return options, data
}

func (a *authenticator) data(flags byte) []byte {
	host := sha256.Sum256([]byte("localhost"))
	a.count++
	return binary.BigEndian.AppendUint32(append(host[:], flags), a.count)
}

// create answers a challenge with a new passkey.
func (a *authenticator) create(c *access.PasskeyChallenge) access.PasskeyAnswer {
	a.Helper()
	options, client := a.clientData(c, "webauthn.create")
	a.userID = options.PublicKey.User.ID
	point, err := a.key.PublicKey.Bytes() // 4, x, y
	a.Must(err)
	data := append(a.data(a.flags|0x40), make([]byte, 16)...)
	data = append(append(data, 0, byte(len(a.id))), a.id...)
	data = append(data, 0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20) // a key of P-256 in CBOR
	data = append(append(append(data, point[1:33]...), 0x22, 0x58, 0x20), point[33:]...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return a.answer(c, map[string]any{"clientDataJSON": encode(client),
		"attestationObject": encode(append(object, data...)), "transports": []string{"internal"}})
}

// sign answers a challenge with the passkey.
func (a *authenticator) sign(c *access.PasskeyChallenge) access.PasskeyAnswer {
	a.Helper()
	_, client := a.clientData(c, "webauthn.get")
	data, hash := a.data(a.flags), sha256.Sum256(client)
	digest := sha256.Sum256(append(data[:len(data):len(data)], hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	a.Must(err)
	return a.answer(c, map[string]any{"clientDataJSON": encode(client), "authenticatorData": encode(data),
		"signature": encode(signature), "userHandle": a.userID})
}

func (a *authenticator) answer(c *access.PasskeyChallenge, response map[string]any) access.PasskeyAnswer {
	a.Helper()
	text, err := json.Marshal(map[string]any{"id": encode(a.id), "rawId": encode(a.id), "type": "public-key",
		"response": response, "clientExtensionResults": map[string]any{}})
	a.Must(err)
	return access.PasskeyAnswer{ID: c.ID, Response: text}
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (a *authenticator) signIn() (*access.OpenedSession, error) {
	a.Helper()
	c, err := a.Users.BeginPasskeySignIn(a.Context(), browser)
	a.Must(err)
	return a.Users.FinishPasskeySignIn(a.Context(), a.sign(c), browser)
}

func TestFirstPersonHasAPasskey(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		link, err := f.Users.SetUpLink(f.Context(), "")
		f.Must(err)
		phone, token := f.newAuthenticator(), f.token(link)
		c, err := f.Users.BeginPasskeyForLink(f.Context(), token, ownerEmail, "Owner")
		f.Must(err)
		answer := phone.create(c)
		s, err := f.Users.Redeem(f.Context(), access.Redemption{Token: token, Name: "Owner", Email: ownerEmail,
			Company: "Shop", Passkey: &answer})
		f.Must(err)
		codes, err := f.DB.CountRecoveryCodes(f.Context(), s.Person.User.ID)
		f.Must(err)
		if len(s.RecoveryCodes) != 10 || codes != 10 {
			f.Errorf("%d codes for who has a passkey alone, %d stored", len(s.RecoveryCodes), codes)
		}
		in, err := phone.signIn()
		f.Must(err)
		if in.Person.User.ID != s.Person.User.ID {
			f.Errorf("%+v", in.Person)
		}
		needed, err := f.Users.NeedsSetup(f.Context())
		f.Must(err)
		keys, err := f.DB.Passkeys(f.Context(), s.Person.User.ID)
		f.Must(err)
		if needed || len(keys) != 1 || keys[0].Name != "Passkey" || keys[0].LastUsedAt == nil || keys[0].SignCount != 2 {
			f.Errorf("%v %+v", needed, keys)
		}
		f.WantCode(f.Users.DeletePasskey(f.Context(), in.Person, keys[0].ID), parley.CodeInvalidBody, "passkey")
		f.clock.Advance(time.Hour)
		_, err = f.Users.ChangePassword(f.Context(), in.Person, "", ownerPassword, browser)
		f.WantCode(err, parley.CodeStepUpRequired)
		in, err = phone.signIn()
		f.Must(err)
		renewed, err := f.Users.ChangePassword(f.Context(), in.Person, "", ownerPassword, browser)
		f.Must(err)
		f.Must(f.Users.DeletePasskey(f.Context(), renewed.Person, keys[0].ID))
		_, err = phone.signIn()
		f.WantCode(err, parley.CodePasskeyFailed)
	})
}

func TestPasskeysSignIn(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s, phone := f.setUp(), f.newAuthenticator()
		c, err := f.Users.BeginPasskey(f.Context(), s.Person)
		f.Must(err)
		answer := phone.create(c)
		answer.Name = "Phone"
		k, err := f.Users.FinishPasskey(f.Context(), s.Person, answer)
		f.Must(err)
		_, err = f.Users.FinishPasskey(f.Context(), s.Person, answer)
		f.WantCode(err, parley.CodePasskeyFailed) // the challenge was answered
		c, err = f.Users.BeginPasskey(f.Context(), s.Person)
		f.Must(err)
		_, err = f.Users.FinishPasskey(f.Context(), s.Person, phone.create(c))
		f.WantCode(err, parley.CodeAlreadyExists)
		f.Must(f.Users.RenamePasskey(f.Context(), s.Person, k.ID, "Old phone"))
		f.WantCode(f.Users.RenamePasskey(f.Context(), s.Person, "none", "x"), parley.CodeNotFound)

		_, err = phone.signIn()
		f.Must(err)
		c, err = f.Users.BeginPasskeySignIn(f.Context(), browser)
		f.Must(err)
		signed := phone.sign(c)
		f.clock.Advance(5 * time.Minute)
		_, err = f.Users.FinishPasskeySignIn(f.Context(), signed, browser)
		f.WantCode(err, parley.CodePasskeyFailed) // too late

		phone.flags = 1 // present, not verified
		_, err = phone.signIn()
		f.WantCode(err, parley.CodePasskeyFailed)
		phone.flags, phone.origin = 1|4, "http://localhost.evil.example"
		_, err = phone.signIn()
		f.WantCode(err, parley.CodePasskeyFailed)
		phone.origin, phone.count = consoleOrigin, 0 // a copy
		_, err = phone.signIn()
		f.WantCode(err, parley.CodePasskeyFailed)
		stranger := f.newAuthenticator()
		stranger.userID = phone.userID
		_, err = stranger.signIn()
		f.WantCode(err, parley.CodePasskeyFailed)
	})
}

func TestPasskeysStepUp(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s, phone := f.setUp(), f.newAuthenticator()
		_, err := f.Users.BeginPasskeyStepUp(f.Context(), s.Person)
		f.WantCode(err, parley.CodeNotFound)
		c, err := f.Users.BeginPasskey(f.Context(), s.Person)
		f.Must(err)
		_, err = f.Users.FinishPasskey(f.Context(), s.Person, phone.create(c))
		f.Must(err)
		f.clock.Advance(11 * time.Minute)
		_, err = f.Users.BeginPasskey(f.Context(), s.Person)
		f.WantCode(err, parley.CodeStepUpRequired)
		c, err = f.Users.BeginPasskeyStepUp(f.Context(), s.Person)
		f.Must(err)
		again, err := f.Users.FinishPasskeyStepUp(f.Context(), s.Person, phone.sign(c))
		f.Must(err)
		f.wantSignedOut(s.Token)
		m, err := again.Person.Member("")
		f.Must(err)
		f.Must(access.CheckStepUp(m, f.clock.Now()))
	})
}

func TestPasskeysNeedAHostName(t *testing.T) {
	for url, want := range map[string]bool{"http://localhost:8080/console": true, "https://parley.example/console": true,
		"http://parley.example/console": false, "http://127.0.0.1:8080/console": false,
		"https://[2001:db8::1]/console": false} {
		v, err := access.NewPasskeyVerifier(url)
		if err != nil || (v != nil) != want {
			t.Errorf("%s: %v %v", url, v, err)
		}
	}
}

// Each challenge is a row: whoever has not signed in gets so many.
func TestChallengesAreLimited(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		begin := func(address string) error {
			_, err := f.Users.BeginPasskeySignIn(f.Context(), access.Client{Address: address})
			return err
		}
		for i := range 60 {
			f.Must(begin(fmt.Sprintf("2001:db8::%x", i)))
		}
		f.WantCode(begin("2001:db8::ffff"), parley.CodeTooManyRequests)
		f.Must(begin("2001:db8:0:1::1"))
		f.clock.Advance(5 * time.Minute)
		f.Must(begin("2001:db8::ffff"))
		n, err := f.DB.SQL().Exec(f.Context(), `update passkey_challenges set purpose = purpose`)
		f.Must(err)
		if n != 1 {
			f.Errorf("%d challenges are kept", n)
		}
	})
}

// passkeyRule is an account that asks its owners and admins for a passkey, with its owner's phone.
type passkeyRule struct {
	*fixture
	account parley.AccountID
	owner   parley.UserID
	phone   *authenticator
}

// requirePasskeys makes the first person and the rule. It returns their session, which has begun with a link.
func (f *fixture) requirePasskeys() (*passkeyRule, *access.OpenedSession) {
	f.Helper()
	s := f.setUp()
	r := &passkeyRule{f, s.Person.Memberships[0].AccountID, s.Person.User.ID, f.newAuthenticator()}
	f.WantCode(r.set(true), parley.CodeInvalidBody, "adminsNeedPasskey") // the console has no passkeys
	f.HasPasskeys, f.Actor = true, s.Person.Actor()
	f.WantCode(r.set(true), parley.CodeInvalidBody, "adminsNeedPasskey") // the owner has shown none
	f.Actor = ""
	f.Must(r.set(true))
	return r, s
}

func (r *passkeyRule) set(isOn bool) error {
	r.Helper()
	_, err := r.UpdateAccount(r.Context(), r.account, access.AccountChange{AdminsNeedPasskey: &isOn})
	r.Users.Sessions.ClearCache()
	return err
}

// wantStep fails unless the person of a session must take the step before they enter the account, by every way of
// asking.
func (r *passkeyRule) wantStep(token string, step parley.PasskeyStep) *access.SignedIn {
	r.Helper()
	r.Users.Sessions.ClearCache()
	person := r.wantSignedIn(token)
	if got := person.PasskeyStep(person.Memberships[0]); got != step {
		r.Errorf("a session by %q: step %q, want %q", person.Session.Method, got, step)
	}
	roles, err := r.Users.Sessions.Roles(r.Context(), []parley.WebSessionID{person.Session.ID})
	r.Must(err)
	if (len(roles) == 1) != (step == "") {
		r.Errorf("a session by %q has roles %v, step %q", person.Session.Method, roles, step)
	}
	_, err = person.Member(r.account)
	if step == "" {
		r.Must(err)
		return person
	}
	r.WantCode(err, parley.CodePasskeyRequired)
	_, err = r.Users.NewRecoveryCodes(r.Context(), person)
	r.WantCode(err, parley.CodePasskeyRequired)
	_, err = r.Users.ChangePassword(r.Context(), person, ownerPassword, "a long way home", browser)
	r.WantCode(err, parley.CodePasskeyRequired)
	r.WantCode(r.Users.DeletePasskey(r.Context(), person, "none"), parley.CodePasskeyRequired)
	return person
}

// addPasskey adds a passkey to who has signed in, and returns its id.
func (r *passkeyRule) addPasskey(person *access.SignedIn, phone *authenticator) parley.PasskeyID {
	r.Helper()
	c, err := r.Users.BeginPasskey(r.Context(), person)
	r.Must(err)
	k, err := r.Users.FinishPasskey(r.Context(), person, phone.create(c))
	r.Must(err)
	return k.ID
}

func (r *passkeyRule) signInAlone() string {
	r.Helper()
	s, err := r.signIn(ownerEmail, ownerPassword)
	r.Must(err)
	return s.Token
}

// Who has no passkey adds one and is in. Who has one shows it: the password alone neither enters nor adds another.
func TestOwnersAndAdminsShowAPasskey(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		r, s := f.requirePasskeys()
		person := r.wantStep(s.Token, parley.PasskeyAdd)
		id := r.addPasskey(person, r.phone)
		person = r.wantStep(s.Token, "")
		f.WantCode(f.Users.DeletePasskey(f.Context(), person, id), parley.CodeInvalidBody, "passkey") // it is the last
		codes, err := f.Users.NewRecoveryCodes(f.Context(), person)
		f.Must(err)

		person = r.wantStep(r.signInAlone(), parley.PasskeyUse)
		_, err = f.Users.BeginPasskey(f.Context(), person)
		f.WantCode(err, parley.CodePasskeyRequired)
		_, err = f.Users.FinishPasskey(f.Context(), person, access.PasskeyAnswer{ID: "none"})
		f.WantCode(err, parley.CodePasskeyRequired)
		c, err := f.Users.BeginPasskeyStepUp(f.Context(), person)
		f.Must(err)
		shown, err := f.Users.FinishPasskeyStepUp(f.Context(), person, r.phone.sign(c))
		f.Must(err)
		r.wantStep(shown.Token, "")
		byPhone, err := r.phone.signIn()
		f.Must(err)
		r.wantStep(byPhone.Token, "")

		lost, err := f.Users.SignInWithCode(f.Context(), ownerEmail, codes[0], browser)
		f.Must(err)
		r.addPasskey(r.wantStep(lost.Token, parley.PasskeyAdd), f.newAuthenticator())
		f.Must(f.Users.DeletePasskey(f.Context(), r.wantStep(lost.Token, ""), id))
	})
}

// Others are not asked, nor the owner who is exempt from single sign-on, nor anybody where the console has no passkeys.
func TestWhoNeedsNoPasskey(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		r, s := f.requirePasskeys()
		kim := access.MemberRef{AccountID: r.account, UserID: f.addMember(r.account, "kim", parley.RoleAgent)}
		_, err := f.Users.SetMemberPassword(f.Context(), kim, ownerPassword)
		f.Must(err)
		agent, err := f.signIn("kim@example.org", ownerPassword)
		f.Must(err)
		r.wantStep(agent.Token, "")
		_, err = f.ChangeMember(f.Context(), kim, parley.RoleAdmin)
		f.Must(err)
		r.wantStep(agent.Token, parley.PasskeyAdd)

		f.HasSSO = true
		isOnly := true
		_, err = f.UpdateAccount(f.Context(), r.account, access.AccountChange{OnlySSO: &isOnly, ExemptOwner: &r.owner})
		f.Must(err)
		r.wantStep(r.signInAlone(), "")
		isOnly = false
		_, err = f.UpdateAccount(f.Context(), r.account, access.AccountChange{OnlySSO: &isOnly})
		f.Must(err)

		r.wantStep(s.Token, parley.PasskeyAdd)
		f.Users.Sessions.NoPasskeys = true
		r.wantStep(s.Token, "")
		f.Users.Sessions.NoPasskeys = false
		f.Must(r.set(false))
		r.wantStep(s.Token, "")
		events, err := f.DB.AuditEvents(f.Context(), r.account, 0, 100)
		f.Must(err)
		var count int
		for _, e := range events {
			if e.Action == "account.update" && strings.Contains(e.Details, `"adminsNeedPasskey":true`) {
				count++
			}
		}
		if count != 3 {
			f.Errorf("%d entries say that the rule is on, want those of its beginning and of both changes after it", count)
		}
	})
}

// Whoever accepts an invitation has shown what they had shown before, and a new person their new passkey.
func TestInvitationsAreNoWayAroundAPasskey(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		r, s := f.requirePasskeys()
		r.addPasskey(r.wantStep(s.Token, parley.PasskeyAdd), r.phone)
		wantStep := func(person *access.SignedIn, step parley.PasskeyStep) {
			for _, m := range person.Memberships {
				if got := person.PasskeyStep(m); m.AccountID == r.account && got != step {
					f.Errorf("a session by %q: step %q, want %q", person.Session.Method, got, step)
				}
			}
		}
		byPhone, err := r.phone.signIn()
		f.Must(err)
		for token, step := range map[string]parley.PasskeyStep{r.signInAlone(): parley.PasskeyUse, byPhone.Token: ""} {
			other, _ := f.createAccount("")
			joined, err := f.redeem(f.invite(other.ID, ownerEmail, "operator"), access.Redemption{By: f.wantSignedIn(token)})
			f.Must(err)
			wantStep(joined.Person, step)
		}

		link, err := f.Users.Invite(f.Context(), access.NewInvitation{AccountID: r.account, Email: "lee@shop.example",
			Role: parley.RoleAdmin, By: "operator"})
		f.Must(err)
		c, err := f.Users.BeginPasskeyForLink(f.Context(), f.token(link.URL), "", "Lee")
		f.Must(err)
		answer := f.newAuthenticator().create(c)
		lee, err := f.redeem(link, access.Redemption{Name: "Lee", Passkey: &answer})
		f.Must(err)
		r.wantStep(lee.Token, "")
	})
}

func (r *passkeyRule) setNoPasswords(isOff bool) error {
	r.Helper()
	_, err := r.UpdateAccount(r.Context(), r.account, access.AccountChange{NoPasswords: &isOff})
	r.Users.Sessions.ClearCache()
	return err
}

// refusePasswords makes the first person with a passkey, and an account that takes no passwords.
func (f *fixture) refusePasswords() (*passkeyRule, *access.OpenedSession) {
	f.Helper()
	s := f.setUp()
	r := &passkeyRule{f, s.Person.Memberships[0].AccountID, s.Person.User.ID, f.newAuthenticator()}
	f.WantCode(r.setNoPasswords(true), parley.CodeInvalidBody, "noPasswords") // the console has no passkeys
	f.HasPasskeys = true
	f.WantCode(r.setNoPasswords(true), parley.CodeInvalidBody, "noPasswords") // no owner has one
	r.addPasskey(s.Person, r.phone)
	f.Actor = s.Person.Actor()
	f.WantCode(r.setNoPasswords(true), parley.CodeInvalidBody, "noPasswords") // the owner has shown none
	f.HasUsedPasskey = true
	f.Must(r.setNoPasswords(true))
	f.Actor, f.HasUsedPasskey = "", false
	return r, s
}

// A password alone neither enters nor adds a passkey, of whatever role: who has none comes by a link.
func TestPasswordsAreSwitchedOff(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		r, _ := f.refusePasswords()
		r.wantStep(r.signInAlone(), parley.PasskeyUse)
		byPhone, err := r.phone.signIn()
		f.Must(err)
		person := r.wantStep(byPhone.Token, "")
		keys, err := f.DB.Passkeys(f.Context(), r.owner)
		f.Must(err)
		f.WantCode(f.Users.DeletePasskey(f.Context(), person, keys[0].ID), parley.CodeInvalidBody, "passkey")

		kim := access.MemberRef{AccountID: r.account, UserID: f.addMember(r.account, "kim", parley.RoleViewer)}
		_, err = f.Users.SetMemberPassword(f.Context(), kim, ownerPassword)
		f.Must(err)
		byPassword, err := f.signIn("kim@example.org", ownerPassword)
		f.Must(err)
		_, err = f.Users.BeginPasskey(f.Context(), r.wantStep(byPassword.Token, parley.PasskeyLink))
		f.WantCode(err, parley.CodePasskeyRequired)
		link, err := f.Users.ResetLink(f.Context(), access.ResetRequest{MemberRef: kim, By: "operator"})
		f.Must(err)
		byLink, err := f.redeem(link, access.Redemption{Password: "a long way home"})
		f.Must(err)
		r.addPasskey(r.wantStep(byLink.Token, parley.PasskeyAdd), f.newAuthenticator())
		r.wantStep(byLink.Token, "")

		f.Users.Sessions.NoPasskeys = true
		r.wantStep(r.signInAlone(), "")
		f.Users.Sessions.NoPasskeys = false
		f.Must(r.setNoPasswords(false))
		r.wantStep(r.signInAlone(), "")
	})
}

// Where passwords are refused, the account keeps an owner who gets in without one, and new people get a passkey.
func TestNobodyIsLockedOutWithoutPasswords(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		r, _ := f.refusePasswords()
		lee := access.MemberRef{AccountID: r.account, UserID: f.addMember(r.account, "lee", parley.RoleOwner)}
		_, err := f.Users.SetMemberPassword(f.Context(), lee, ownerPassword)
		f.Must(err)
		f.KeepWaysIn = true
		own := access.MemberRef{AccountID: r.account, UserID: r.owner}
		_, err = f.ChangeMember(f.Context(), own, parley.RoleAdmin)
		f.WantCode(err, parley.CodeInvalidBody, "member")

		link := f.invite(r.account, "new@shop.example", "operator")
		state, err := f.Users.CheckLink(f.Context(), f.token(link.URL))
		f.Must(err)
		if !state.NoPasswords {
			f.Errorf("%+v", state)
		}
		_, err = f.redeem(link, access.Redemption{Name: "New", Password: ownerPassword})
		f.WantCode(err, parley.CodeInvalidBody, "password")

		f.Must(r.setNoPasswords(false))
		_, err = f.ChangeMember(f.Context(), own, parley.RoleAdmin)
		f.Must(err)
	})
}
