package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// AuditEvent is one act of an operator or a member on an account. The rows of an account form a chain: each holds the
// hash of the one before it, so that a row changed or taken out later shows.
type AuditEvent struct {
	Seq          int64 // per account, from 1
	At           time.Time
	Actor        string // who
	Action       string // did what, such as key.create
	Subject      string // to what: an id
	Details      string // a JSON object
	PreviousHash string
	Hash         string // SHA-256 over PreviousHash and the row in canonical JSON, hex
}

// computeHash returns the row's hash.
func (a *AuditEvent) computeHash(account parley.AccountID) string {
	row, err := json.Marshal([]any{account, a.Seq, millis(a.At), a.Actor, a.Action, a.Subject, a.Details})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	sum := sha256.Sum256(append([]byte(a.PreviousHash), row...))
	return hex.EncodeToString(sum[:])
}

// AppendAuditEvent appends one act to the account's chain. details encodes as a JSON object; nil is {}. Call it last in
// its transaction: it locks the account's row until commit.
func (db *DB) AppendAuditEvent(ctx context.Context, account parley.AccountID, now time.Time, actor, action,
	subject string, details any) error {
	a := AuditEvent{At: timeFromMillis(millis(now)), Actor: actor, Action: action, Subject: subject, Details: "{}"}
	if details != nil {
		a.Details = toJSON(details).(string)
	}
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if _, err := tx.LockAccount(ctx, account); err != nil {
			return err
		}
		last, err := auditTable.one(ctx, tx, `where account_id = ? order by seq desc limit 1`, account)
		if err != nil && !sqldb.IsNotFound(err) {
			return err
		}
		row := a // the closure may run again
		row.Seq, row.PreviousHash = last.Seq+1, last.Hash
		row.Hash = row.computeHash(account)
		return tx.insert(ctx, "audit_events", "", append(auditTable.fields(&row), field{"account_id", account})...)
	})
}

var auditTable = newTable("audit_events", func(a *AuditEvent) []field {
	return []field{
		{"seq", &a.Seq},
		{"at", timeDest{&a.At}},
		{"actor", &a.Actor},
		{"action", &a.Action},
		{"subject", &a.Subject},
		{"details", &a.Details},
		{"previous_hash", &a.PreviousHash},
		{"hash", &a.Hash},
	}
})

// AuditEvents lists the acts after the one numbered seq, oldest first, at most limit.
func (db *DB) AuditEvents(ctx context.Context, account parley.AccountID, seq int64, limit int) ([]AuditEvent, error) {
	return auditTable.list(ctx, db, `
		where account_id = ? and seq > ?
		order by seq
		limit ?`, account, seq, limit)
}

// VerifyAuditChain walks the account's chain and fails at the first row that does not fit. It returns the number of
// rows and the last hash: a copy of it stored elsewhere shows even rows cut off the end.
func (db *DB) VerifyAuditChain(ctx context.Context, account parley.AccountID) (rows int64, last string, err error) {
	const step = 500
	for {
		list, err := db.AuditEvents(ctx, account, rows, step)
		if err != nil {
			return rows, last, err
		}
		for _, a := range list {
			if a.Seq != rows+1 || a.PreviousHash != last || a.Hash != a.computeHash(account) {
				return rows, last, fmt.Errorf("store: the audit chain of account %s breaks at row %d", account, rows+1)
			}
			rows, last = a.Seq, a.Hash
		}
		if len(list) < step {
			return rows, last, nil
		}
	}
}
