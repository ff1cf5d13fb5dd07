package agents

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// ContinueCopy handles CloneJob. A copy that is deleted meanwhile is dropped; an original that is deleted keeps its
// rows until the copy is complete. When it fails for good, the sources that are not copied yet are marked as failed.
func (s *Service) ContinueCopy(ctx context.Context, job jobs.Job) error {
	payload, err := jobs.DecodePayload[clonePayload](job)
	if err != nil {
		return err
	}
	c := store.Clone{Account: job.AccountID, FromAgent: payload.From, ToAgent: parley.AgentID(job.Key),
		StartedAt: time.UnixMilli(payload.At).UTC()}
	unfinished, err := s.isUnfinishedCopy(ctx, s.DB, c.Account.AgentRef(c.FromAgent))
	if err != nil {
		return err
	}
	if unfinished {
		again := cloneJob(c)
		again.RunAt = s.Now().Add(cloneRetryDelay)
		return s.Queue.Enqueue(ctx, s.DB.SQL(), again)
	}
	err = s.copySources(ctx, s.DB, c)
	if err != nil && job.Attempts >= job.MaxAttempts && ctx.Err() == nil && !parley.IsCode(err, parley.CodeAgentNotFound) {
		return errors.Join(err, s.eachOriginal(ctx, s.DB, c, func(id parley.SourceID) error {
			return s.failCopy(ctx, c, id)
		}))
	}
	if err != nil {
		return ignoreNotFound(err)
	}
	a, err := s.DB.Agent(ctx, c.Account.AgentRef(c.ToAgent), s.Now())
	if err != nil {
		return ignoreNotFound(err)
	}
	return s.Indexes.Warm(ctx, c.ToAgent, a.PassageVersion) // so that no question waits for it
}

// ignoreNotFound treats a copy that was deleted as done.
func ignoreNotFound(err error) error {
	if parley.IsCode(err, parley.CodeAgentNotFound) {
		return nil
	}
	return err
}

// copySources copies the sources that are not copied yet: first their rows, then their contents one by one. On a
// transaction it is part of it; on the pool each step is a transaction of its own in the bulk lane.
func (s *Service) copySources(ctx context.Context, db *store.DB, c store.Clone) error {
	for last, more := parley.SourceID(""), true; more; {
		at := last
		err := s.transactOnCopy(ctx, db, c, func(tx *store.DB) (err error) {
			last, more, err = tx.CloneSources(ctx, c, at)
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.eachOriginal(ctx, db, c, func(id parley.SourceID) error { return s.copySource(ctx, db, c, id) })
}

// transactOnCopy runs a transaction that locks the copy's row: after the copy is deleted, nothing is written.
func (s *Service) transactOnCopy(ctx context.Context, db *store.DB, c store.Clone, do func(tx *store.DB) error) error {
	return db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, c.Account.AgentRef(c.ToAgent)); err != nil {
			return err
		}
		return do(tx)
	})
}

// eachOriginal calls do for each source of the original, also for those deleted since.
func (s *Service) eachOriginal(ctx context.Context, db *store.DB, c store.Clone, do func(parley.SourceID) error) error {
	for last := parley.SourceID(""); ; {
		ids, err := db.OriginalSourceIDs(ctx, c, last)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := do(id); err != nil && !parley.IsCode(err, parley.CodeSourceNotFound) { // the copy of this one is deleted
				return err
			}
		}
		last = ids[len(ids)-1]
	}
}

// copySource copies the content of a source, if its copy still waits for it.
func (s *Service) copySource(ctx context.Context, db *store.DB, c store.Clone, id parley.SourceID) error {
	copied, err := db.Source(ctx, c.Account.AgentRef(c.ToAgent), c.SourceID(id))
	if err != nil || copied.Status != parley.SourceUntrained || copied.LiveVersion != "" {
		return err
	}
	from, err := db.Source(ctx, c.Account.AgentRef(c.FromAgent), id)
	if err == nil {
		err = s.copyVersions(ctx, db, c, from)
	}
	if err != nil && !parley.IsCode(err, parley.CodeSourceNotFound) {
		return err
	}
	return s.finishCopy(ctx, db, c, id, from)
}

// copyVersions copies the live and the wanted version of a source, and the passages of the live one.
func (s *Service) copyVersions(ctx context.Context, db *store.DB, c store.Clone, from *parley.Source) error {
	versions := []parley.VersionID{from.LiveVersion, from.WantedVersion}
	if from.WantedVersion == from.LiveVersion {
		versions = versions[:1]
	}
	for _, v := range versions {
		if v == "" {
			continue
		}
		if err := s.transactOnSource(ctx, db, c, from.ID, func(tx *store.DB) error {
			return tx.CloneVersion(ctx, c, from.ID, v)
		}); err != nil {
			return err
		}
	}
	for more := from.LiveVersion != ""; more; {
		err := s.transactOnSource(ctx, db, c, from.ID, func(tx *store.DB) (err error) {
			more, err = tx.ClonePassages(ctx, c, from.ID, from.LiveVersion)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// transactOnSource is transactOnCopy that also locks the row of the source's copy, so that nothing is written after its
// erasure.
func (s *Service) transactOnSource(ctx context.Context, db *store.DB, c store.Clone, id parley.SourceID,
	do func(tx *store.DB) error) error {
	return s.transactOnCopy(ctx, db, c, func(tx *store.DB) error {
		if _, err := tx.LockSource(ctx, c.Account.AgentRef(c.ToAgent), c.SourceID(id)); err != nil {
			return err
		}
		return do(tx)
	})
}
