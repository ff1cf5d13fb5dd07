package store_test

import (
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
		if err := db.CreateAccount(t.Context(), &parley.Account{ID: "acc", Name: "Acme", Plan: "test", CreatedAt: now}); err != nil {
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
		for _, c := range []struct{ after, wait time.Duration }{{59 * time.Second, time.Second}, {time.Minute, 0}, {61 * time.Second, 0}} {
			if wait, err := db.CountUpload(t.Context(), "acc", now.Add(c.after), 10, time.Minute); err != nil || wait != c.wait {
				t.Errorf("after %v: %v %v", c.after, wait, err)
			}
		}
		if _, err := db.CountUpload(t.Context(), "nobody", now, 10, time.Minute); !parley.IsCode(err, parley.CodeAccountNotFound) {
			t.Error(err)
		}
	})
}
