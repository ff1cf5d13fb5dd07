package store

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// Blob is a file as it was uploaded. Its bytes lie at its place, which others of the same bytes share.
type Blob struct {
	ID        string
	AccountID parley.AccountID
	AgentID   parley.AgentID
	Hash      string // SHA-256, hex
	Size      int64
	MediaType string
	Name      string // the file's own
	Location  string
	CreatedAt time.Time
}

var blobTable = newTable("blobs", func(b *Blob) []field {
	return []field{
		{"id", &b.ID},
		{"account_id", &b.AccountID},
		{"agent_id", &b.AgentID},
		{"hash", &b.Hash},
		{"size", &b.Size},
		{"media_type", &b.MediaType},
		{"name", &b.Name},
		{"place", &b.Location},
		{"created_at", timeDest{&b.CreatedAt}},
	}
})

// CreateBlob writes the row of a file.
func (db *DB) CreateBlob(ctx context.Context, b *Blob) error {
	return blobTable.insert(ctx, db, "", b)
}

// SetVersionBlob sets the file that a version is read from.
func (db *DB) SetVersionBlob(ctx context.Context, ref parley.AgentRef, version parley.VersionID, blob string) error {
	return db.execFound(ctx, parley.CodeSourceNotFound, `
		update source_versions set blob_id = ?
		where id = ? and agent_id = ? and account_id = ?`, blob, version, ref.Agent, ref.Account)
}

// VersionBlob finds the file that a version is made of. Fails with SOURCE_NOT_FOUND.
func (db *DB) VersionBlob(ctx context.Context, ref parley.AgentRef, version parley.VersionID) (*Blob, error) {
	return blobTable.find(ctx, db, parley.CodeSourceNotFound, `
		where id = (select blob_id from source_versions where id = ? and agent_id = ? and account_id = ?)
		  and agent_id = ?`, version, ref.Agent, ref.Account, ref.Agent)
}

// SetVersionText writes the text that was found in a version's file.
func (db *DB) SetVersionText(ctx context.Context, account parley.AccountID, v *parley.Version) error {
	return db.execFound(ctx, parley.CodeSourceNotFound, `
		update source_versions set
		  text = ?,
		  hash = ?
		where id = ? and source_id = ? and agent_id = ? and account_id = ?`,
		v.Text, v.Hash, v.ID, v.SourceID, v.AgentID, account)
}

// HasFileWithHash reports whether the agent has another file of that name whose wanted version has these bytes. To be
// exact it must be asked in a transaction that holds the agent's row.
func (db *DB) HasFileWithHash(ctx context.Context, s *parley.Source, hash string) (bool, error) {
	return db.exists(ctx, `
		from blobs b
		join source_versions v on v.blob_id = b.id and v.agent_id = b.agent_id
		join sources s on s.id = v.source_id and s.wanted_version = v.id
		where b.agent_id = ? and b.account_id = ? and b.hash = ? and s.kind = ? and s.name = ? and s.id <> ?
		  and s.deleted_at is null`,
		s.AgentID, s.AccountID, hash, s.Kind, s.Name, s.ID)
}

// EraseOrphanedBlobs erases the rows of an agent's files that no version is made of any more, that are none of its
// pictures, and that neither a message nor a recording holds, and returns their locations. Of an agent that is not
// there it erases nothing: while an archive is imported, what names its files comes after them, and the agent last.
func (db *DB) EraseOrphanedBlobs(ctx context.Context, ref parley.AgentRef) (locations []string, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		orphaned, err := blobTable.list(ctx, tx, `
			where blobs.agent_id = ? and blobs.account_id = ?
			  and exists (select 1 from agents a where a.id = blobs.agent_id and a.account_id = blobs.account_id)
			  and not exists (select 1 from source_versions v where v.agent_id = blobs.agent_id and v.blob_id = blobs.id)
			  and not exists (select 1 from agents a where a.id = blobs.agent_id
			    and blobs.id in (a.icon_blob, a.picture_blob))
			  and not exists (select 1 from attachments f where f.blob_id = blobs.id)
			  and not exists (select 1 from visitor_files f where f.blob_id = blobs.id)
			  and not exists (select 1 from member_files f where f.blob_id = blobs.id)
			  and not exists (select 1 from voice_recordings r where r.blob_id = blobs.id)
			limit ?`, ref.Agent, ref.Account, maxEraseRows)
		if err != nil || len(orphaned) == 0 {
			return err
		}
		erased, args := []string{}, []any{ref.Agent, ref.Account}
		for i := range orphaned {
			erased, args = append(erased, orphaned[i].Location), append(args, orphaned[i].ID)
		}
		locations = erased
		return tx.exec(ctx, `delete from blobs where agent_id = ? and account_id = ? and id in `+
			placeholders(len(orphaned)), args...)
	})
	return locations, err
}

