package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// Claim is a request's hold on its Idempotency-Key. Token distinguishes it from those that held the key before or will
// after it.
type Claim struct {
	Account    parley.AccountID
	Key        string
	Hash       string // of the request's body
	Token      string
	FailedTurn parley.TurnID // of the same request before, which ended without an answer; its message is kept
}

// IdempotencyRecord is what is known of a request that came before under the same key.
type IdempotencyRecord struct {
	Subject     string // what it did, as Did was told
	Reply       string // what it was answered; empty if that is made again from the subject
	Token       string
	BodyDiffers bool // its body was another one
}

const (
	claimLease    = time.Minute    // after which a claim that has done nothing may be taken over
	claimLifetime = 24 * time.Hour // after which a key is forgotten
	maxReplyBytes = 1 << 20        // the longest reply that is kept, in bytes
	claimWhere    = `account_id = ? and key = ? and claim = ?`
)

// ClaimIdempotencyKey claims the key for a request. Nil means that the request may run; otherwise it has run before,
// and the record is what it did. Fails with IDEMPOTENCY_KEY_IN_USE while the first request still runs, and with
// IDEMPOTENCY_KEY_REUSED when that has another body.
func (db *DB) ClaimIdempotencyKey(ctx context.Context, c Claim, now time.Time) (*IdempotencyRecord, error) {
	n, err := db.sql.Exec(ctx, `
		insert into idempotency_keys (
		  account_id,
		  key,
		  request_hash,
		  status,
		  reply,
		  created_at,
		  claim,
		  lease_until
		)
		values (?, ?, ?, 0, '', ?, ?, ?)
		on conflict (account_id, key) do update set
		  request_hash = excluded.request_hash,
		  status = 0,
		  reply = '',
		  created_at = excluded.created_at,
		  subject = null,
		  claim = excluded.claim,
		  lease_until = excluded.lease_until
		where idempotency_keys.created_at <= ? or idempotency_keys.subject is null
		  and idempotency_keys.status = 0 and idempotency_keys.lease_until <= ?`,
		c.Account, c.Key, c.Hash, millis(now), c.Token, millis(now.Add(claimLease)), millis(now.Add(-claimLifetime)),
		millis(now))
	if err != nil || n > 0 {
		return nil, err
	}
	var k IdempotencyRecord
	var hash string
	var status int
	err = db.sql.QueryRow(ctx, `
		select
		  request_hash,
		  coalesce(subject, ''),
		  status,
		  reply,
		  coalesce(claim, '')
		from idempotency_keys
		where account_id = ? and key = ?`,
		c.Account, c.Key).Scan(&hash, &k.Subject, &status, &k.Reply, &k.Token)
	switch {
	case sqldb.IsNotFound(err): // given back just now
		return nil, KeyInUseError()
	case err != nil:
		return nil, err
	case k.Subject == "" && status == 0 && hash == c.Hash:
		return nil, KeyInUseError()
	case k.Subject == "" && hash != c.Hash:
		return nil, parley.NewError(parley.CodeKeyReused)
	}
	k.BodyDiffers = hash != c.Hash
	return &k, nil
}

// TakeOverIdempotencyKey takes the key over from a request that has left nothing behind after all. It fails with
// IDEMPOTENCY_KEY_IN_USE when somebody else was quicker.
func (db *DB) TakeOverIdempotencyKey(ctx context.Context, c Claim, from IdempotencyRecord, now time.Time) error {
	n, err := db.sql.Exec(ctx, `
		update idempotency_keys set
		  request_hash = ?,
		  status = 0,
		  reply = '',
		  created_at = ?,
		  subject = null,
		  claim = ?,
		  lease_until = ?
		where `+claimWhere,
		c.Hash, millis(now), c.Token, millis(now.Add(claimLease)), c.Account, c.Key, from.Token)
	if err == nil && n == 0 {
		err = KeyInUseError()
	}
	return err
}

// SaveIdempotentReply stores the reply of a request. One that is too long is not stored: it is made again from the
// subject.
func (db *DB) SaveIdempotentReply(ctx context.Context, c Claim, status int, reply string) error {
	if len(reply) > maxReplyBytes {
		return nil
	}
	return db.exec(ctx, `
		update idempotency_keys set
		  status = ?,
		  reply = ?
		where `+claimWhere, status, reply, c.Account, c.Key, c.Token)
}

// ReleaseIdempotencyKey returns the key of a request back that failed before it did anything. What the same request did
// before stays known.
func (db *DB) ReleaseIdempotencyKey(ctx context.Context, c Claim) error {
	if c.FailedTurn != "" {
		return db.exec(ctx, `update idempotency_keys set subject = ? where `+claimWhere+`
			and subject is null`,
			"turn:"+string(c.FailedTurn), c.Account, c.Key, c.Token)
	}
	return db.exec(ctx, `
		delete from idempotency_keys
		where `+claimWhere+`
		and subject is null`, c.Account, c.Key, c.Token)
}

// EraseExpiredIdempotencyKeys erases the keys of all accounts that are older than a day, in chunks in the bulk lane.
func (db *DB) EraseExpiredIdempotencyKeys(ctx context.Context, now time.Time) error {
	return db.execInChunks(ctx, `
		delete from idempotency_keys
		where (account_id, key) in (select account_id, key from idempotency_keys
		  where created_at <= ? order by created_at limit ?)`, millis(now.Add(-claimLifetime)))
}

type claimContextKey struct{}

// WithClaim returns a context whose transactions mark the claim when they say Did.
func WithClaim(ctx context.Context, c Claim) context.Context {
	return context.WithValue(ctx, claimContextKey{}, c)
}

// IdempotencyKey returns the Idempotency-Key, as it is stored, of the request that the context belongs to; empty when
// it has none.
func IdempotencyKey(ctx context.Context) string {
	c, _ := ctx.Value(claimContextKey{}).(Claim)
	return c.Key
}

// FailedTurn returns the turn that the same request made before and that ended without an answer; empty when there is
// none.
func FailedTurn(ctx context.Context) parley.TurnID {
	c, _ := ctx.Value(claimContextKey{}).(Claim)
	return c.FailedTurn
}

// CompleteClaim notes what the request has done, such as "turn:ID", in the transaction that does it; from then on the
// same request answers with that and does nothing. An AuditEntry of the context has the id. Where the context holds no
// claim it costs nothing. Fails with IDEMPOTENCY_KEY_IN_USE when the key has passed to another request meanwhile, so
// that nothing happens twice.
func (db *DB) CompleteClaim(ctx context.Context, subject string) error {
	db.effect = subject
	c, ok := ctx.Value(claimContextKey{}).(Claim)
	if !ok {
		return nil
	}
	return db.sql.QueueCheck(ctx, func(affected int64) error {
		if affected == 0 {
			return KeyInUseError()
		}
		return nil
	}, `
		update idempotency_keys set subject = ?
		where `+claimWhere, subject, c.Account, c.Key, c.Token)
}

// KeyInUseError is the failure of a request whose Idempotency-Key another one holds.
func KeyInUseError() error {
	e := parley.NewError(parley.CodeKeyInUse)
	e.RetryAfter = time.Second
	return e
}
