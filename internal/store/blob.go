package store

import (
	"context"
	"strings"
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

const blobColumns = `b.id, b.account_id, b.agent_id, b.hash, b.size, b.media_type, b.name, b.place, b.created_at`

func scanBlob(scan sqldb.Scan) (b Blob, err error) {
	var created int64
	err = scan(&b.ID, &b.AccountID, &b.AgentID, &b.Hash, &b.Size, &b.MediaType, &b.Name, &b.Location, &created)
	b.CreatedAt = timeFromMillis(created)
	return b, err
}

// CreateBlob writes the row of a file.
func (db *DB) CreateBlob(ctx context.Context, b *Blob) error {
	_, err := db.sql.Exec(ctx, `insert into blobs (id, account_id, agent_id, hash, size, media_type, name, place, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		b.ID, b.AccountID, b.AgentID, b.Hash, b.Size, b.MediaType, b.Name, b.Location, millis(b.CreatedAt))
	return err
}

// SetVersionBlob says which file a version is made of.
func (db *DB) SetVersionBlob(ctx context.Context, account parley.AccountID, agent parley.AgentID, version parley.VersionID, blob string) error {
	n, err := db.sql.Exec(ctx, `update source_versions set blob_id = ? where id = ? and agent_id = ? and account_id = ?`, blob, version, agent, account)
	return requireChanged(n, err, parley.CodeSourceNotFound)
}

// VersionBlob finds the file that a version is made of. Fails with SOURCE_NOT_FOUND.
func (db *DB) VersionBlob(ctx context.Context, account parley.AccountID, agent parley.AgentID, version parley.VersionID) (*Blob, error) {
	b, err := sqldb.One(ctx, db.sql, scanBlob, `select `+blobColumns+` from source_versions v join blobs b on b.id = v.blob_id and b.agent_id = v.agent_id
		where v.id = ? and v.agent_id = ? and v.account_id = ?`, version, agent, account)
	if err != nil {
		return nil, mapNotFound(err, parley.CodeSourceNotFound)
	}
	return &b, nil
}

// SetVersionText writes the text that was found in a version's file.
func (db *DB) SetVersionText(ctx context.Context, account parley.AccountID, v *parley.Version) error {
	n, err := db.sql.Exec(ctx, `update source_versions set text = ?, hash = ? where id = ? and source_id = ? and agent_id = ? and account_id = ?`,
		v.Text, v.Hash, v.ID, v.SourceID, v.AgentID, account)
	return requireChanged(n, err, parley.CodeSourceNotFound)
}

// HasFileWithHash reports whether the agent has another file of that name whose wanted version has these bytes. To be exact it must be
// asked in a transaction that holds the agent's row.
func (db *DB) HasFileWithHash(ctx context.Context, s *parley.Source, hash string) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from blobs b join source_versions v on v.blob_id = b.id and v.agent_id = b.agent_id
		join sources s on s.id = v.source_id and s.wanted_version = v.id
		where b.agent_id = ? and b.account_id = ? and b.hash = ? and s.kind = ? and s.name = ? and s.id <> ? and s.deleted_at is null`,
		s.AgentID, s.AccountID, hash, s.Kind, s.Name, s.ID)
	return n > 0, err
}

// EraseOrphanedBlobs erases the rows of an agent's files that no version is made of any more, that are none of its pictures, and
// that neither a message nor a recording holds, and gives where these lie.
func (db *DB) EraseOrphanedBlobs(ctx context.Context, account parley.AccountID, agent parley.AgentID) (locations []string, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		orphaned, err := sqldb.All(ctx, tx.sql, scanBlob, `select `+blobColumns+` from blobs b where b.agent_id = ? and b.account_id = ?
			and not exists (select 1 from source_versions v where v.agent_id = b.agent_id and v.blob_id = b.id)
			and not exists (select 1 from agents a where a.id = b.agent_id and b.id in (a.icon_blob, a.picture_blob))
			and not exists (select 1 from attachments f where f.blob_id = b.id)
			and not exists (select 1 from voice_recordings r where r.blob_id = b.id) limit ?`, agent, account, maxEraseRows)
		if err != nil || len(orphaned) == 0 {
			return err
		}
		erased, args := []string{}, []any{agent, account}
		for i := range orphaned {
			erased, args = append(erased, orphaned[i].Location), append(args, orphaned[i].ID)
		}
		locations = erased
		_, err = tx.sql.Exec(ctx, `delete from blobs where agent_id = ? and account_id = ? and id in (?`+strings.Repeat(`, ?`, len(orphaned)-1)+`)`, args...)
		return err
	})
	return locations, err
}

// BlobLocations lists where an agent's files lie.
func (db *DB) BlobLocations(ctx context.Context, account parley.AccountID, agent parley.AgentID) ([]string, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[string], `select distinct place from blobs where agent_id = ? and account_id = ?`, agent, account)
}

// IsLocationUsed reports whether a file of any account lies at a place. It is a job of the installation and asks for no account.
func (db *DB) IsLocationUsed(ctx context.Context, place string) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from blobs where place = ?`, place)
	return n > 0, err
}
