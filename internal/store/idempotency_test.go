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
func (w *fixture) newClaim(key, body string) store.Claim {
	return store.Claim{Account: w.Account.ID, Key: key, Hash: body, Token: parley.NewUUID()}
}

// completeClaim does what a request does: it makes something in the transaction that marks its claim.
func (w *fixture) completeClaim(c store.Claim, subject string) error {
	ctx := store.WithClaim(w, c)
	return w.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.SetSetting(ctx, subject, c.Token); err != nil {
			return err
		}
		return tx.CompleteClaim(ctx, subject)
	})
}

// claimKey takes a key that nobody holds.
func (w *fixture) claimKey(key, body string, now time.Time) store.Claim {
	w.Helper()
	c := w.newClaim(key, body)
	record, err := w.ClaimIdempotencyKey(w, c, now)
	w.must(err)
	if record != nil {
		w.Fatalf("the key %s is not free: %+v", key, record)
	}
	return c
}

func (w *fixture) idempotencyRecord(key, body string, now time.Time) store.IdempotencyRecord {
	w.Helper()
	record, err := w.ClaimIdempotencyKey(w, w.newClaim(key, body), now)
	w.must(err)
	if record != nil {
		return *record
	}
	w.Fatalf("the key %s was free", key)
	return store.IdempotencyRecord{}
}

func TestOneOfManyEqualRequestsRuns(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		ran := 0
		for _, err := range runConcurrently(32, func(i int) error {
			c := w.newClaim("k", "body")
			record, err := w.ClaimIdempotencyKey(w, c, testTime)
			switch {
			case err != nil:
				return err
			case record == nil:
				ran++ // only one gets here, which the race detector would see too
				return w.completeClaim(c, "agent:1")
			case record.Subject != "agent:1":
				return fmt.Errorf("%+v", record)
			}
			return nil
		}) {
			if err != nil && !parley.IsCode(err, parley.CodeKeyInUse) {
				w.Error(err)
			}
		}
		if record := w.idempotencyRecord("k", "body", testTime); ran != 1 || record.Subject != "agent:1" ||
			record.Reply != "" {
			w.Errorf("%d ran, %+v", ran, record)
		}
	})
}

func TestKeyOfAnotherRequestIsRefused(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.claimKey("k", "body", testTime)
		_, err := w.ClaimIdempotencyKey(w, w.newClaim("k", "body"), testTime)
		w.wantCode(err, parley.CodeKeyInUse)
		_, err = w.ClaimIdempotencyKey(w, w.newClaim("k", "other body"), testTime)
		w.wantCode(err, parley.CodeKeyReused)
		w.must(w.completeClaim(c, "agent:1"))
		w.must(w.SaveIdempotentReply(w, c, 201, `{"id":"1"}`))
		if record, err := w.ClaimIdempotencyKey(w, w.newClaim("k", "other body"), testTime); err != nil ||
			record == nil || !record.BodyDiffers {
			w.Errorf("another body: %+v, %v", record, err)
		}
		if record := w.idempotencyRecord("k", "body",
			testTime.Add(24*time.Hour-time.Millisecond)); record.Reply != `{"id":"1"}` {
			w.Errorf("%+v", record)
		}
		other := store.Claim{Account: w.createAccount("Other").ID, Key: "k", Hash: "x", Token: "t"}
		if record, err := w.ClaimIdempotencyKey(w, other, testTime); err != nil || record != nil {
			w.Error("a key of another account:", record, err)
		}
	})
}

func TestFailedRequestReleasesItsKey(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		w.must(w.ReleaseIdempotencyKey(w, w.claimKey("k", "body", testTime)))
		c := w.claimKey("k", "mended body", testTime)
		w.must(w.completeClaim(c, "agent:1"))
		w.must(w.ReleaseIdempotencyKey(w, c))
		if record := w.idempotencyRecord("k", "mended body", testTime); record.Subject != "agent:1" {
			w.Errorf("what was done is forgotten: %+v", record)
		}
	})
}

// A request that repeats one whose answer failed, and is refused itself, leaves what was known of the first: its
// message is kept.
func TestARefusedRepetitionForgetsNothing(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		w.must(w.completeClaim(w.claimKey("k", "body", testTime), "turn:1"))
		again := w.newClaim("k", "body")
		w.must(w.TakeOverIdempotencyKey(w, again, w.idempotencyRecord("k", "body", testTime), testTime))
		again.FailedTurn = "1"
		if turn := store.FailedTurn(store.WithClaim(w, again)); turn != "1" {
			w.Errorf("the turn %q failed", turn)
		}
		w.must(w.ReleaseIdempotencyKey(w, again))
		if record := w.idempotencyRecord("k", "body", testTime); record.Subject != "turn:1" || record.BodyDiffers {
			w.Errorf("%+v", record)
		}
	})
}

func TestClaimThatRanOutDoesNothingMore(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		slow := w.claimKey("k", "body", testTime)
		_, err := w.ClaimIdempotencyKey(w, w.newClaim("k", "body"), testTime.Add(time.Minute-time.Millisecond))
		w.wantCode(err, parley.CodeKeyInUse)
		quick := w.claimKey("k", "body", testTime.Add(time.Minute))
		w.wantCode(w.completeClaim(slow, "agent:slow"), parley.CodeKeyInUse)
		w.must(w.SaveIdempotentReply(w, slow, 200, "slow"))
		w.must(w.ReleaseIdempotencyKey(w, slow))
		w.must(w.completeClaim(quick, "agent:quick"))
		if record := w.idempotencyRecord("k", "body", testTime.Add(time.Hour)); record.Subject != "agent:quick" ||
			record.Reply != "" {
			w.Errorf("%+v", record)
		}
		if value, err := w.FindSetting(w, "agent:slow"); err != nil || value != "" {
			w.Error("the slow one has done something:", value, err)
		}
	})
}

func TestFailedTurnIsTakenOverOnce(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.claimKey("k", "body", testTime)
		w.must(w.completeClaim(c, "turn:1"))
		record := w.idempotencyRecord("k", "body", testTime)
		taken := 0
		for _, err := range runConcurrently(8, func(int) error {
			return w.TakeOverIdempotencyKey(w, w.newClaim("k", "body"), record, testTime)
		}) {
			if err == nil {
				taken++
				continue
			}
			w.wantCode(err, parley.CodeKeyInUse)
		}
		if taken != 1 {
			w.Error(taken, "took the key over")
		}
		_, err := w.ClaimIdempotencyKey(w, w.newClaim("k", "body"), testTime)
		w.wantCode(err, parley.CodeKeyInUse)
	})
}

func TestKeysAreForgottenAfterADay(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		for i := range 450 {
			w.claimKey(fmt.Sprint("old ", i), "body", testTime)
		}
		w.must(w.completeClaim(w.claimKey("done", "body", testTime), "agent:1"))
		young := testTime.Add(time.Hour)
		w.claimKey("young", "body", young)
		w.must(w.ReleaseIdempotencyKey(w, w.claimKey("done", "another day's body", testTime.Add(24*time.Hour))))
		w.must(w.EraseExpiredIdempotencyKeys(w, testTime.Add(24*time.Hour)))
		n, err := sqldb.One(w, w.SQL(), sqldb.Column[int], `select count(*) from idempotency_keys`)
		w.must(err)
		if n != 1 {
			w.Error(n, "keys are left")
		}
	})
}

func TestDidWithoutAClaimIsNothing(t *testing.T) {
	forEachDatabase(t, func(w *fixture) { w.must(w.DB.CompleteClaim(w, "agent:1")) })
}
