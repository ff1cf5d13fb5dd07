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

// errUnchanged is the error of a change that changes nothing.
var errUnchanged = errors.New("ingest: nothing to change")

// draft is a source's content on its way into the database: its ids and times are made before the transaction, which
// may run twice. Its functions hold what differs between kinds.
type draft struct {
	service *Service
	name    *string       // nil stays
	source  parley.Source // as it is when it is new
	version parley.Version

	// fillVersion writes the new version of an existing source, and returns its size, or errUnchanged.
	fillVersion func(ctx context.Context, tx *store.DB, before *parley.Source, old, v *parley.Version) (size int64,
		err error)
	// isDuplicate reports whether the agent has the content under that name already.
	isDuplicate func(ctx context.Context, tx *store.DB, s *parley.Source, v *parley.Version) (bool, error)
	// storeExtra writes what belongs to the version; nil if nothing does.
	storeExtra func(ctx context.Context, tx *store.DB, s *parley.Source, v *parley.Version) error
	// transact calls write in a transaction, with what must be in place before it.
	transact func(ctx context.Context, write func(tx *store.DB) error) error
}

// contentDraft returns a draft of a kind whose content is text as it comes. fill writes the new version from the one
// before.
func (s *Service) contentDraft(ref parley.AgentRef, kind parley.SourceKind, name *string,
	fill func(old, v *parley.Version) error) *draft {
	w := s.emptyDraft(ref, kind, name)
	w.fillVersion = func(_ context.Context, _ *store.DB, before *parley.Source, old, v *parley.Version) (int64, error) {
		if err := fill(old, v); err != nil {
			return 0, err
		}
		if v.Hash == old.Hash && before.Status != parley.SourceFailed && !w.isRenamed(before) {
			return 0, errUnchanged
		}
		return int64(len(v.Text)), nil
	}
	w.isDuplicate = func(ctx context.Context, tx *store.DB, src *parley.Source, v *parley.Version) (bool, error) {
		return tx.HasTextWithHash(ctx, src, v.Hash)
	}
	return w
}

func (s *Service) emptyDraft(ref parley.AgentRef, kind parley.SourceKind, name *string) *draft {
	now := s.Now()
	w := &draft{service: s,
		version: parley.Version{ID: parley.VersionID(parley.NewUUID()), AgentID: ref.Agent, CreatedAt: now}}
	w.transact = func(ctx context.Context, write func(tx *store.DB) error) error {
		return s.DB.Transact(ctx, sqldb.Bulk, write)
	}
	w.source = parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: ref.Account, AgentID: ref.Agent, Kind: kind,
		Status: parley.SourceUntrained, WantedVersion: w.version.ID, CreatedAt: now, UpdatedAt: now}
	if name != nil {
		w.source.Name = parley.StorableText(*name)
		w.name = &w.source.Name
	}
	return w
}

func setText(v *parley.Version, text string) {
	sum := sha256.Sum256([]byte(text))
	v.Text, v.Hash = text, hex.EncodeToString(sum[:])
}

func (d *draft) create(ctx context.Context, tx *store.DB, plan parley.Plan) error {
	s, v := d.source, d.version
	v.SourceID = s.ID
	total, err := tx.CreateSource(ctx, &s)
	if err != nil {
		return err
	}
	return d.finishWrite(ctx, tx, plan, parley.EventSourceCreated, &s, &v, total)
}

