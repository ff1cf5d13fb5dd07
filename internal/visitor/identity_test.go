package visitor_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"parley"
	"parley/internal/visitor"
)

// rawToken signs any header and claims with the agent's secret, as HS256 does.
func (f *fixture) rawToken(header, claims string) string {
	f.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(header)) + "." + encode([]byte(claims))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}

func hashOf(secret, user string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(user))
	return hex.EncodeToString(mac.Sum(nil))
}

// checkProof fails the test unless the proof is accepted for anna, or refused with the reason; an empty reason accepts.
func (f *fixture) checkProof(name string, agent *parley.Agent, p visitor.Proof, reason visitor.Reason) {
	f.Helper()
	s, err := f.Identify(f, agent, f.begin().Visitor, p)
	switch {
	case reason == "" && (err != nil || s.Visitor.UserID != "anna"):
		f.Errorf("%s: %v", name, err)
	case reason != "" && (!parley.IsCode(err, parley.CodeIdentityRefused) ||
		parley.AsError(err).Details["reason"] != string(reason)):
		f.Errorf("%s: %v %v, want %s", name, err, parley.AsError(err).Details, reason)
	}
}

func TestTimesOfTokensHaveAMinuteOfTolerance(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		now := f.clock.Now().Unix()
		for _, test := range []struct {
			claim  string
			time   any
			reason visitor.Reason
		}{
			{"exp", now + 1, ""}, {"exp", now - 59, ""}, {"exp", now - 61, visitor.ReasonExpired},
			{"exp", 0, visitor.ReasonExpired}, {"exp", -1, visitor.ReasonExpired}, {"exp", float64(now) + 0.5, ""},
			{"nbf", now + 59, ""}, {"nbf", now + 61, visitor.ReasonExpired},
			{"iat", now + 59, ""}, {"iat", now + 61, visitor.ReasonExpired}, {"iat", now - 86400, ""},
			{"exp", "tomorrow", visitor.ReasonMalformed}, {"nbf", []int{1}, visitor.ReasonMalformed},
			{"exp", 1e300, visitor.ReasonExpired},
		} {
			token := f.token(jwt.MapClaims{"sub": "anna", test.claim: test.time})
			f.checkProof(fmt.Sprint(test.claim, " ", test.time, " at ", now), f.agent, visitor.Proof{Token: token}, test.reason)
		}
	})
}

func TestTokensThatPretend(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	forEachStore(t, func(f *fixture) {
		const claims = `{"sub":"anna"}`
		withRSA, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{"sub": "anna"}).SignedString(key)
		f.Must(err)
		large, err := json.Marshal(map[string]any{"sub": "anna", "custom_attributes": nil})
		f.Must(err)
		for _, test := range []struct {
			name, token string
			reason      visitor.Reason
		}{
			{"as it should be", f.rawToken(`{"alg":"HS256","typ":"JWT"}`, claims), ""},
			{"null for attributes", f.rawToken(`{"alg":"HS256"}`, string(large)), ""},
			{"RS256", withRSA, visitor.ReasonWrongAlgorithm},
			{"HS256 signed, RS256 named", f.rawToken(`{"alg":"RS256"}`, claims), visitor.ReasonWrongAlgorithm},
			{"HS256 signed, HS384 named", f.rawToken(`{"alg":"HS384"}`, claims), visitor.ReasonWrongAlgorithm},
			{"HS256 signed, none named", f.rawToken(`{"alg":"none"}`, claims), visitor.ReasonWrongAlgorithm},
			{"none with other letters", f.rawToken(`{"alg":"nOnE"}`, claims), visitor.ReasonWrongAlgorithm},
			{"no algorithm", f.rawToken(`{}`, claims), visitor.ReasonWrongAlgorithm},
			{"a key in the header", f.rawToken(`{"alg":"HS256","jwk":{"kty":"oct","k":"AA"},"kid":"../x"}`, claims), ""},
			{"no signature", f.rawToken(`{"alg":"HS256"}`, claims)[:30] + ".", visitor.ReasonMalformed},
			{"two users", f.rawToken(`{"alg":"HS256"}`, `{"user_id":"anna","sub":"bert"}`), ""},
			{"a broken number for a user", f.rawToken(`{"alg":"HS256"}`, `{"user_id":7.5}`), visitor.ReasonMalformed},
			{"a large number for a user", f.rawToken(`{"alg":"HS256"}`, `{"user_id":1e9}`), visitor.ReasonMalformed},
			{"a number below zero", f.rawToken(`{"alg":"HS256"}`, `{"user_id":-7}`), visitor.ReasonMalformed},
			{"true for a user", f.rawToken(`{"alg":"HS256"}`, `{"sub":true}`), visitor.ReasonMalformed},
			{"a number of 20 digits", f.rawToken(`{"alg":"HS256"}`, `{"sub":12345678901234567890}`), visitor.ReasonMalformed},
			{"a user of 129 characters", f.token(jwt.MapClaims{"sub": string(make([]byte, 129))}), visitor.ReasonNoUser},
			{"a user with a line break", f.token(jwt.MapClaims{"sub": "anna\n"}), visitor.ReasonNoUser},
			{"claims that are no object", f.rawToken(`{"alg":"HS256"}`, `[]`), visitor.ReasonMalformed},
		} {
			f.checkProof(test.name, f.agent, visitor.Proof{Token: test.token}, test.reason)
		}
	})
}

