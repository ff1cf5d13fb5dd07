package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/store"
)

// TidyJob is the kind of the chore that erases the earlier versions of a source; its key is the source's id.
const TidyJob = "source.tidy"

// tidyAfter is how long an earlier version stays for what still reads it: a turn that began on it, a copy being made.
const tidyAfter = 10 * time.Minute

// tidyLater leaves the earlier versions of a source, if it has any, to a chore.
func (d *Desk) tidyLater(ctx context.Context, tx *store.DB, s *parley.Source) error {
	has, err := tx.HasEarlier(ctx, s.AccountID, s.AgentID, s.ID)
	if err != nil || !has {
		return err
	}
	job := chore(TidyJob, s)
	job.RunAt = s.UpdatedAt.Add(tidyAfter)
	return d.Queue.Enqueue(ctx, tx.SQL(), job)
}

// Tidy handles TidyJob.
func (d *Desk) Tidy(ctx context.Context, job jobs.Job) error {
	var about subject
	if err := json.Unmarshal(job.Payload, &about); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	if err := d.DB.EraseEarlier(ctx, job.AccountID, about.Agent, parley.SourceID(job.Key)); err != nil {
		return err
	}
	if err := d.Library.EraseVectors(ctx, about.Agent); err != nil {
		return err
	}
	return d.FreeFiles(ctx, job.AccountID, about.Agent)
}
