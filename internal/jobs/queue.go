package jobs

import (
	"cmp"
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// Queue is where verbs leave jobs; the zero value but for Now is ready. Runners of the same process listen to it.
type Queue struct {
	Now func() time.Time

	enqueued notifier // a job is written down
	jobEnded notifier // a job of this process has ended
}

// Enqueue writes the job down as part of tx and wakes the runners once that is committed. If one of its kind and key
// waits already, they become one, with the newer payload and the earlier time; if it is running, it runs once more
// afterwards; if it is dead, it comes back to life.
func (q *Queue) Enqueue(ctx context.Context, tx *sqldb.DB, j Job) error {
	now := q.Now()
	if j.RunAt.IsZero() {
		j.RunAt = now
	}
	if j.Payload == nil {
		j.Payload = []byte("{}")
	}
	var account any
	if j.AccountID != "" {
		account = string(j.AccountID)
	}
	ms := now.UnixMilli()
	_, err := tx.Exec(ctx, enqueueQuery, parley.NewTimedUUID(), j.Kind, j.Key, account, j.Payload, j.RunAt.UnixMilli(), j.Size,
		cmp.Or(j.MaxAttempts, defaultAttempts), cmp.Or(j.Backoff, defaultBackoff).Milliseconds(), ms, ms)
	if err == nil {
		tx.AfterCommit(q.Wake)
	}
	return err
}

// While a job runs its run_at is free to hold when it shall run again.
const enqueueQuery = `insert into jobs (id, kind, key, account_id, payload, state, run_at, size, attempts, max_attempts,
  backoff_ms, created_at, updated_at)
values (?, ?, ?, ?, ?, 'ready', ?, ?, 0, ?, ?, ?, ?)
on conflict (kind, key) do update set
  account_id = excluded.account_id, payload = excluded.payload, size = excluded.size,
  max_attempts = excluded.max_attempts, backoff_ms = excluded.backoff_ms, updated_at = excluded.updated_at,
  run_at = case when (jobs.state = 'ready' or jobs.again = 1) and jobs.run_at < excluded.run_at then jobs.run_at else excluded.run_at end,
  again = case when jobs.state = 'running' then 1 else 0 end,
  attempts = case when jobs.state = 'dead' then 0 else jobs.attempts end,
  last_error = case when jobs.state = 'dead' then null else jobs.last_error end,
  state = case when jobs.state = 'dead' then 'ready' else jobs.state end`

// Wake has the runners look for due jobs now rather than at their next poll.
func (q *Queue) Wake() { q.enqueued.notify() }

// notifier wakes everybody who waits for it.
type notifier struct {
	mu   sync.Mutex
	done chan struct{}
}

// wait returns a channel that the next ring closes. Take it before looking for work, or a ring in between is missed.
func (b *notifier) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done == nil {
		b.done = make(chan struct{})
	}
	return b.done
}

func (b *notifier) notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done != nil {
		close(b.done)
		b.done = nil
	}
}
