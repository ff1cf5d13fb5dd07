package store_test

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

func TestUploadsAreCountedExactly(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		if err := db.CreateAccount(t.Context(),
			&parley.Account{ID: "acc", Name: "Acme", Plan: "test", CreatedAt: now}); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var all sync.WaitGroup
		let := 0
		for range 40 {
			all.Go(func() {
				wait, err := db.CountUpload(t.Context(), "acc", now, 10, time.Minute)
				mu.Lock()
				defer mu.Unlock()
				if err != nil || wait != 0 && wait != time.Minute {
					t.Error(wait, err)
				}
				if wait == 0 {
					let++
				}
			})
		}
		all.Wait()
		if let != 10 {
			t.Errorf("%d uploads were let through", let)
		}
		for _, c := range []struct{ after, wait time.Duration }{{59 * time.Second, time.Second}, {time.Minute, 0},
			{61 * time.Second, 0}} {
			if wait, err := db.CountUpload(t.Context(), "acc", now.Add(c.after), 10, time.Minute); err != nil || wait != c.wait {
				t.Errorf("after %v: %v %v", c.after, wait, err)
			}
		}
		if _, err := db.CountUpload(t.Context(), "nobody", now, 10, time.Minute); !parley.IsCode(err,
			parley.CodeAccountNotFound) {
			t.Error(err)
		}
	})
}

func TestBlobDataStaysWhileReferenced(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		const hash, place = "0123abcd", "data:0123abcd"
		for _, size := range []int{1, store.BlobPartBytes - 1, store.BlobPartBytes, store.BlobPartBytes + 1,
			5*store.BlobPartBytes + 7} {
			data := bytes.Repeat([]byte("parts of a file "), size/16+1)[:size]
			keep := func(tx *store.DB) error {
				if err := tx.PutBlobData(fx, hash, bytes.NewReader(data)); err != nil {
					return err
				}
				return tx.CreateBlob(fx, &store.Blob{ID: parley.NewUUID(), AccountID: fx.Account.ID, AgentID: fx.Agent.ID,
					Hash: hash, Location: place, CreatedAt: testTime})
			}
			fx.must(fx.Transact(fx, 0, keep))
			fx.must(fx.Transact(fx, 0, keep)) // once more, by another
			fx.must(fx.EraseUnusedBlobData(fx, hash, place))
			if got, err := fx.BlobData(fx, hash, int64(size)); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d bytes: %d came back, %v", size, len(got), err)
			}
			if _, err := fx.EraseOrphanedBlobs(fx, fx.Account.ID.AgentRef(fx.Agent.ID)); err != nil {
				t.Fatal(err)
			}
			if loose, err := fx.OrphanedBlobData(fx, "data:"); err != nil || !slices.Equal(loose, []string{hash}) {
				t.Fatal(loose, err)
			}
			fx.must(fx.EraseUnusedBlobData(fx, hash, place))
			if _, err := fx.BlobData(fx, hash, int64(size)); !parley.IsCode(err, parley.CodeSourceNotFound) {
				t.Fatal("the bytes are still there:", err)
			}
		}
	})
}
