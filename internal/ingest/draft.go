package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"parley"
	"parley/internal/store"
)

// draft is a text or a QnA on its way into the database: its ids and times are made before the transaction, which may run twice.
type draft struct {
	desk    *Desk
	name    *string       // nil stays
	source  parley.Source // as it is when it is new
	version parley.Version
	fill    func(was, v *parley.Version) error // writes the new version of a source that is there
}

func (d *Desk) draft(account parley.Account, agent parley.AgentID, change TextChange) *draft {
	w := d.blank(account, agent, parley.SourceText, change.Name)
	if change.Content != nil {
		setText(&w.version, storable(*change.Content))
		w.source.Size = int64(len(w.version.Text))
	}
	w.fill = func(was, v *parley.Version) error {
		if change.Content == nil {
			v.Text, v.Hash = was.Text, was.Hash
		}
		return nil
	}
	return w
}

// blank is a draft of a kind without a content.
func (d *Desk) blank(account parley.Account, agent parley.AgentID, kind parley.SourceKind, name *string) *draft {
	now := d.Now()
	w := &draft{desk: d, version: parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: agent, CreatedAt: now}}
	w.source = parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: account.ID, AgentID: agent, Kind: kind,
		Status: parley.SourceUntrained, Wanted: w.version.ID, CreatedAt: now, UpdatedAt: now}
	if name != nil {
		w.source.Name = storable(*name)
		w.name = &w.source.Name
	}
	return w
}

func setText(v *parley.Version, text string) {
	sum := sha256.Sum256([]byte(text))
	v.Text, v.Hash = text, hex.EncodeToString(sum[:])
}

// create writes a new source.
func (w *draft) create(ctx context.Context, tx *store.DB, plan parley.Plan) error {
	s, v := w.source, w.version
	v.SourceID = s.ID
	total, err := tx.CreateSource(ctx, &s)
	if err != nil {
		return err
	}
	return w.land(ctx, tx, plan, "source.created", &s, &v, total)
}

// onto makes the draft the wanted version of a source, or gives errSame.
func (w *draft) onto(ctx context.Context, tx *store.DB, id parley.SourceID, plan parley.Plan) (*parley.Source, error) {
	s, v := w.source, w.version
	if err := tx.LockAgent(ctx, s.AccountID, s.AgentID); err != nil { // before the source's row, always
		return nil, err
	}
	before, err := tx.LockSource(ctx, s.AccountID, s.AgentID, id)
	if err != nil {
		return nil, err
	}
	if before.Kind != s.Kind || before.Parent != "" {
		return nil, parley.Fail(parley.CodeSourceNotFound)
	}
	was, err := tx.Version(ctx, s.AccountID, s.AgentID, id, before.Wanted)
	if err != nil {
		return nil, err
	}
	v.SourceID = id
	if err := w.fill(was, &v); err != nil {
		return nil, err
	}
	after, _, err := tx.UpdateSource(ctx, s.AccountID, s.AgentID, id, func(now *parley.Source) error { return w.apply(now, was, &v) })
	if err != nil {
		return nil, err
	}
	a, err := tx.Agent(ctx, s.AccountID, s.AgentID, v.CreatedAt)
	if err != nil {
		return nil, err
	}
	return after, w.land(ctx, tx, plan, "source.updated", after, &v, a.Size)
}

// apply changes the record of the source so that it wants the version.
func (w *draft) apply(s *parley.Source, was, v *parley.Version) error {
	switch {
	case s.Status == parley.SourceToBeDeleted:
		return parley.Fail(parley.CodeSourcePendingDel)
	case v.Hash == was.Hash && (w.name == nil || *w.name == s.Name):
		return errSame
	}
	if w.name != nil {
		s.Name = *w.name
	}
	s.Want(v, int64(len(v.Text)))
	return nil
}

// land checks what the rules say of the agent's texts, writes the version and leaves its training to a chore.
func (w *draft) land(ctx context.Context, tx *store.DB, plan parley.Plan, kind string, s *parley.Source, v *parley.Version, total int64) error {
	if same, err := tx.HasText(ctx, s, v.Hash); err != nil {
		return err
	} else if same {
		return parley.Fail(parley.CodeSourceDuplicate)
	}
	if err := plan.Room(total); err != nil {
		return err
	}
	if err := tx.CreateVersion(ctx, s.AccountID, v); err != nil {
		return err
	}
	if err := w.desk.Queue.Enqueue(ctx, tx.SQL(), chore(TrainJob, s)); err != nil {
		return err
	}
	return tx.Record(ctx, s.AccountID, v.CreatedAt, event(kind, s))
}