// BlobLocations lists where an agent's files lie.
func (db *DB) BlobLocations(ctx context.Context, ref parley.AgentRef) ([]string, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select distinct place
		from blobs
		where agent_id = ? and account_id = ?`, ref.Agent, ref.Account)
}

// IsLocationUsed reports whether a file of any account lies at a place. It is a job of the installation and asks for no
// account.
func (db *DB) IsLocationUsed(ctx context.Context, place string) (bool, error) {
	return db.exists(ctx, `from blobs where place = ?`, place)
}

// Bytes of files lie in the database under their hash, whose files of whichever accounts have them: who may read them
// is told by the rows of blobs, which name their owner.

// BlobPartBytes is the most bytes of a file that one row holds.
const BlobPartBytes = 1 << 20

// maxOrphanedHashes is how many files without a row are told at a time.
const maxOrphanedHashes = 200

// PutBlobData writes the bytes of a file under its hash. In one transaction with the row that names it, it keeps
// FreeBlobData of another server from taking equal bytes away meanwhile.
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
		failed := db.exec(ctx, `
			insert into blob_data (hash, part, bytes)
			values (?, ?, ?)
			on conflict (hash, part) do update set part = excluded.part`,
			hash, part, bytes[:n])
		if failed != nil || err != nil { // the last part is a short one
			return failed
		}
	}
}

// BlobData returns the bytes of a file of that hash and size. Fails with SOURCE_NOT_FOUND where they are not all there.
func (db *DB) BlobData(ctx context.Context, hash string, size int64) ([]byte, error) {
	parts, err := sqldb.All(ctx, db.sql, sqldb.Column[[]byte], `
		select bytes
		from blob_data
		where hash = ?
		order by part`, hash)
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

// BlobDataPart returns one part of the bytes of that hash, counted from 0: BlobPartBytes bytes, and fewer at the end.
// Fails with SOURCE_NOT_FOUND if there is none.
func (db *DB) BlobDataPart(ctx context.Context, hash string, part int) ([]byte, error) {
	bytes, err := sqldb.One(ctx, db.sql, sqldb.Column[[]byte], `
		select bytes
		from blob_data
		where hash = ? and part = ?`, hash, part)
	return bytes, mapNotFound(err, parley.CodeSourceNotFound)
}

// EraseUnusedBlobData erases the bytes of that hash, unless a row of any account names their place. It is a job of the
// installation.
func (db *DB) EraseUnusedBlobData(ctx context.Context, hash, place string) error {
	return db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		lockedParts, err := sqldb.All(ctx, tx.sql, sqldb.Column[int], `
			select part
			from blob_data
			where hash = ? and part = 0`+tx.sql.ForUpdate(), hash)
		if err != nil || len(lockedParts) == 0 {
			return err
		}
		used, err := tx.IsLocationUsed(ctx, place) // asked behind the lock: a row that came meanwhile is seen
		if err != nil || used {
			return err
		}
		return tx.exec(ctx, `delete from blob_data where hash = ?`, hash)
	})
}

// OrphanedBlobData lists some hashes whose bytes no row of any account names; prefix and hash are a place. It is a job
// of the installation.
func (db *DB) OrphanedBlobData(ctx context.Context, prefix string) ([]string, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select d.hash
		from blob_data d
		where d.part = 0 and not exists (select 1 from blobs b where b.place = ? || d.hash)
		limit ?`, prefix, maxOrphanedHashes)
}

// CountUpload counts an upload of the account, unless there have been so many in the window before now: then it tells
// how long to wait for the next. It is exact, on however many servers they arrive. Fails with ACCOUNT_NOT_FOUND.
func (db *DB) CountUpload(ctx context.Context, account parley.AccountID, now time.Time, limit int,
	window time.Duration) (wait time.Duration, err error) {
	name, at := "uploads:"+string(account), millis(now)
	err = db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		wait = 0
		if _, err := tx.LockAccount(ctx, account); err != nil {
			return err
		}
		text, err := tx.FindSetting(ctx, name)
		if err != nil {
			return err
		}
		recent := parseTimesAfter(text, at-window.Milliseconds())
		if len(recent) >= limit {
			wait = time.Duration(recent[len(recent)-limit]+window.Milliseconds()-at) * time.Millisecond
			return nil
		}
		log, err := json.Marshal(append(recent, at))
		if err != nil {
			return err
		}
		return tx.SetSetting(ctx, name, string(log))
	})
	return wait, err
}

// parseTimesAfter reads a list of times and leaves out those up to a moment.
func parseTimesAfter(text string, after int64) []int64 {
	var all []int64
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil // there is none yet
	}
	return slices.DeleteFunc(all, func(at int64) bool { return at <= after })
}
