package ingest

import (
	"context"

	"parley"
	"parley/internal/store"
)

// refill gives the file of the new version. Where it has the bytes of the version before, its text is known already.
func (u *upload) refill(ctx context.Context, tx *store.DB, before *parley.Source, was, v *parley.Version) (int64, error) {
	blob, err := tx.Blob(ctx, before.AccountID, before.AgentID, before.Wanted)
	if err != nil {
		return 0, err
	}
	if u.blob != nil && u.blob.Hash != blob.Hash {
		u.wanted = u.blob
		return u.blob.Size, nil
	}
	if before.Status != parley.SourceFailed && !u.renames(before) {
		return 0, errSame
	}
	u.wanted, v.Text, v.Hash = blob, was.Text, was.Hash
	return max(blob.Size, int64(len(v.Text))), nil
}

func (u *upload) known(ctx context.Context, tx *store.DB, s *parley.Source, _ *parley.Version) (bool, error) {
	return tx.HasFile(ctx, s, u.wanted.Hash)
}

// tie joins the version to its file, which is written down where it is new.
func (u *upload) tie(ctx context.Context, tx *store.DB, s *parley.Source, v *parley.Version) error {
	if u.wanted == u.blob {
		if err := tx.CreateBlob(ctx, u.blob); err != nil {
			return err
		}
	}
	return tx.SetBlob(ctx, s.AccountID, s.AgentID, v.ID, u.wanted.ID)
}
