package oauth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// codeLifetime is how long a code is good for.
const codeLifetime = time.Minute

// grant is what a code stands for.
type grant struct {
	Key       string `json:"k"` // API key
	Client    string `json:"c"` // id of the client
	Redirect  string `json:"r"`
	Challenge string `json:"p"` // of PKCE, S256
	ExpiresAt int64  `json:"e"`
}

// sealGrant returns a code, which nobody but this installation can read.
func (s *server) sealGrant(g grant) (string, error) {
	text, err := json.Marshal(g)
	if err != nil {
		return "", err
	}
	gcm, err := s.codeCipher()
	if err != nil {
		return "", err
	}
	nonce := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(nonce) // never fails: crypto/rand aborts the program instead
	return base64.RawURLEncoding.EncodeToString(gcm.Seal(nonce, nonce, text, nil)), nil
}

func (s *server) codeCipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(s.codeKey)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

var errCode = errors.New("oauth: not a code")

func (s *server) openGrant(code string) (*grant, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(code)
	if err != nil {
		return nil, errCode
	}
	gcm, err := s.codeCipher()
	if err != nil {
		return nil, err
	}
	if len(sealed) < gcm.NonceSize() {
		return nil, errCode
	}
	text, err := gcm.Open(nil, sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():], nil)
	if err != nil {
		return nil, errCode
	}
	g := &grant{}
	return g, json.Unmarshal(text, g)
}

// AccessToken is what a client gets for a code: the API key.
type AccessToken struct {
	Token     string             `json:"access_token"`
	Type      string             `json:"token_type"`
	ExpiresIn httpapi.Opt[int64] `json:"expires_in,omitzero"`
	Scope     string             `json:"scope"`
}

// badCode is said of every code that is not good for an access token. It does not say why.
const badCode = "The code is not valid: it has expired, was used, or belongs to another request. Ask again."

func (s *server) exchangeCode(ctx context.Context, c *call, _ *httpapi.NoInput) (*AccessToken, error) {
	body, err := c.ReadBody()
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, newFailure(invalidRequest, "The body must be a form (application/x-www-form-urlencoded).")
	}
	if form.Get("grant_type") != "authorization_code" {
		return nil, newFailure(unsupportedGrant, "grant_type must be authorization_code.")
	}
	code := form.Get("code")
	g, err := s.openGrant(code)
	if err != nil || !g.isFor(form, s.Now()) {
		return nil, newFailure(invalidGrant, badCode)
	}
	caller, err := s.Authenticator.Authenticate(ctx, "Bearer "+g.Key)
	if err != nil {
		return nil, newFailure(invalidGrant, badCode)
	}
	if err := s.useCode(ctx, caller, code); err != nil {
		return nil, err
	}
	return newAccessToken(g.Key, &caller.Key, s.Now()), nil
}

// isFor reports whether a code was given for this request, and not too long ago.
func (g *grant) isFor(form url.Values, now time.Time) bool {
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	return now.Unix() <= g.ExpiresAt && form.Get("client_id") == g.Client && form.Get("redirect_uri") == g.Redirect &&
		subtle.ConstantTimeCompare([]byte(challenge), []byte(g.Challenge)) == 1
}

// useCode notes that a code was used. It fails for one that was used before, on any server.
func (s *server) useCode(ctx context.Context, caller *access.Caller, code string) error {
	sum := sha256.Sum256([]byte("oauth code\n" + code))
	hash := hex.EncodeToString(sum[:])
	claim := store.Claim{Account: caller.Account.ID, Key: hash, Hash: hash, Token: parley.NewUUID()}
	record, err := s.DB.ClaimIdempotencyKey(ctx, claim, s.Now())
	if record != nil || parley.IsCode(err, parley.CodeKeyInUse) || parley.IsCode(err, parley.CodeKeyReused) {
		return newFailure(invalidGrant, badCode)
	}
	return err
}

func newAccessToken(key string, record *parley.APIKey, now time.Time) *AccessToken {
	scopes := record.Scopes
	if scopes == nil {
		scopes = parley.Scopes()
	}
	var names []string
	for _, scope := range scopes {
		names = append(names, string(scope))
	}
	token := &AccessToken{Token: key, Type: "Bearer", Scope: strings.Join(names, " ")}
	if record.ExpiresAt != nil {
		token.ExpiresIn = httpapi.Some(int64(record.ExpiresAt.Sub(now) / time.Second))
	}
	return token
}
