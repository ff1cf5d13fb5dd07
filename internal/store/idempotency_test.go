package store_test

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// newClaim makes a request with a key: each has a token of its own.
func (fx *fixture) newClaim(key, body string) store.Claim {
	return store.Claim{Account: fx.Account.ID, Key: key, Hash: body, Token: parley.NewUUID()}
}

// completeClaim does what a request does: it makes something in the transaction that marks its claim.
func (fx *fixture) completeClaim(c store.Claim, subject string) error {
	ctx := store.WithClaim(fx, c)
	return fx.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.SetSetting(ctx, subject, c.Token); err != nil {
			return err
		}
		return tx.CompleteClaim(ctx, subject)
	})
}

// claimKey takes a key that nobody holds.
func (fx *fixture) claimKey(key, body string, now time.Time) store.Claim {
	fx.Helper()
	c := fx.newClaim(key, body)
	record, err := fx.ClaimIdempotencyKey(fx, c, now)
	fx.must(err)
	if record != nil {
		fx.Fatalf("the key %s is not free: %+v", key, record)
	}
	return c
}

func (fx *fixture) idempotencyRecord(key, body string, now time.Time) store.IdempotencyRecord {
	fx.Helper()
	record, err := fx.ClaimIdempotencyKey(fx, fx.newClaim(key, body), now)
	fx.must(err)
	if record != nil {
		return *record
	}
	fx.Fatalf("the key %s was free", key)
	return store.IdempotencyRecord{}
}

func TestOneOfManyEqualRequestsRuns(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		ran := 0
		for _, err := range runConcurrently(32, func(i int) error {
			c := fx.newClaim("k", "body")
			record, err := fx.ClaimIdempotencyKey(fx, c, testTime)
			switch {
			case err != nil:
				return err
			case record == nil:
				ran++ // only one gets here, which the race detector would see too
				return fx.completeClaim(c, "agent:1")
			case record.Subject != "agent:1":
				return fmt.Errorf("%+v", record)
			}
			return nil
		}) {
			if err != nil && !parley.IsCode(err, parley.CodeKeyInUse) {
				fx.Error(err)
			}
		}
		if record := fx.idempotencyRecord("k", "body", testTime); ran != 1 || record.Subject != "agent:1" ||
			record.Reply != "" {
			fx.Errorf("%d ran, %+v", ran, record)
		}
	})
}

func TestKeyOfAnotherRequestIsRefused(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.claimKey("k", "body", testTime)
		_, err := fx.ClaimIdempotencyKey(fx, fx.newClaim("k", "body"), testTime)
		fx.wantCode(err, parley.CodeKeyInUse)
		_, err = fx.ClaimIdempotencyKey(fx, fx.newClaim("k", "other body"), testTime)
		fx.wantCode(err, parley.CodeKeyReused)
		fx.must(fx.completeClaim(c, "agent:1"))
		fx.must(fx.SaveIdempotentReply(fx, c, 201, `{"id":"1"}`))
		if record, err := fx.ClaimIdempotencyKey(fx, fx.newClaim("k", "other body"), testTime); err != nil ||
			record == nil || !record.BodyDiffers {
			fx.Errorf("another body: %+v, %v", record, err)
		}
		if record := fx.idempotencyRecord("k", "body",
			testTime.Add(24*time.Hour-time.Millisecond)); record.Reply != `{"id":"1"}` {
			fx.Errorf("%+v", record)
		}
		other := store.Claim{Account: fx.createAccount("Other").ID, Key: "k", Hash: "x", Token: "t"}
		if record, err := fx.ClaimIdempotencyKey(fx, other, testTime); err != nil || record != nil {
			fx.Error("a key of another account:", record, err)
		}
	})
}

func TestFailedRequestReleasesItsKey(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.must(fx.ReleaseIdempotencyKey(fx, fx.claimKey("k", "body", testTime)))
		c := fx.claimKey("k", "corrected body", testTime)
		fx.must(fx.completeClaim(c, "agent:1"))
		fx.must(fx.ReleaseIdempotencyKey(fx, c))
		if record := fx.idempotencyRecord("k", "corrected body", testTime); record.Subject != "agent:1" {
			fx.Errorf("what was done is forgotten: %+v", record)
		}
	})
}

