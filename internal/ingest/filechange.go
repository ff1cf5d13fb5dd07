package ingest

import (
	"context"

	"parley"
	"parley/internal/store"
)

// create writes a new file.
func (u *upload) create(ctx context.Context, tx *store.DB) error {
	s, v := u.source, u.version
	v.SourceID = s.ID
	total, err := tx.CreateSource(ctx, &s)
	if err != nil {
		return err
	}
	return u.land(ctx, tx, "source.created", &s, &v, *u.blob, total)
}

// onto makes the upload the wanted version of a file, or gives errSame.
func (u *upload) onto(ctx context.Context, tx *store.DB, id parley.SourceID) (*parley.Source, error) {
	s, v := u.source, u.version
	if err := tx.LockAgent(ctx, s.AccountID, s.AgentID); err != nil { // before the source's row, always
		return nil, err
	}
	before, err := tx.LockSource(ctx, s.AccountID, s.AgentID, id)
	if err != nil {
		return nil, err
	}
	if before.Kind != parley.SourceFile {
		return nil, parley.Fail(parley.CodeSourceNotFound)
	}
	if before.Status == parley.SourceToBeDeleted {
		return nil, parley.Fail(parley.CodeSourcePendingDel)
	}
	blob, err := u.fill(ctx, tx, before, &v)
	if err != nil {
		return nil, err
	}
	after, _, err := tx.UpdateSource(ctx, s.AccountID, s.AgentID, id, func(now *parley.Source) error {
		u.apply(now, &v, blob)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a, err := tx.Agent(ctx, s.AccountID, s.AgentID, v.CreatedAt)
	if err != nil {
		return nil, err
	}
	return after, u.land(ctx, tx, "source.updated", after, &v, *blob, a.Size)
}

// fill gives the file of the new version. Where it has the bytes of the version before, its text is known already.
func (u *upload) fill(ctx context.Context, tx *store.DB, before *parley.Source, v *parley.Version) (*store.Blob, error) {
	was, err := tx.Version(ctx, before.AccountID, before.AgentID, before.ID, before.Wanted)
	if err != nil {
		return nil, err
	}
	blob, err := tx.Blob(ctx, before.AccountID, before.AgentID, before.Wanted)
	if err != nil {
		return nil, err
	}
	v.SourceID = before.ID
	if u.blob != nil && u.blob.Hash != blob.Hash {
		return u.blob, nil
	}
	if before.Status != parley.SourceFailed && (u.name == nil || *u.name == before.Name) {
		return nil, errSame
	}
	v.Text, v.Hash = was.Text, was.Hash
	return blob, nil
}

// apply changes the record of the file so that it wants the version.
func (u *upload) apply(s *parley.Source, v *parley.Version, blob *store.Blob) {
	if u.name != nil {
		s.Name = *u.name
	}
	s.Want(v, blob.Size)
}

// land checks what the rules say of the agent's files, writes the version with its file and leaves the rest to a chore.
func (u *upload) land(ctx context.Context, tx *store.DB, kind string, s *parley.Source, v *parley.Version, blob store.Blob, total int64) error {
	if same, err := tx.HasFile(ctx, s, blob.Hash); err != nil {
		return err
	} else if same {
		return parley.Fail(parley.CodeSourceDuplicate)
	}
	if err := u.plan.Room(total); err != nil {
		return err
	}
	if u.blob != nil && u.blob.ID == blob.ID {
		if err := tx.CreateBlob(ctx, &blob); err != nil {
			return err
		}
	}
	if err := tx.CreateVersion(ctx, s.AccountID, v); err != nil {
		return err
	}
	if err := tx.SetBlob(ctx, s.AccountID, s.AgentID, v.ID, blob.ID); err != nil {
		return err
	}
	if err := u.desk.Queue.Enqueue(ctx, tx.SQL(), chore(FileJob, s)); err != nil {
		return err
	}
	return tx.Record(ctx, s.AccountID, v.CreatedAt, event(kind, s))
}
