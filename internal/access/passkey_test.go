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
