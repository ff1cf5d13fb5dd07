package store_test

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// claim makes a request with a key: each has a token of its own.
func (w *world) claim(key, body string) store.Claim {
	return store.Claim{Account: w.Account.ID, Key: key, Hash: body, Token: parley.NewUUID()}
}

// did does what a request does: it makes something in the transaction that marks its claim.
func (w *world) did(c store.Claim, subject string) error {
	ctx := store.WithClaim(w, c)
	return w.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		if err := tx.SetSetting(ctx, subject, c.Token); err != nil {
			return err
		}
		return tx.Did(ctx, subject)
	})
}

// held takes a key that nobody holds.
func (w *world) held(key, body string, now time.Time) store.Claim {
	w.Helper()
	c := w.claim(key, body)
	kept, err := w.Claim(w, c, now)
	w.must(err)
	if kept != nil {
		w.Fatalf("the key %s is not free: %+v", key, kept)
	}
	return c
}

func (w *world) kept(key, body string, now time.Time) store.Kept {
	w.Helper()
	kept, err := w.Claim(w, w.claim(key, body), now)
	w.must(err)
	if kept != nil {
		return *kept
	}
	w.Fatalf("the key %s was free", key)
	return store.Kept{}
}

func TestOneOfManyEqualRequestsRuns(t *testing.T) {
	each(t, func(w *world) {
		ran := 0
		for _, err := range together(32, func(i int) error {
			c := w.claim("k", "body")
			kept, err := w.Claim(w, c, noon)
			switch {
			case err != nil:
				return err
			case kept == nil:
				ran++ // only one gets here, which the race detector would see too
				return w.did(c, "agent:1")
			case kept.Subject != "agent:1":
				return fmt.Errorf("%+v", kept)
			}
			return nil
		}) {
			if err != nil && !parley.IsCode(err, parley.CodeKeyInUse) {
				w.Error(err)
			}
		}
		if kept := w.kept("k", "body", noon); ran != 1 || kept.Subject != "agent:1" || kept.Reply != "" {
			w.Errorf("%d ran, %+v", ran, kept)
		}
	})
}

func TestKeyOfAnotherRequestIsRefused(t *testing.T) {
	each(t, func(w *world) {
		c := w.held("k", "body", noon)
		_, err := w.Claim(w, w.claim("k", "body"), noon)
		w.fails(err, parley.CodeKeyInUse)
		_, err = w.Claim(w, w.claim("k", "other body"), noon)
		w.fails(err, parley.CodeKeyReused)
		w.must(w.did(c, "agent:1"))
		w.must(w.Keep(w, c, 201, `{"id":"1"}`))
		if kept, err := w.Claim(w, w.claim("k", "other body"), noon); err != nil || kept == nil || !kept.Other {
			w.Errorf("another body: %+v, %v", kept, err)
		}
		if kept := w.kept("k", "body", noon.Add(24*time.Hour-time.Millisecond)); kept.Reply != `{"id":"1"}` {
			w.Errorf("%+v", kept)
		}
		other := store.Claim{Account: w.account("Other").ID, Key: "k", Hash: "x", Token: "t"}
		if kept, err := w.Claim(w, other, noon); err != nil || kept != nil {
			w.Error("a key of another account:", kept, err)
		}
	})
}

func TestFailedRequestGivesItsKeyBack(t *testing.T) {
	each(t, func(w *world) {
		w.must(w.Release(w, w.held("k", "body", noon)))
		c := w.held("k", "mended body", noon)
		w.must(w.did(c, "agent:1"))
		w.must(w.Release(w, c))
		if kept := w.kept("k", "mended body", noon); kept.Subject != "agent:1" {
			w.Errorf("what was done is forgotten: %+v", kept)
		}
	})
}

// A request that repeats one whose answer failed, and is refused itself, leaves what was known of the first: its
// message is kept.
func TestARefusedRepetitionForgetsNothing(t *testing.T) {
	each(t, func(w *world) {
		w.must(w.did(w.held("k", "body", noon), "turn:1"))
		again := w.claim("k", "body")
		w.must(w.TakeOver(w, again, w.kept("k", "body", noon), noon))
		again.Failed = "1"
		if turn := store.FailedTurn(store.WithClaim(w, again)); turn != "1" {
			w.Errorf("the turn %q failed", turn)
		}
		w.must(w.Release(w, again))
		if kept := w.kept("k", "body", noon); kept.Subject != "turn:1" || kept.Other {
			w.Errorf("%+v", kept)
		}
	})
}

func TestClaimThatRanOutDoesNothingMore(t *testing.T) {
	each(t, func(w *world) {
		slow := w.held("k", "body", noon)
		_, err := w.Claim(w, w.claim("k", "body"), noon.Add(time.Minute-time.Millisecond))
		w.fails(err, parley.CodeKeyInUse)
		quick := w.held("k", "body", noon.Add(time.Minute))
		w.fails(w.did(slow, "agent:slow"), parley.CodeKeyInUse)
		w.must(w.Keep(w, slow, 200, "slow"))
		w.must(w.Release(w, slow))
		w.must(w.did(quick, "agent:quick"))
		if kept := w.kept("k", "body", noon.Add(time.Hour)); kept.Subject != "agent:quick" || kept.Reply != "" {
			w.Errorf("%+v", kept)
		}
		if value, err := w.FindSetting(w, "agent:slow"); err != nil || value != "" {
			w.Error("the slow one has done something:", value, err)
		}
	})
}

func TestFailedTurnIsTakenOverOnce(t *testing.T) {
	each(t, func(w *world) {
		c := w.held("k", "body", noon)
		w.must(w.did(c, "turn:1"))
		kept := w.kept("k", "body", noon)
		taken := 0
		for _, err := range together(8, func(int) error { return w.TakeOver(w, w.claim("k", "body"), kept, noon) }) {
			if err == nil {
				taken++
				continue
			}
			w.fails(err, parley.CodeKeyInUse)
		}
		if taken != 1 {
			w.Error(taken, "took the key over")
		}
		_, err := w.Claim(w, w.claim("k", "body"), noon)
		w.fails(err, parley.CodeKeyInUse)
	})
}

func TestKeysAreForgottenAfterADay(t *testing.T) {
	each(t, func(w *world) {
		for i := range 450 {
			w.held(fmt.Sprint("old ", i), "body", noon)
		}
		w.must(w.did(w.held("done", "body", noon), "agent:1"))
		young := noon.Add(time.Hour)
		w.held("young", "body", young)
		w.must(w.Release(w, w.held("done", "another day's body", noon.Add(24*time.Hour))))
		w.must(w.ForgetKeys(w, noon.Add(24*time.Hour)))
		n, err := sqldb.One(w, w.SQL(), sqldb.Column[int], `select count(*) from idempotency_keys`)
		w.must(err)
		if n != 1 {
			w.Error(n, "keys are left")
		}
	})
}

func TestDidWithoutAClaimIsNothing(t *testing.T) {
	each(t, func(w *world) { w.must(w.DB.Did(w, "agent:1")) })
}
