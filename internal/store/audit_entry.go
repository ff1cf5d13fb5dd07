package store

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"parley"
)

// AuditEntry is what the audit chain of an account will hold of a request once it changes something. It is written in
// the transaction of the change, so that neither is there without the other.
type AuditEntry struct {
	Account  parley.AccountID // empty until SetAuditAccount says which; nothing is written before
	Actor    string
	At       time.Time
	AwaitsID bool // is written by the transaction that makes something; otherwise by the first one of the request
	// Describe is called with the id of what was made, which is empty where nothing was.
	Describe func(id string) (action, subject string, details map[string]any)

	isWritten atomic.Bool
}

// IsWritten reports whether the entry is in the chain.
func (a *AuditEntry) IsWritten() bool { return a.isWritten.Load() }

type auditEntryKey struct{}

// WithAuditEntry returns a context whose transactions write the entry, once.
func WithAuditEntry(ctx context.Context, a *AuditEntry) context.Context {
	return context.WithValue(ctx, auditEntryKey{}, a)
}

// SetAuditAccount names the account of the context's entry, if there is one and it has none yet.
func SetAuditAccount(ctx context.Context, account parley.AccountID) {
	if a := auditEntryOf(ctx); a != nil && a.Account == "" {
		a.Account = account
	}
}

// auditEntryOf returns the entry that a transaction of the context must write; nil if there is none.
func auditEntryOf(ctx context.Context) *AuditEntry {
	a, _ := ctx.Value(auditEntryKey{}).(*AuditEntry)
	if a == nil || a.IsWritten() {
		return nil
	}
	return a
}

// Append appends the entry to the chain. Call it last in its transaction.
func (a *AuditEntry) Append(ctx context.Context, tx *DB, id string) error {
	action, subject, details := a.Describe(id)
	return tx.AppendAuditEvent(ctx, a.Account, a.At, a.Actor, action, subject, details)
}

// runAudited runs the closure of a transaction and then writes the entry, if it is time. It reports whether it has.
func (a *AuditEntry) runAudited(ctx context.Context, tx *DB, fn func(tx *DB) error) (hasWritten bool, err error) {
	if err := fn(tx); err != nil || a == nil || a.Account == "" || a.AwaitsID && tx.effect == "" {
		return false, err
	}
	_, id, _ := strings.Cut(tx.effect, ":")
	return true, a.Append(ctx, tx, id)
}
