package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed" // the common passwords
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"parley"
)

// argonParams are the costs of a hash.
type argonParams struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
}

// passwordParams are the costs of new hashes, as OWASP recommends them.
var passwordParams = argonParams{memory: 19 * 1024, passes: 2, lanes: 1}

const (
	passwordSaltLength  = 16
	passwordKeyLength   = 32
	minPasswordLength   = 12 // characters
	maxPasswordLength   = 128
	maxPasswordMemory   = 1 << 20 // KiB, of stored hashes
	hashesPerProcessor  = 2
	waitersPerHash      = 16 // each waits for about half a second at most
	passwordRetry       = time.Second
	passwordHashVersion = "v=19"
)

// Passwords computes the hashes of passwords and checks passwords against them. Each takes 19 MiB for a while, so only
// few are computed at a time.
type Passwords struct {
	params       argonParams // of new hashes
	slots        chan struct{}
	waiters      chan struct{} // those that compute too
	computations atomic.Int64
}

// NewPasswords returns Passwords that compute two hashes at a time for each processor.
func NewPasswords() *Passwords {
	n := hashesPerProcessor * runtime.GOMAXPROCS(0)
	return &Passwords{params: passwordParams, slots: make(chan struct{}, n),
		waiters: make(chan struct{}, n*waitersPerHash)}
}

// LowerCosts makes hashes from now on cost next to nothing, for tests in which people sign in.
func (p *Passwords) LowerCosts() { p.params = argonParams{memory: 8, passes: 1, lanes: 1} }

// Computations returns how many hashes were computed.
func (p *Passwords) Computations() int64 { return p.computations.Load() }

// Hash returns the hash of a password in the form of PHC strings. Fails with RATE_LIMIT_TOO_MANY_REQUESTS where too
// many wait, and when ctx ends.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, passwordSaltLength)
	_, _ = rand.Read(salt) // never fails: crypto/rand aborts the program instead
	h := passwordHash{p.params, salt, nil}
	key, err := p.compute(ctx, h, password, passwordKeyLength)
	if err != nil {
		return "", err
	}
	h.key = key
	return h.String(), nil
}

// Check reports whether the hash is that of the password, and whether it should be computed again because the costs
// have changed. An empty hash takes as long as any other and fits no password, so that nobody learns from the time
// which addresses are known. Fails as Hash does.
func (p *Passwords) Check(ctx context.Context, hash, password string) (ok, isOutdated bool, err error) {
	if hash == "" {
		_, err := p.compute(ctx, passwordHash{p.params, make([]byte, passwordSaltLength), nil}, password,
			passwordKeyLength)
		return false, false, err
	}
	h, err := parsePasswordHash(hash)
	if err != nil {
		return false, false, err
	}
	key, err := p.compute(ctx, h, password, uint32(len(h.key))) //nolint:gosec // a few bytes
	if err != nil {
		return false, false, err
	}
	return subtle.ConstantTimeCompare(key, h.key) == 1, h.argonParams != p.params, nil
}

func (p *Passwords) compute(ctx context.Context, h passwordHash, password string, length uint32) ([]byte, error) {
	select {
	case p.waiters <- struct{}{}:
	default:
		err := parley.NewErrorf(parley.CodeTooManyRequests, "Too many people are signing in. Try again in a second.")
		err.RetryAfter = passwordRetry
		return nil, err
	}
	defer func() { <-p.waiters }()
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.slots }()
	p.computations.Add(1)
	return argon2.IDKey(norm.NFKC.Bytes([]byte(password)), h.salt, h.passes, h.memory, h.lanes, length), nil
}

// passwordHash is a hash in its parts.
type passwordHash struct {
	argonParams
	salt, key []byte
}

func (h passwordHash) String() string {
	return fmt.Sprintf("$argon2id$%s$m=%d,t=%d,p=%d$%s$%s", passwordHashVersion, h.memory, h.passes, h.lanes,
		base64.RawStdEncoding.EncodeToString(h.salt), base64.RawStdEncoding.EncodeToString(h.key))
}

var errPasswordHash = errors.New("the stored hash of a password is not one of argon2id")

func parsePasswordHash(text string) (h passwordHash, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != passwordHashVersion {
		return h, errPasswordHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); err != nil {
		return h, errPasswordHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(key) < passwordSaltLength || h.passes < 1 || h.lanes < 1 ||
		h.memory > maxPasswordMemory {
		return h, errPasswordHash
	}
	h.salt, h.key = salt, key
	return h, nil
}

// commonPasswordList holds a thousand of the passwords with 12 or more characters that are guessed first: usual words
// with the usual numbers, rows of keys, repetitions. Shorter ones are refused anyway.
//
//go:embed common_passwords.txt
var commonPasswordList string

var commonPasswords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(commonPasswordList) {
		all[strings.TrimSpace(line)] = true
	}
	return all
})

// checkNewPassword notes what is wrong with a password that somebody with the e-mail address wants to have.
func checkNewPassword(details map[string]string, password, email string) {
	n := utf8.RuneCountInString(password)
	lower := strings.ToLower(strings.TrimSpace(password))
	name, _, _ := strings.Cut(strings.ToLower(email), "@")
	switch {
	case !utf8.ValidString(password):
		details["password"] = "must be text"
	case n < minPasswordLength || n > maxPasswordLength:
		details["password"] = fmt.Sprintf("must have %d to %d characters", minPasswordLength, maxPasswordLength)
	case commonPasswords()[lower]:
		details["password"] = "is one of those that are guessed first; choose another"
	case lower == strings.ToLower(email) || lower == name:
		details["password"] = "must not be the e-mail address"
	}
}
