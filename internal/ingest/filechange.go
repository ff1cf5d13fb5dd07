package ingest

import (
	"context"

	"parley"
	"parley/internal/store"
)

// fillFile returns the file of the new version. Where it has the bytes of the version before, its text is known already.
func (u *upload) fillFile(ctx context.Context, tx *store.DB, before *parley.Source, was, v *parley.Version) (int64, error) {
	blob, err := tx.VersionBlob(ctx, before.AccountID, before.AgentID, before.WantedVersion)
	if err != nil {
		return 0, err
	}
	if u.blob != nil && u.blob.Hash != blob.Hash {
		u.versionBlob = u.blob
		return u.blob.Size, nil
	}
	if before.Status != parley.SourceFailed && !u.isRenamed(before) {
		return 0, errUnchanged
	}
	u.versionBlob, v.Text, v.Hash = blob, was.Text, was.Hash
	return max(blob.Size, int64(len(v.Text))), nil
}

func (u *upload) isSameFile(ctx context.Context, tx *store.DB, s *parley.Source, _ *parley.Version) (bool, error) {
	return tx.HasFileWithHash(ctx, s, u.versionBlob.Hash)
}

// linkBlob joins the version to its file, which is written down where it is new.
func (u *upload) linkBlob(ctx context.Context, tx *store.DB, s *parley.Source, v *parley.Version) error {
	if u.versionBlob == u.blob {
		if err := tx.CreateBlob(ctx, u.blob); err != nil {
			return err
		}
	}
	return tx.SetVersionBlob(ctx, s.AccountID, s.AgentID, v.ID, u.versionBlob.ID)
}
