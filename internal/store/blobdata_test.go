package store_test

import (
	"bytes"
	"slices"
	"testing"

	"parley"
	"parley/internal/store"
)

func TestBlobDataStaysWhileItIsNamed(t *testing.T) {
	each(t, func(w *world) {
		const hash, place = "0123abcd", "data:0123abcd"
		for _, size := range []int{1, store.BlobPart - 1, store.BlobPart, store.BlobPart + 1, 5*store.BlobPart + 7} {
			data := bytes.Repeat([]byte("parts of a file "), size/16+1)[:size]
			keep := func(tx *store.DB) error {
				if err := tx.PutBlobData(w, hash, bytes.NewReader(data)); err != nil {
					return err
				}
				return tx.CreateBlob(w, &store.Blob{ID: parley.NewUUID(), AccountID: w.Account.ID, AgentID: w.Agent.ID, Hash: hash, Place: place, CreatedAt: noon})
			}
			w.must(w.Transact(w, 0, keep))
			w.must(w.Transact(w, 0, keep)) // once more, by another
			w.must(w.FreeBlobData(w, hash, place))
			if got, err := w.BlobData(w, hash, int64(size)); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d bytes: %d came back, %v", size, len(got), err)
			}
			if _, err := w.EraseLooseBlobs(w, w.Account.ID, w.Agent.ID); err != nil {
				t.Fatal(err)
			}
			if loose, err := w.LooseBlobData(w, "data:"); err != nil || !slices.Equal(loose, []string{hash}) {
				t.Fatal(loose, err)
			}
			w.must(w.FreeBlobData(w, hash, place))
			if _, err := w.BlobData(w, hash, int64(size)); !parley.IsCode(err, parley.CodeSourceNotFound) {
				t.Fatal("the bytes are still there:", err)
			}
		}
	})
}
