package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Delete deletes a source of the agent, at once and for good, also while it trains; a job erases its content. The
// pages of a site go with it: where they are many, the reply has the status toBeDeleted, and else deleted. Fails with
// AGENT_NOT_FOUND, SOURCE_NOT_FOUND (also for a page of a site) or SOURCE_ALREADY_PENDING_DELETION.
func (s *Service) Delete(ctx context.Context, ref parley.AgentRef, id parley.SourceID) (*parley.Source, error) {
	now := s.Now()
	var deleted *parley.Source
	err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		deleted, err = s.deleteSource(ctx, tx, ref, id, now)
		return err
	})
	return deleted, err
}

// deleteSource deletes a source as part of a transaction.
func (s *Service) deleteSource(ctx context.Context, tx *store.DB, ref parley.AgentRef, id parley.SourceID,
	now time.Time) (*parley.Source, error) {
	status, err := s.deletePages(ctx, tx, ref, id, now)
	if err != nil {
		return nil, err
	}
	src, _, err := tx.UpdateSource(ctx, ref, id, func(src *parley.Source) error {
		src.Status, src.LiveVersion, src.WantedVersion, src.UpdatedAt = status, "", "", now
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := s.Queue.Enqueue(ctx, tx.SQL(), newJob(EraseJob, src)); err != nil {
		return nil, err
	}
	return src, tx.RecordEvents(ctx, ref.Account, now, sourceEvent(parley.EventSourceDeleted, src))
}

// manySitePages is from how many pages on a site stays in the lists until they are erased.
const manySitePages = 200

// deletePages deletes the pages of a source that is a site, and returns the source's status then.
func (s *Service) deletePages(ctx context.Context, tx *store.DB, ref parley.AgentRef, id parley.SourceID,
	now time.Time) (parley.SourceStatus, error) {
	if err := tx.LockAgent(ctx, ref); err != nil { // before the source's row, always
		return "", err
	}
	src, err := tx.LockSource(ctx, ref, id)
	switch {
	case err != nil:
		return "", err
	case src.ParentID != "":
		return "", parley.NewError(parley.CodeSourceNotFound)
	case src.Status == parley.SourceToBeDeleted:
		return "", parley.NewError(parley.CodeSourceAlreadyDel)
	case !src.Kind.HasPages():
		return parley.SourceDeleted, nil
	}
	n, err := tx.DeletePageSources(ctx, src, now)
	if n >= manySitePages {
		return parley.SourceToBeDeleted, err
	}
	return parley.SourceDeleted, err
}

// Erase handles EraseJob.
func (s *Service) Erase(ctx context.Context, job jobs.Job) error {
	return s.eraseAndSweep(ctx, job, s.eraseAll)
}

// eraseAndSweep handles a job that erases content of a source, and then removes what only that content needed.
func (s *Service) eraseAndSweep(ctx context.Context, job jobs.Job,
	erase func(context.Context, parley.AgentRef, parley.SourceID) error) error {
	ref, id, err := jobSource(job)
	if err != nil {
		return err
	}
	if err := erase(ctx, ref, id); err != nil {
		return err
	}
	if err := s.Indexes.EraseVectors(ctx, ref.Agent); err != nil {
		return err
	}
	return s.RemoveUnusedFiles(ctx, ref)
}

// eraseAll erases the content of a deleted source and its pages, and then removes a site that had many pages from the
// lists.
func (s *Service) eraseAll(ctx context.Context, ref parley.AgentRef, id parley.SourceID) error {
	pages, err := s.DB.DeletedPageSources(ctx, ref, id)
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := s.DB.EraseSource(ctx, ref, page); err != nil {
			return fmt.Errorf("page %s: %w", page, err)
		}
	}
	now := s.Now()
	_, _, err = s.DB.UpdateSource(ctx, ref, id, func(src *parley.Source) error {
		if src.Status != parley.SourceToBeDeleted {
			return errUnchanged
		}
		src.Status, src.UpdatedAt = parley.SourceDeleted, now
		return nil
	})
	if err != nil && !isDropped(err) && !errors.Is(err, errUnchanged) {
		return err
	}
	return errors.Join(s.DB.EraseCrawlPages(ctx, ref, id), s.DB.EraseSource(ctx, ref, id))
}
