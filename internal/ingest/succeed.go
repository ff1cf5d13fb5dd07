package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// SucceedJob is the kind of the chore that takes an agent's old content away once the new one answers; its key is the agent's id.
const SucceedJob = "content.succeed"

// succeedAgain is how often the chore looks whether the new content is read.
const succeedAgain = time.Second

// leavers is the most sources that one transaction takes away.
const leavers = 40

// succession is new content that takes the place of old: what a SucceedJob is about. A later one of the same agent overrides it.
type succession struct {
	ID      string            `json:"id"`
	Agent   parley.AgentID    `json:"agent"`
	New     []parley.SourceID `json:"new"`
	Leaving []parley.SourceID `json:"leaving"`
}

func (s succession) chore(account parley.AccountID) jobs.Job {
	payload, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always encode
	}
	return jobs.Job{Kind: SucceedJob, Key: string(s.Agent), AccountID: account, Payload: payload}
}

// Succeed handles SucceedJob. It waits until all of the new content is trained or has failed; where none of it can be read, the old
// content stays, as the earlier version of a source does.
func (d *Desk) Succeed(ctx context.Context, job jobs.Job) error {
	var s succession
	if err := json.Unmarshal(job.Payload, &s); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	for more := true; more; {
		now := d.Now()
		err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
			more, err = d.succeed(ctx, tx, job.AccountID, s, now)
			return err
		})
		if err != nil {
			return unlessDropped(err)
		}
	}
	return nil
}

// succeed takes one step, and reports whether there is another to take at once.
func (d *Desk) succeed(ctx context.Context, tx *store.DB, account parley.AccountID, s succession, now time.Time) (more bool, err error) {
	if err := tx.LockAgent(ctx, account, s.Agent); err != nil {
		return false, err
	}
	if newest, err := d.newest(ctx, tx, account, s); err != nil || !newest || len(s.Leaving) == 0 {
		return false, err
	}
	settled, read, err := arrived(ctx, tx, account, s)
	if err != nil {
		return false, err
	}
	if !settled {
		again := s.chore(account)
		again.RunAt = now.Add(succeedAgain)
		return false, d.Queue.Enqueue(ctx, tx.SQL(), again)
	}
	if !read {
		return false, nil
	}
	return d.leaveTogether(ctx, tx, account, s, now)
}

// newest reports whether no later content has come: it would have taken the place of this one, and of what leaves for it.
func (d *Desk) newest(ctx context.Context, tx *store.DB, account parley.AccountID, s succession) (bool, error) {
	living, err := d.Queue.Living(ctx, tx.SQL(), SucceedJob, account)
	if err != nil {
		return false, err
	}
	for _, job := range living {
		var about succession
		if job.Key == string(s.Agent) && json.Unmarshal(job.Payload, &about) == nil && about.ID == s.ID {
			return true, nil
		}
	}
	return false, nil
}

// arrived reports whether all of the new content is trained, failed or gone, and whether any of it is trained.
func arrived(ctx context.Context, tx *store.DB, account parley.AccountID, s succession) (settled, read bool, err error) {
	for _, id := range s.New {
		src, err := tx.Source(ctx, account, s.Agent, id)
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

// leaveTogether takes some of the old content away.
func (d *Desk) leaveTogether(ctx context.Context, tx *store.DB, account parley.AccountID, s succession, now time.Time) (more bool, err error) {
	left := 0
	for _, id := range s.Leaving {
		if left == leavers {
			return true, nil
		}
		switch _, err := d.remove(ctx, tx, account, s.Agent, id, now); {
		case parley.IsCode(err, parley.CodeSourceNotFound), parley.IsCode(err, parley.CodeSourceAlreadyDel):
		case err != nil:
			return false, err
		default:
			left++
		}
	}
	return false, nil
}
