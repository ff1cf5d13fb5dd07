// Package vault seals secrets, so that the database and its backups contain none in plain text.
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

// MinKeyBytes is the shortest key in bytes.
const MinKeyBytes = 16

// sealPrefix begins every sealed text and names how it was sealed: AES-256-GCM under a key that HKDF-SHA256 derives.
const sealPrefix = "v1."

// ErrWrongKey is returned for a secret that was sealed under another key, for another account, or changed since.
var ErrWrongKey = errors.New("the secret cannot be opened with this PARLEY_SECRET_KEY")

var encoding = base64.RawURLEncoding

// Vault seals and opens under one key.
type Vault struct{ aead cipher.AEAD }

// New returns a vault. Without a key it seals and opens nothing. New fails when the key is shorter than
// MinKeyBytes.
func New(key string) (*Vault, error) {
	if key == "" {
		return &Vault{}, nil
	}
	if len(key) < MinKeyBytes {
		return nil, fmt.Errorf("the secret key has fewer than %d bytes", MinKeyBytes)
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

// HasKey reports whether the vault has a key.
func (v *Vault) HasKey() bool { return v != nil && v.aead != nil }

// Seal returns a text that only this key opens, and only for the account. Fails with VALIDATION_INVALID_BODY without a
// key.
func (v *Vault) Seal(account parley.AccountID, secret []byte) (string, error) {
	if !v.HasKey() {
		return "", parley.NewErrorf(parley.CodeInvalidBody,
			"Secrets cannot be kept: the server has no PARLEY_SECRET_KEY. Set it to a text of at least %d bytes.", MinKeyBytes)
	}
	nonce := make([]byte, v.aead.NonceSize(), v.aead.NonceSize()+len(secret)+v.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails: crypto/rand aborts the program instead
	return sealPrefix + encoding.EncodeToString(v.aead.Seal(nonce, nonce, secret, accountBinding(account))), nil
}

// Open returns the text that was sealed. It fails with ErrWrongKey.
func (v *Vault) Open(account parley.AccountID, sealed string) ([]byte, error) {
	if !v.HasKey() {
		return nil, errors.New("the secret cannot be opened: the server has no PARLEY_SECRET_KEY")
	}
	text, known := strings.CutPrefix(sealed, sealPrefix)
	raw, err := encoding.DecodeString(text)
	if !known || err != nil || len(raw) < v.aead.NonceSize() {
		return nil, ErrWrongKey
	}
	n := v.aead.NonceSize()
	secret, err := v.aead.Open(nil, raw[:n], raw[n:], accountBinding(account))
	if err != nil {
		return nil, ErrWrongKey
	}
	return secret, nil
}

// accountBinding binds a sealed text to its account: copied to another's row it does not open. It is not bound to the
// agent, so that a clone of an agent keeps its secrets.
func accountBinding(account parley.AccountID) []byte { return []byte("account " + account) }
