package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// TextChange is what is to become of a text; nil fields stay.
type TextChange struct {
	Name    *string
	Content *string
}

var errSame = errors.New("ingest: nothing to change")

// ChangeText changes a text. A new content is trained by a chore, and the earlier version answers meanwhile; a name that changes
// alone is trained again too, for it stands in the citations. A change that changes nothing leaves no trace. Fails with
// AGENT_NOT_FOUND, SOURCE_NOT_FOUND (also for a source that is no text), SOURCE_PENDING_DELETION, SOURCE_DUPLICATE or
// SOURCE_SIZE_LIMIT_EXCEEDED.
func (d *Desk) ChangeText(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, id parley.SourceID, change TextChange) (*parley.Source, error) {
	draft := d.draft(account, agent, change)
	var changed *parley.Source
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		var err error
		changed, err = draft.onto(ctx, tx, id, plan)
		return err
	})
	if errors.Is(err, errSame) {
		return d.DB.Source(ctx, account.ID, agent, id)
	}
	return changed, err
}

// PutText makes the agent's text of that key what it is to be: it is added when there is none, changed when it differs, and
// left alone when it does not, exactly, however many do so at a time. Fails as AddText and ChangeText do.
func (d *Desk) PutText(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, key, name, content string) error {
	draft := d.draft(account, agent, TextChange{&name, &content})
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, account.ID, agent); err != nil { // so that two cannot both find none
			return err
		}
		there, err := tx.SourceByKey(ctx, account.ID, agent, key)
		if err == nil {
			_, err = draft.onto(ctx, tx, there.ID, plan)
			return err
		}
		if !parley.IsCode(err, parley.CodeSourceNotFound) {
			return err
		}
		if err := draft.create(ctx, tx, plan); err != nil {
			return err
		}
		return tx.KeySource(ctx, account.ID, agent, draft.source.ID, key)
	})
	if errors.Is(err, errSame) {
		return nil
	}
	return err
}

// draft is a text on its way into the database: its ids and times are made before the transaction, which may run twice.
type draft struct {
	desk    *Desk
	change  TextChange
	source  parley.Source // as it is when it is new
	version parley.Version
}

func (d *Desk) draft(account parley.Account, agent parley.AgentID, change TextChange) *draft {
	now := d.Now()
	w := &draft{desk: d, version: parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: agent, CreatedAt: now}}
	w.source = parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: account.ID, AgentID: agent, Kind: parley.SourceText,
		Status: parley.SourceUntrained, Wanted: w.version.ID, CreatedAt: now, UpdatedAt: now}
	if change.Name != nil {
		w.source.Name = storable(*change.Name)
		w.change.Name = &w.source.Name
	}
	if change.Content != nil {
		text := storable(*change.Content)
		w.change.Content = &text
		w.write(text)
	}
	return w
}

// write fills the version with its text.
func (w *draft) write(text string) {
	sum := sha256.Sum256([]byte(text))
	w.version.Text, w.version.Hash, w.source.Size = text, hex.EncodeToString(sum[:]), int64(len(text))
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
	was, err := tx.Version(ctx, s.AccountID, s.AgentID, id, before.Wanted)
	if err != nil {
		return nil, err
	}
	v.SourceID = id
	if w.change.Content == nil {
		v.Text, v.Hash = was.Text, was.Hash
	}
	after, _, err := tx.UpdateSource(ctx, s.AccountID, s.AgentID, id, func(now *parley.Source) error { return w.change.apply(now, was, &v) })
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
func (c TextChange) apply(s *parley.Source, was, v *parley.Version) error {
	switch {
	case s.Status == parley.SourceToBeDeleted:
		return parley.Fail(parley.CodeSourcePendingDel)
	case s.Kind != parley.SourceText:
		return parley.Fail(parley.CodeSourceNotFound)
	case v.Hash == was.Hash && (c.Name == nil || *c.Name == s.Name):
		return errSame
	}
	if c.Name != nil {
		s.Name = *c.Name
	}
	s.Size, s.Wanted, s.Failure, s.UpdatedAt = int64(len(v.Text)), v.ID, "", v.CreatedAt
	s.Status = parley.SourceUntrained
	if s.Live != "" {
		s.Status = parley.SourceUpdated
	}
	return nil
}

// land checks what the rules say of the agent's texts, writes the version and leaves its training to a chore.
func (w *draft) land(ctx context.Context, tx *store.DB, plan parley.Plan, kind string, s *parley.Source, v *parley.Version, total int64) error {
	if same, err := tx.HasText(ctx, s, v.Hash); err != nil {
		return err
	} else if same {
		return parley.Fail(parley.CodeSourceDuplicate)
	}
	if most := plan.StoragePerAgent; most != nil && total > *most {
		return parley.Failf(parley.CodeSourceSize, "The %s plan allows %d bytes of sources for an agent; this one would bring them to %d.", plan.Name, *most, total)
	}
	if err := tx.CreateVersion(ctx, s.AccountID, v); err != nil {
		return err
	}
	if err := w.desk.Queue.Enqueue(ctx, tx.SQL(), chore(TrainJob, s)); err != nil {
		return err
	}
	return tx.Record(ctx, s.AccountID, v.CreatedAt, event(kind, s))
}
