package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// StoreFiles moves files from their paths to their places, which it notes in the blobs, and then has their rows written; without the
// rows they do not stay.
func (d *Service) StoreFiles(ctx context.Context, paths []string, blobs []*store.Blob, write func(tx *store.DB) error) (err error) {
	if d.Files.InDatabase {
		return d.storeInDatabase(ctx, paths, blobs, write)
	}
	d.Files.mu.RLock()
	var kept []string
	for i, blob := range blobs {
		blob.Location = d.Files.placeFor(blob.Hash)
		kept = append(kept, blob.Location)
		if err = d.Files.moveToPlace(paths[i], blob.Location); err != nil {
			err = fmt.Errorf("keep a file: %w", err)
			break
		}
	}
	if err == nil {
		err = d.DB.Transact(ctx, sqldb.Bulk, write)
	}
	d.Files.mu.RUnlock()
	if err != nil {
		d.removeUnused(context.WithoutCancel(ctx), kept)
	}
	return err
}

// storeInDatabase writes the bytes of files and their rows in one transaction: without the rows they do not stay.
func (d *Service) storeInDatabase(ctx context.Context, paths []string, blobs []*store.Blob, write func(tx *store.DB) error) error {
	for _, blob := range blobs {
		blob.Location = d.Files.placeFor(blob.Hash)
	}
	return d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		for i, blob := range blobs {
			if err := writeBlobData(ctx, tx, paths[i], blob.Hash); err != nil {
				return err
			}
		}
		return write(tx)
	})
}

func writeBlobData(ctx context.Context, tx *store.DB, path, hash string) (err error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return fmt.Errorf("keep a file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return tx.PutBlobData(ctx, hash, file)
}

// WithUnusedFileRemoval is a job that erases something of an agent, whose key is the agent's id, and then removes the files that nothing of the
// agent's holds any more.
func (d *Service) WithUnusedFileRemoval(erase jobs.Handler) jobs.Handler {
	return func(ctx context.Context, job jobs.Job) error {
		if err := erase(ctx, job); err != nil {
			return err
		}
		return d.RemoveUnusedFiles(ctx, job.AccountID, parley.AgentID(job.Key))
	}
}
