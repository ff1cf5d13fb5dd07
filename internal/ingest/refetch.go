package ingest

import (
	"context"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Refetch reads a link again, and tries another source again whose training has failed; of a source that is trained, or
// is being trained, nothing changes. What was read before answers meanwhile. Fails with AGENT_NOT_FOUND,
// SOURCE_NOT_FOUND (also for a page of a website, which is read with it) or SOURCE_PENDING_DELETION.
func (s *Service) Refetch(ctx context.Context, ref parley.AgentRef, id parley.SourceID) (*parley.Source, error) {
	src, err := s.DB.Source(ctx, ref, id)
	if err != nil {
		return nil, err
	}
	if src.Kind == parley.SourceLink {
		return s.ChangeLink(ctx, ref, id, LinkChange{})
	}
	err = s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, ref); err != nil { // before the source's row, always
			return err
		}
		if src, err = tx.LockSource(ctx, ref, id); err != nil || src.Status != parley.SourceFailed {
			return err
		}
		return s.retryTraining(ctx, tx, src)
	})
	if err == nil && src.Status == parley.SourceToBeDeleted {
		err = parley.NewError(parley.CodeSourcePendingDel)
	}
	return src, err
}

func (s *Service) retryTraining(ctx context.Context, tx *store.DB, src *parley.Source) error {
	now := s.Now()
	after, _, err := tx.UpdateSource(ctx, src.AgentRef(), src.ID, func(current *parley.Source) error {
		current.Status, current.Failure, current.UpdatedAt = parley.SourceUntrained, "", now
		if current.LiveVersion != "" {
			current.Status = parley.SourceUpdated
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.Queue.Enqueue(ctx, tx.SQL(), NewTrainJob(after)); err != nil {
		return err
	}
	*src = *after
	return tx.RecordEvents(ctx, src.AccountID, now, sourceEvent(parley.EventSourceUpdated, after))
}

// TrainingJobs are the kinds of the jobs that bring a source nearer to being live; their keys are the sources' ids.
func TrainingJobs() []string { return []string{TrainJob, FileJob, CrawlJob} }

// Outage returns why a source waits for the database to be read: it did not answer, or was full, when this server tried
// last. It returns nil if the source does not wait for that.
func (s *Service) Outage(id parley.SourceID) error {
	for _, kind := range TrainingJobs() {
		if err := s.Queue.Outage(kind, string(id)); err != nil {
			return err
		}
	}
	return nil
}
