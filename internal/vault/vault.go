// Package vault seals secrets, so that the database and its backups hold none in the clear.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"parley"
)

// MinKey is the shortest key in bytes.
const MinKey = 16

// version stands before every sealed text and names how it was sealed: AES-256-GCM under a key that HKDF-SHA256 derives.
const version = "v1."

// ErrKey says that a secret was sealed under another key, for another account, or was changed since.
var ErrKey = errors.New("the secret cannot be opened with this PARLEY_SECRET_KEY")

var encoding = base64.RawURLEncoding

// Vault seals and opens under one key.
type Vault struct{ seal cipher.AEAD }

// New makes a vault. Without a key there is a vault too, which seals and opens nothing. Fails when the key is shorter than
// MinKey.
func New(key string) (*Vault, error) {
	if key == "" {
		return &Vault{}, nil
	}
	if len(key) < MinKey {
		return nil, fmt.Errorf("the secret key has fewer than %d bytes", MinKey)
	}
	derived, err := hkdf.Key(sha256.New, []byte(key), nil, "parley vault v1", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	return &Vault{gcm}, err
}

// Ready reports whether the vault has a key.
func (v *Vault) Ready() bool { return v != nil && v.seal != nil }

// Seal gives a text that only this key opens, and only for the account. Fails with VALIDATION_INVALID_BODY without a key.
func (v *Vault) Seal(account parley.AccountID, secret []byte) (string, error) {
	if !v.Ready() {
		return "", parley.Failf(parley.CodeInvalidBody, "Secrets cannot be kept: the server has no PARLEY_SECRET_KEY. Set it to a text of at least %d bytes.", MinKey)
	}
	nonce := make([]byte, v.seal.NonceSize(), v.seal.NonceSize()+len(secret)+v.seal.Overhead())
	_, _ = rand.Read(nonce) // never fails: crypto/rand aborts the program instead
	return version + encoding.EncodeToString(v.seal.Seal(nonce, nonce, secret, bound(account))), nil
}

// Open gives back what was sealed. Fails with ErrKey.
func (v *Vault) Open(account parley.AccountID, sealed string) ([]byte, error) {
	if !v.Ready() {
		return nil, errors.New("the secret cannot be opened: the server has no PARLEY_SECRET_KEY")
	}
	text, known := strings.CutPrefix(sealed, version)
	raw, err := encoding.DecodeString(text)
	if !known || err != nil || len(raw) < v.seal.NonceSize() {
		return nil, ErrKey
	}
	n := v.seal.NonceSize()
	secret, err := v.seal.Open(nil, raw[:n], raw[n:], bound(account))
	if err != nil {
		return nil, ErrKey
	}
	return secret, nil
}

// bound ties a sealed text to its account: copied to another's row it does not open. It is not tied to the agent, so that a
// clone of an agent keeps its secrets.
func bound(account parley.AccountID) []byte { return []byte("account " + account) }
