// Package pairing hands API keys to command lines (docs/interface/authentication.md#pairing), as the device
// authorization of OAuth does (RFC 8628). A command line gets two codes: it shows one, which somebody who may make API
// keys enters in the console, and asks with the other until they have decided. The key is made when it is fetched,
// once, and is never stored.
package pairing

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Service pairs command lines.
type Service struct {
	DB       *store.DB
	Accounts *access.Accounts // whose actor is set here
	Now      func() time.Time
}

const (
	// Lifetime is how long the codes of a command line are good for.
	Lifetime = 15 * time.Minute
	// Interval is how long a command line waits between two requests.
	Interval = 5 * time.Second
	// KeyLifetime is how long the key of a command line is good for.
	KeyLifetime = 90 * 24 * time.Hour

	intervalSlack = time.Second // by which a request may come early
	maxNameChars  = 80          // of a machine
	maxCodeTries  = 5           // of finding a code that no other command line has
)

// Codes are what a command line gets.
type Codes struct {
	Device string // which it keeps to itself
	User   string // which it shows, such as BCDF-GHJK
}

// Begin notes that a command line asks for a key. Device is what it calls its machine.
func (s *Service) Begin(ctx context.Context, device, address string) (*Codes, error) {
	name := strings.Join(strings.Fields(parley.StorableText(device)), " ")
	if !parley.IsVisible(name) {
		name = "A command line"
	}
	for range maxCodeTries {
		codes := &Codes{Device: newDeviceCode(), User: newUserCode()}
		now := s.Now()
		err := s.DB.CreatePairing(ctx, &parley.Pairing{ID: parley.PairingID(parley.NewUUID()),
			DeviceHash: hashOf(codes.Device), UserCode: NormalizeCode(codes.User),
			DeviceName: parley.ClipText(name, maxNameChars), Address: address, State: parley.PairingPending,
			CreatedAt: now, ExpiresAt: now.Add(Lifetime)})
		if !sqldb.IsDuplicate(err) {
			return codes, err
		}
	}
	return nil, fmt.Errorf("pairing: no free code was found in %d tries", maxCodeTries)
}

// newDeviceCode returns 256 random bits.
func newDeviceCode() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func hashOf(deviceCode string) string {
	sum := sha256.Sum256([]byte("device code\n" + deviceCode))
	return hex.EncodeToString(sum[:])
}

// codeLetters make no words and look like no digits (RFC 8628, section 6.1).
const (
	codeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	codeLength  = 8
)

func newUserCode() string {
	code := make([]byte, 0, codeLength)
	for len(code) < codeLength {
		var b [1]byte
		_, _ = rand.Read(b[:])
		if int(b[0]) < 256/len(codeLetters)*len(codeLetters) { // larger bytes would make some letters more likely
			code = append(code, codeLetters[int(b[0])%len(codeLetters)])
		}
	}
	return string(code[:codeLength/2]) + "-" + string(code[codeLength/2:])
}

// NormalizeCode returns a code that a person has typed as it is stored: in upper case, letters alone.
func NormalizeCode(code string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(codeLetters, r) {
			return r
		}
		return -1
	}, strings.ToUpper(code))
}

// FormatCode returns a stored code as people read it.
func FormatCode(code string) string {
	if len(code) != codeLength {
		return code
	}
	return code[:codeLength/2] + "-" + code[codeLength/2:]
}

// Grant is what a command line gets once somebody has approved it.
type Grant struct {
	Key     string
	Account parley.Account
}

// Exchange returns the key of a command line, once. Fails with PAIRING_PENDING, PAIRING_SLOW_DOWN, PAIRING_DENIED, or
// with PAIRING_EXPIRED of a code that is unknown, too old or used.
func (s *Service) Exchange(ctx context.Context, deviceCode string) (*Grant, error) {
	var grant *Grant
	var refusal parley.Code
	now := s.Now()
	err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		grant, refusal = nil, ""
		return tx.UpdatePairingByDevice(ctx, hashOf(deviceCode), func(p *parley.Pairing) (err error) {
			if refusal = refusalOf(p, now); refusal == parley.CodePairingSlowDown {
				return nil
			}
			p.PolledAt = &now
			if refusal != "" {
				return nil
			}
			if grant, err = s.grant(ctx, tx, p, now); parley.IsCode(err, parley.CodePairingDenied) {
				p.State, refusal = parley.PairingDenied, parley.CodePairingDenied
				return nil
			}
			p.State = parley.PairingUsed
			return err
		})
	})
	switch {
	case err != nil:
		return nil, err
	case refusal != "":
		return nil, newRefusal(refusal)
	}
	return grant, nil
}

func newRefusal(code parley.Code) error {
	e := parley.NewError(code)
	if code == parley.CodePairingPending || code == parley.CodePairingSlowDown {
		e.RetryAfter = Interval
	}
	return e
}

