package store_test

import (
	"bytes"
	"slices"
	"testing"

	"parley"
	"parley/internal/store"
)

func TestBlobDataStaysWhileItIsNamed(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		const hash, place = "0123abcd", "data:0123abcd"
		for _, size := range []int{1, store.BlobPartBytes - 1, store.BlobPartBytes, store.BlobPartBytes + 1, 5*store.BlobPartBytes + 7} {
			data := bytes.Repeat([]byte("parts of a file "), size/16+1)[:size]
			keep := func(tx *store.DB) error {
				if err := tx.PutBlobData(w, hash, bytes.NewReader(data)); err != nil {
					return err
				}
				return tx.CreateBlob(w, &store.Blob{ID: parley.NewUUID(), AccountID: w.Account.ID, AgentID: w.Agent.ID, Hash: hash, Location: place, CreatedAt: testTime})
			}
			w.must(w.Transact(w, 0, keep))
			w.must(w.Transact(w, 0, keep)) // once more, by another
			w.must(w.EraseUnusedBlobData(w, hash, place))
			if got, err := w.BlobData(w, hash, int64(size)); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d bytes: %d came back, %v", size, len(got), err)
			}
			if _, err := w.EraseOrphanedBlobs(w, w.Account.ID, w.Agent.ID); err != nil {
				t.Fatal(err)
			}
			if loose, err := w.OrphanedBlobData(w, "data:"); err != nil || !slices.Equal(loose, []string{hash}) {
				t.Fatal(loose, err)
			}
			w.must(w.EraseUnusedBlobData(w, hash, place))
			if _, err := w.BlobData(w, hash, int64(size)); !parley.IsCode(err, parley.CodeSourceNotFound) {
				t.Fatal("the bytes are still there:", err)
			}
		}
	})
}
