package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const inData = "data:" // begins the place of a file whose bytes are in the database; the hash follows

// place says where the bytes of an accepted file are to lie.
func (f *Files) place(hash string) string {
	if f.InDatabase {
		return inData + hash
	}
	return onDisk + hash
}

// commitData writes the bytes of an upload and its row in one transaction: without the row they do not stay.
func (u *upload) commitData(ctx context.Context, write func(tx *store.DB) error) error {
	return u.desk.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		file, err := os.Open(u.path)
		if err != nil {
			return fmt.Errorf("keep a file: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		if err := tx.PutBlobData(ctx, u.blob.Hash, file); err != nil {
			return err
		}
		return write(tx)
	})
}

// bytesOf reads a file from where it lies.
func (d *Desk) bytesOf(ctx context.Context, blob *store.Blob) ([]byte, error) {
	hash, there := strings.CutPrefix(blob.Place, inData)
	if !there {
		return d.Files.read(blob.Place)
	}
	data, err := d.DB.BlobData(ctx, hash, blob.Size)
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return nil, errors.New("its bytes are not in the database")
	}
	return data, err
}

// sweepData erases bytes that no row names: of sources that were erased when the server stopped.
func (d *Desk) sweepData(ctx context.Context) error {
	for {
		loose, err := d.DB.LooseBlobData(ctx, inData)
		if err != nil || len(loose) == 0 {
			return err
		}
		for _, hash := range loose {
			if err := d.DB.FreeBlobData(ctx, hash, inData+hash); err != nil {
				return err
			}
		}
	}
}