// refusalOf returns why the command line does not get its key now; empty if it does.
func refusalOf(p *parley.Pairing, now time.Time) parley.Code {
	switch {
	case !now.Before(p.ExpiresAt), p.State == parley.PairingUsed:
		return parley.CodePairingExpired
	case p.PolledAt != nil && now.Before(p.PolledAt.Add(Interval-intervalSlack)):
		return parley.CodePairingSlowDown
	case p.State == parley.PairingPending:
		return parley.CodePairingPending
	case p.State != parley.PairingApproved:
		return parley.CodePairingDenied
	}
	return ""
}

// grant makes the key, unless whoever approved it may not make keys any more: then it fails with PAIRING_DENIED.
func (s *Service) grant(ctx context.Context, tx *store.DB, p *parley.Pairing, now time.Time) (*Grant, error) {
	if err := checkDecider(ctx, tx, p); err != nil {
		return nil, err
	}
	account, err := tx.Account(ctx, p.AccountID)
	if err != nil {
		return nil, err
	}
	accounts := *s.Accounts
	accounts.DB, accounts.Actor = tx, actorOf(p.DecidedBy)
	ends := now.Add(KeyLifetime)
	_, key, err := accounts.CreateKey(ctx, access.NewKeyRequest{AccountID: p.AccountID, Name: "CLI: " + p.DeviceName,
		Scopes: p.Scopes, ExpiresAt: &ends, Source: parley.KeySourceCLI})
	if err != nil {
		return nil, err
	}
	return &Grant{Key: key, Account: *account}, nil
}

// checkDecider fails with PAIRING_DENIED where who approved the command line may not make keys any more.
func checkDecider(ctx context.Context, tx *store.DB, p *parley.Pairing) error {
	if p.DecidedBy == "" { // the operator
		return nil
	}
	member, err := tx.Member(ctx, p.AccountID, p.DecidedBy, parley.CodePairingDenied)
	if err == nil && !access.May(member.Role, parley.PermissionKeysWrite) {
		err = parley.NewError(parley.CodePairingDenied)
	}
	return err
}

func actorOf(user parley.UserID) string {
	if user == "" {
		return "operator"
	}
	return access.UserActor(user)
}

// Find returns the command line that waits with a code. Fails with NOT_FOUND of a code that is unknown, too old or
// decided on.
func (s *Service) Find(ctx context.Context, userCode string) (*parley.Pairing, error) {
	p, err := s.DB.PairingByCode(ctx, NormalizeCode(userCode))
	if err == nil {
		err = s.checkWaits(p)
	}
	if err != nil {
		return nil, notFound(err)
	}
	return p, nil
}

func (s *Service) checkWaits(p *parley.Pairing) error {
	if p.State != parley.PairingPending || !s.Now().Before(p.ExpiresAt) {
		return parley.NewError(parley.CodeNotFound)
	}
	return nil
}

func notFound(err error) error {
	if parley.IsCode(err, parley.CodeNotFound) {
		return parley.NewErrorf(parley.CodeNotFound, "No command line waits with this code. A code is good for %d "+
			"minutes, and for one answer.", int(Lifetime/time.Minute))
	}
	return err
}

// Decider is who decides on a command line, for which account.
type Decider struct {
	Account parley.AccountID
	User    parley.UserID // empty for the operator
}

// Approve lets the command line that waits with a code have a key of the account with the scopes. Without scopes the
// key may do everything. Fails with NOT_FOUND as Find does, with ACCOUNT_NOT_FOUND, and with VALIDATION_INVALID_BODY of
// scopes that there are not.
func (s *Service) Approve(ctx context.Context, userCode string, by Decider, scopes []parley.Scope) error {
	if err := access.CheckScopes(scopes); err != nil {
		return err
	}
	return s.decide(ctx, userCode, by, parley.PairingApproved, scopes)
}

// Deny refuses the command line that waits with a code. Fails with NOT_FOUND as Find does, and with ACCOUNT_NOT_FOUND.
func (s *Service) Deny(ctx context.Context, userCode string, by Decider) error {
	return s.decide(ctx, userCode, by, parley.PairingDenied, nil)
}

func (s *Service) decide(ctx context.Context, userCode string, by Decider, state parley.PairingState,
	scopes []parley.Scope) error {
	return notFound(s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return tx.UpdatePairingByCode(ctx, NormalizeCode(userCode), func(p *parley.Pairing) error {
			if err := s.checkWaits(p); err != nil {
				return err
			}
			if _, err := tx.LockAccount(ctx, by.Account); err != nil { // after the pairing, as Exchange does
				return err
			}
			p.State, p.AccountID, p.DecidedBy, p.Scopes = state, by.Account, by.User, scopes
			details, action := map[string]any{"name": p.DeviceName, "address": p.Address}, "pairing.deny"
			if state == parley.PairingApproved {
				action, details["scopes"] = "pairing.approve", scopes
			}
			return tx.AppendAuditEvent(ctx, by.Account, s.Now(), actorOf(by.User), action, string(p.ID), details)
		})
	}))
}