// applyTo makes the draft the wanted version of a source, or returns errUnchanged.
func (d *draft) applyTo(ctx context.Context, tx *store.DB, id parley.SourceID, plan parley.Plan) (*parley.Source,
	error) {
	s, v := d.source, d.version
	if err := tx.LockAgent(ctx, s.AgentRef()); err != nil { // before the source's row, always
		return nil, err
	}
	before, err := tx.LockSource(ctx, s.AgentRef(), id)
	if err != nil {
		return nil, err
	}
	if before.Kind != s.Kind || before.ParentID != "" {
		return nil, parley.NewError(parley.CodeSourceNotFound)
	}
	if before.Status == parley.SourceToBeDeleted {
		return nil, parley.NewError(parley.CodeSourcePendingDel)
	}
	old, err := tx.Version(ctx, s.AgentRef(), id, before.WantedVersion)
	if err != nil {
		return nil, err
	}
	v.SourceID = id
	size, err := d.fillVersion(ctx, tx, before, old, &v)
	if err != nil {
		return nil, err
	}
	after, _, err := tx.UpdateSource(ctx, s.AgentRef(), id, func(now *parley.Source) error {
		if d.name != nil {
			now.Name = *d.name
		}
		now.SetWantedVersion(&v, size)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a, err := tx.Agent(ctx, s.AgentRef(), v.CreatedAt)
	if err != nil {
		return nil, err
	}
	if size <= before.Size { // what does not grow is welcome though the plan has shrunk
		plan.StoragePerAgent = nil
	}
	return after, d.finishWrite(ctx, tx, plan, parley.EventSourceUpdated, after, &v, a.Size)
}

// isRenamed reports whether the source gets another name.
func (d *draft) isRenamed(s *parley.Source) bool { return d.name != nil && *d.name != s.Name }

// finishWrite checks what the rules say of the agent's sources, writes the version and leaves the rest to a job.
func (d *draft) finishWrite(ctx context.Context, tx *store.DB, plan parley.Plan, kind parley.EventKind,
	s *parley.Source,
	v *parley.Version, total int64) error {
	if same, err := d.isDuplicate(ctx, tx, s, v); err != nil {
		return err
	} else if same {
		return parley.NewError(parley.CodeSourceDuplicate)
	}
	if err := plan.CheckStorage(total); err != nil {
		return err
	}
	if err := tx.CreateVersion(ctx, s.AccountID, v); err != nil {
		return err
	}
	if d.storeExtra != nil {
		if err := d.storeExtra(ctx, tx, s, v); err != nil {
			return err
		}
	}
	if err := d.service.Queue.Enqueue(ctx, tx.SQL(), kinds[s.Kind].newJob(s)); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, s.AccountID, v.CreatedAt, sourceEvent(kind, s))
}

// changeSource makes a draft the wanted version of a source.
func (s *Service) changeSource(ctx context.Context, draft *draft, id parley.SourceID, plan parley.Plan) (*parley.Source,
	error) {
	var changed *parley.Source
	err := draft.transact(ctx, func(tx *store.DB) (err error) {
		changed, err = draft.applyTo(ctx, tx, id, plan)
		return err
	})
	if errors.Is(err, errUnchanged) {
		return s.DB.Source(ctx, draft.source.AgentRef(), id)
	}
	return changed, err
}

// addSource writes a new source, and completes the claim of a request that may be repeated.
func (s *Service) addSource(ctx context.Context, draft *draft, plan parley.Plan) (*parley.Source, error) {
	err := draft.transact(ctx, func(tx *store.DB) error {
		if err := draft.create(ctx, tx, plan); err != nil {
			return err
		}
		return tx.CompleteClaim(ctx, "source:"+string(draft.source.ID))
	})
	if err != nil {
		return nil, err
	}
	return &draft.source, nil
}

// putDraft makes a draft the agent's source of a key: it is added when there is none, changed when it differs, and left
// alone when it does not, exactly, however many do so at a time.
func (s *Service) putDraft(ctx context.Context, caller parley.Caller, agent parley.AgentID, key string,
	draft *draft) error {
	ref := caller.AgentRef(agent)
	err := draft.transact(ctx, func(tx *store.DB) error {
		existing, err := findForKey(ctx, tx, ref, key)
		if err != nil {
			return err
		}
		if existing != nil {
			_, err = draft.applyTo(ctx, tx, existing.ID, caller.Plan)
			return err
		}
		if err := draft.create(ctx, tx, caller.Plan); err != nil {
			return err
		}
		return tx.SetSourceKey(ctx, ref, draft.source.ID, key)
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// findForKey returns the agent's source of a key, nil if there is none. It locks the agent, so that two cannot both
// find none.
func findForKey(ctx context.Context, tx *store.DB, ref parley.AgentRef, key string) (*parley.Source, error) {
	if err := tx.LockAgent(ctx, ref); err != nil {
		return nil, err
	}
	existing, err := tx.SourceByKey(ctx, ref, key)
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return nil, nil
	}
	return existing, err
}