// TestUsersMayBeNumbers signs the numbers by which databases count users, as sites do that sign user.id as it is.
func TestUsersMayBeNumbers(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		for _, claims := range []string{`{"user_id":4711}`, `{"sub":4711}`, `{"sub":"4711"}`} {
			token := f.rawToken(`{"alg":"HS256"}`, claims)
			s, err := f.Identify(f, f.agent, f.begin().Visitor, visitor.Proof{Token: token})
			if err != nil || s.Visitor.UserID != "4711" {
				f.Errorf("%s: %v", claims, err)
			}
		}
	})
}

// TestProofsAreOfOneAgent sends what shows a user of one agent to another, and, replayed, to the same one: a proof may
// be used again, in other browsers too, until it expires or the secret changes.
func TestProofsAreOfOneAgent(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		other := f.createAgent(f.agent.AccountID)
		other.IdentitySecret = "the secret of another agent, as long"
		proofs := map[string]visitor.Proof{"token": {Token: f.token(jwt.MapClaims{"sub": "anna"})},
			"hash": {UserID: "anna", UserHash: hashOf(secret, "anna")}}
		for name, p := range proofs {
			f.checkProof(name+" at another agent", other, p, visitor.ReasonBadSignature)
			f.checkProof(name+" once", f.agent, p, "")
			f.checkProof(name+" again", f.agent, p, "")
		}
		changed := *f.agent
		changed.IdentitySecret, changed.OldIdentitySecret, changed.OldIdentityUntil = "the next", secret, nil
		for name, p := range proofs {
			f.checkProof(name+" after a change at once", &changed, p, visitor.ReasonBadSignature)
		}
		until := f.clock.Now().Add(time.Hour)
		changed.OldIdentityUntil = &until
		for name, p := range proofs {
			f.checkProof(name+" while the old secret is valid", &changed, p, "")
		}
		f.clock.Advance(time.Hour)
		for name, p := range proofs {
			f.checkProof(name+" at the end of that time", &changed, p, visitor.ReasonBadSignature)
		}
	})
}

// TestAgentWithoutASecretTakesNoProof signs with an empty secret, which anybody can.
func TestAgentWithoutASecretTakesNoProof(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		until := f.clock.Now().Add(time.Hour)
		without := *f.agent
		without.IdentitySecret, without.OldIdentitySecret, without.OldIdentityUntil = "", "", &until
		token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": "anna"}).SignedString([]byte{})
		f.Must(err)
		f.checkProof("token", &without, visitor.Proof{Token: token}, visitor.ReasonBadSignature)
		f.checkProof("hash", &without, visitor.Proof{UserID: "anna", UserHash: hashOf("", "anna")},
			visitor.ReasonBadSignature)
	})
}
