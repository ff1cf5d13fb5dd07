package ingest

import (
	"context"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// ReplaceJob is the kind of the job that removes an agent's old content once the new content answers; its key is the
// agent's id.
const ReplaceJob = "content.succeed"

// replaceRetryDelay is how often the job looks whether the new content is read.
const replaceRetryDelay = time.Second

// removeBatchSize is how many sources one transaction removes at most.
const removeBatchSize = 40

// contentReplacement is new content that takes the place of old: what a ReplaceJob is about. A later one of the same
// agent overrides it.
type contentReplacement struct {
	ID         string            `json:"id"`
	Agent      parley.AgentID    `json:"agent"`
	NewSources []parley.SourceID `json:"new"`
	OldSources []parley.SourceID `json:"leaving"`
}

func (s contentReplacement) job(account parley.AccountID) jobs.Job {
	return jobs.Job{Kind: ReplaceJob, Key: string(s.Agent), AccountID: account, Payload: jobs.EncodePayload(s)}
}

// FinishReplacement handles ReplaceJob. It waits until all of the new content is trained or has failed; where none of
// it can be read, the old content stays, as the earlier version of a source does.
func (d *Service) FinishReplacement(ctx context.Context, job jobs.Job) error {
	s, err := jobs.DecodePayload[contentReplacement](job)
	if err != nil {
		return err
	}
	for more := true; more; {
		now := d.Now()
		err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
			more, err = d.replaceStep(ctx, tx, job.AccountID, s, now)
			return err
		})
		if err != nil {
			return ignoreDropped(err)
		}
	}
	return nil
}

// replaceStep does one step, and reports whether another one follows at once.
func (d *Service) replaceStep(ctx context.Context, tx *store.DB, account parley.AccountID, s contentReplacement,
	now time.Time) (more bool, err error) {
	if err := tx.LockAgent(ctx, account.AgentRef(s.Agent)); err != nil {
		return false, err
	}
	if newest, err := d.isNewest(ctx, tx, account, s); err != nil || !newest || len(s.OldSources) == 0 {
		return false, err
	}
	settled, read, err := newContentState(ctx, tx, account, s)
	if err != nil {
		return false, err
	}
	if !settled {
		again := s.job(account)
		again.RunAt = now.Add(replaceRetryDelay)
		return false, d.Queue.Enqueue(ctx, tx.SQL(), again)
	}
	if !read {
		return false, nil
	}
	return d.removeOldBatch(ctx, tx, account, s, now)
}

// isNewest reports whether no later content has come: it would have taken the place of this one, and of what leaves for
// it.
func (d *Service) isNewest(ctx context.Context, tx *store.DB, account parley.AccountID, s contentReplacement) (bool,
	error) {
	living, err := d.Queue.LiveJobs(ctx, tx.SQL(), ReplaceJob, account)
	if err != nil {
		return false, err
	}
	for _, job := range living {
		about, err := jobs.DecodePayload[contentReplacement](job)
		if err == nil && job.Key == string(s.Agent) && about.ID == s.ID {
			return true, nil
		}
	}
	return false, nil
}

// newContentState reports whether all of the new content is trained, failed or gone, and whether any of it is trained.
func newContentState(ctx context.Context, tx *store.DB, account parley.AccountID, s contentReplacement) (settled,
	read bool, err error) {
	for _, id := range s.NewSources {
		src, err := tx.Source(ctx, account.AgentRef(s.Agent), id)
		switch {
		case parley.IsCode(err, parley.CodeSourceNotFound):
		case err != nil:
			return false, false, err
		case src.Status == parley.SourceUntrained || src.Status == parley.SourceUpdated:
			return false, false, nil
		case src.Status == parley.SourceTrained:
			read = true
		}
	}
	return true, read, nil
}

// removeOldBatch removes some of the old content.
func (d *Service) removeOldBatch(ctx context.Context, tx *store.DB, account parley.AccountID, s contentReplacement,
	now time.Time) (more bool, err error) {
	left := 0
	for _, id := range s.OldSources {
		if left == removeBatchSize {
			return true, nil
		}
		switch _, err := d.deleteSource(ctx, tx, account.AgentRef(s.Agent), id, now); {
		case parley.IsCode(err, parley.CodeSourceNotFound), parley.IsCode(err, parley.CodeSourceAlreadyDel):
		case err != nil:
			return false, err
		default:
			left++
		}
	}
	return false, nil
}
