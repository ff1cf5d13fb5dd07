package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"parley"
	"parley/internal/store"
)

// draft is a source's content on its way into the database: its ids and times are made before the transaction, which may run
// twice. What the kinds do each in their own way stands in its functions.
type draft struct {
	desk    *Desk
	name    *string       // nil stays
	source  parley.Source // as it is when it is new
	version parley.Version
	chore   string // what goes on with it

	// fill writes the new version of a source that is there, and gives its size, or errSame.
	fill func(ctx context.Context, tx *store.DB, before *parley.Source, was, v *parley.Version) (size int64, err error)
	// twin reports whether the agent has the content under that name already.
	twin func(ctx context.Context, tx *store.DB, s *parley.Source, v *parley.Version) (bool, error)
	// keep writes what belongs to the version; nil where nothing does.
	keep func(ctx context.Context, tx *store.DB, s *parley.Source, v *parley.Version) error
}

func (d *Desk) draft(account parley.Account, agent parley.AgentID, change TextChange) *draft {
	w := d.written(account, agent, parley.SourceText, change.Name, func(was, v *parley.Version) error {
		if change.Content == nil {
			v.Text, v.Hash = was.Text, was.Hash
		}
		return nil
	})
	if change.Content != nil {
		setText(&w.version, storable(*change.Content))
		w.source.Size = int64(len(w.version.Text))
	}
	return w
}

// written is a draft of a kind whose content is text as it comes. fill writes the new version from the one before.
func (d *Desk) written(account parley.Account, agent parley.AgentID, kind parley.SourceKind, name *string, fill func(was, v *parley.Version) error) *draft {
	w := d.blank(account, agent, kind, name)
	w.chore = TrainJob
	w.fill = func(_ context.Context, _ *store.DB, before *parley.Source, was, v *parley.Version) (int64, error) {
		if err := fill(was, v); err != nil {
			return 0, err
		}
		if v.Hash == was.Hash && before.Status != parley.SourceFailed && !w.renames(before) {
			return 0, errSame
		}
		return int64(len(v.Text)), nil
	}
	w.twin = func(ctx context.Context, tx *store.DB, s *parley.Source, v *parley.Version) (bool, error) {
		return tx.HasText(ctx, s, v.Hash)
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
	if before.Status == parley.SourceToBeDeleted {
		return nil, parley.Fail(parley.CodeSourcePendingDel)
	}
	was, err := tx.Version(ctx, s.AccountID, s.AgentID, id, before.Wanted)
	if err != nil {
		return nil, err
	}
	v.SourceID = id
	size, err := w.fill(ctx, tx, before, was, &v)
	if err != nil {
		return nil, err
	}
	after, _, err := tx.UpdateSource(ctx, s.AccountID, s.AgentID, id, func(now *parley.Source) error {
		if w.name != nil {
			now.Name = *w.name
		}
		now.Want(&v, size)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a, err := tx.Agent(ctx, s.AccountID, s.AgentID, v.CreatedAt)
	if err != nil {
		return nil, err
	}
	if size <= before.Size { // what does not grow is welcome though the plan has shrunk
		plan.StoragePerAgent = nil
	}
	return after, w.land(ctx, tx, plan, "source.updated", after, &v, a.Size)
}

// renames reports whether the source gets another name.
func (w *draft) renames(s *parley.Source) bool { return w.name != nil && *w.name != s.Name }

// land checks what the rules say of the agent's sources, writes the version and leaves the rest to a chore.
func (w *draft) land(ctx context.Context, tx *store.DB, plan parley.Plan, kind string, s *parley.Source, v *parley.Version, total int64) error {
	if same, err := w.twin(ctx, tx, s, v); err != nil {
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
	if w.keep != nil {
		if err := w.keep(ctx, tx, s, v); err != nil {
			return err
		}
	}
	if err := w.desk.Queue.Enqueue(ctx, tx.SQL(), chore(w.chore, s)); err != nil {
		return err
	}
	return tx.Record(ctx, s.AccountID, v.CreatedAt, event(kind, s))
}