// A request that repeats one whose answer failed, and is refused itself, leaves what was known of the first: its
// message is kept.
func TestRefusedRetryKeepsTheRecord(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		fx.must(fx.completeClaim(fx.claimKey("k", "body", testTime), "turn:1"))
		again := fx.newClaim("k", "body")
		fx.must(fx.TakeOverIdempotencyKey(fx, again, fx.idempotencyRecord("k", "body", testTime), testTime))
		again.FailedTurn = "1"
		if turn := store.FailedTurn(store.WithClaim(fx, again)); turn != "1" {
			fx.Errorf("the turn %q failed", turn)
		}
		fx.must(fx.ReleaseIdempotencyKey(fx, again))
		if record := fx.idempotencyRecord("k", "body", testTime); record.Subject != "turn:1" || record.BodyDiffers {
			fx.Errorf("%+v", record)
		}
	})
}

func TestExpiredClaimCannotComplete(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		slow := fx.claimKey("k", "body", testTime)
		_, err := fx.ClaimIdempotencyKey(fx, fx.newClaim("k", "body"), testTime.Add(time.Minute-time.Millisecond))
		fx.wantCode(err, parley.CodeKeyInUse)
		quick := fx.claimKey("k", "body", testTime.Add(time.Minute))
		fx.wantCode(fx.completeClaim(slow, "agent:slow"), parley.CodeKeyInUse)
		fx.must(fx.SaveIdempotentReply(fx, slow, 200, "slow"))
		fx.must(fx.ReleaseIdempotencyKey(fx, slow))
		fx.must(fx.completeClaim(quick, "agent:quick"))
		if record := fx.idempotencyRecord("k", "body", testTime.Add(time.Hour)); record.Subject != "agent:quick" ||
			record.Reply != "" {
			fx.Errorf("%+v", record)
		}
		if value, err := fx.FindSetting(fx, "agent:slow"); err != nil || value != "" {
			fx.Error("the expired claim has done something:", value, err)
		}
	})
}

func TestFailedTurnIsRetriedOnce(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.claimKey("k", "body", testTime)
		fx.must(fx.completeClaim(c, "turn:1"))
		record := fx.idempotencyRecord("k", "body", testTime)
		taken := 0
		for _, err := range runConcurrently(8, func(int) error {
			return fx.TakeOverIdempotencyKey(fx, fx.newClaim("k", "body"), record, testTime)
		}) {
			if err == nil {
				taken++
				continue
			}
			fx.wantCode(err, parley.CodeKeyInUse)
		}
		if taken != 1 {
			fx.Error(taken, "took the key over")
		}
		_, err := fx.ClaimIdempotencyKey(fx, fx.newClaim("k", "body"), testTime)
		fx.wantCode(err, parley.CodeKeyInUse)
	})
}

func TestIdempotencyKeysExpireAfterADay(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for i := range 450 {
			fx.claimKey(fmt.Sprint("old ", i), "body", testTime)
		}
		fx.must(fx.completeClaim(fx.claimKey("done", "body", testTime), "agent:1"))
		young := testTime.Add(time.Hour)
		fx.claimKey("young", "body", young)
		fx.must(fx.ReleaseIdempotencyKey(fx, fx.claimKey("done", "another day's body", testTime.Add(24*time.Hour))))
		fx.must(fx.EraseExpiredIdempotencyKeys(fx, testTime.Add(24*time.Hour)))
		n, err := sqldb.One(fx, fx.SQL(), sqldb.Column[int], `select count(*) from idempotency_keys`)
		fx.must(err)
		if n != 1 {
			fx.Error(n, "keys are left")
		}
	})
}

func TestCompleteWithoutAClaimDoesNothing(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) { fx.must(fx.DB.CompleteClaim(fx, "agent:1")) })
}
