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

// KeepFiles moves files from their paths to their places, which it notes in the blobs, and then has their rows written; without the
// rows they do not stay.
func (d *Desk) KeepFiles(ctx context.Context, paths []string, blobs []*store.Blob, write func(tx *store.DB) error) (err error) {
	if d.Files.InDatabase {
		return d.keepInData(ctx, paths, blobs, write)
	}
	d.Files.mu.RLock()
	var kept []string
	for i, blob := range blobs {
		blob.Place = d.Files.place(blob.Hash)
		kept = append(kept, blob.Place)
		if err = d.Files.keep(paths[i], blob.Place); err != nil {
			err = fmt.Errorf("keep a file: %w", err)
			break
		}
	}
	if err == nil {
		err = d.DB.Transact(ctx, sqldb.Bulk, write)
	}
	d.Files.mu.RUnlock()
	if err != nil {
		d.free(context.WithoutCancel(ctx), kept)
	}
	return err
}

// keepInData writes the bytes of files and their rows in one transaction: without the rows they do not stay.
func (d *Desk) keepInData(ctx context.Context, paths []string, blobs []*store.Blob, write func(tx *store.DB) error) error {
	for _, blob := range blobs {
		blob.Place = d.Files.place(blob.Hash)
	}
	return d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		for i, blob := range blobs {
			if err := putData(ctx, tx, paths[i], blob.Hash); err != nil {
				return err
			}
		}
		return write(tx)
	})
}

func putData(ctx context.Context, tx *store.DB, path, hash string) (err error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if err != nil {
		return fmt.Errorf("keep a file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return tx.PutBlobData(ctx, hash, file)
}

// FreeLoose is a chore that erases something of an agent, whose key is the agent's id, and then removes the files that nothing of the
// agent's holds any more.
func (d *Desk) FreeLoose(erase jobs.Handler) jobs.Handler {
	return func(ctx context.Context, job jobs.Job) error {
		if err := erase(ctx, job); err != nil {
			return err
		}
		return d.FreeFiles(ctx, job.AccountID, parley.AgentID(job.Key))
	}
}
