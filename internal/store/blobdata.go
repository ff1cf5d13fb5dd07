package store

import (
	"context"
	"errors"
	"io"

	"parley"
	"parley/internal/sqldb"
)

// Bytes of files lie in the database under their hash, whose files of whichever accounts have them: who may read them is told by
// the rows of blobs, which name their owner.

// BlobPartBytes is the most bytes of a file that one row holds.
const BlobPartBytes = 1 << 20

// maxOrphanedHashes is how many files without a row are told at a time.
const maxOrphanedHashes = 200

// PutBlobData writes the bytes of a file under its hash. In one transaction with the row that names it, it keeps FreeBlobData of
// another server from taking equal bytes away meanwhile.
func (db *DB) PutBlobData(ctx context.Context, hash string, file io.Reader) error {
	bytes := make([]byte, BlobPartBytes)
	for part := 0; ; part++ {
		n, err := io.ReadFull(file, bytes)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
			return err
		}
		_, failed := db.sql.Exec(ctx, `insert into blob_data (hash, part, bytes) values (?, ?, ?) on conflict (hash, part) do update set part = excluded.part`,
			hash, part, bytes[:n])
		if failed != nil || err != nil { // the last part is a short one
			return failed
		}
	}
}

// BlobData returns the bytes of a file of that hash and size. Fails with SOURCE_NOT_FOUND where they are not all there.
func (db *DB) BlobData(ctx context.Context, hash string, size int64) ([]byte, error) {
	parts, err := sqldb.All(ctx, db.sql, sqldb.Column[[]byte], `select bytes from blob_data where hash = ? order by part`, hash)
	if err != nil {
		return nil, err
	}
	whole := make([]byte, 0, size)
	for _, part := range parts {
		whole = append(whole, part...)
	}
	if int64(len(whole)) != size {
		return nil, parley.NewError(parley.CodeSourceNotFound)
	}
	return whole, nil
}

// BlobDataPart returns one part of the bytes of that hash, counted from 0: BlobPartBytes bytes, and fewer at the end. Fails with SOURCE_NOT_FOUND
// where there is none.
func (db *DB) BlobDataPart(ctx context.Context, hash string, part int) ([]byte, error) {
	bytes, err := sqldb.One(ctx, db.sql, sqldb.Column[[]byte], `select bytes from blob_data where hash = ? and part = ?`, hash, part)
	return bytes, mapNotFound(err, parley.CodeSourceNotFound)
}

// EraseUnusedBlobData erases the bytes of that hash, unless a row of any account names their place. It is a job of the installation.
func (db *DB) EraseUnusedBlobData(ctx context.Context, hash, place string) error {
	return db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		lockedParts, err := sqldb.All(ctx, tx.sql, sqldb.Column[int], `select part from blob_data where hash = ? and part = 0`+tx.sql.ForUpdate(), hash)
		if err != nil || len(lockedParts) == 0 {
			return err
		}
		used, err := tx.IsLocationUsed(ctx, place) // asked behind the lock: a row that came meanwhile is seen
		if err != nil || used {
			return err
		}
		_, err = tx.sql.Exec(ctx, `delete from blob_data where hash = ?`, hash)
		return err
	})
}

// OrphanedBlobData lists some hashes whose bytes no row of any account names; prefix and hash are a place. It is a job of the
// installation.
func (db *DB) OrphanedBlobData(ctx context.Context, prefix string) ([]string, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[string], `select d.hash from blob_data d where d.part = 0
		and not exists (select 1 from blobs b where b.place = ? || d.hash) limit ?`, prefix, maxOrphanedHashes)
}
