package ingest

import (
	"context"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/store"
)

// EraseEarlierJob is the kind of the job that erases the earlier versions of a source; its key is the source's id.
const EraseEarlierJob = "source.tidy"

// earlierRetention is how long an earlier version stays for what still reads it: a turn that began on it, a copy being made.
const earlierRetention = 10 * time.Minute

// enqueueEraseEarlier leaves the earlier versions of a source, if it has any, to a job.
func (d *Service) enqueueEraseEarlier(ctx context.Context, tx *store.DB, s *parley.Source) error {
	has, err := tx.HasEarlierVersions(ctx, s.AccountID, s.AgentID, s.ID)
	if err != nil || !has {
		return err
	}
	job := newJob(EraseEarlierJob, s)
	job.RunAt = s.UpdatedAt.Add(earlierRetention)
	return d.Queue.Enqueue(ctx, tx.SQL(), job)
}

// EraseEarlierVersions handles EraseEarlierJob.
func (d *Service) EraseEarlierVersions(ctx context.Context, job jobs.Job) error {
	about, err := jobs.DecodePayload[jobPayload](job)
	if err != nil {
		return err
	}
	if err := d.DB.EraseEarlierVersions(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key)); err != nil {
		return err
	}
	if err := d.Indexes.EraseVectors(ctx, about.Agent); err != nil {
		return err
	}
	return d.RemoveUnusedFiles(ctx, job.AccountID, about.Agent)
}
